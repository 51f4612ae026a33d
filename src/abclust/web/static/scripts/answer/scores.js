/** Numbers about a partition: agreement with the truth, and how sure the number of clusters is. */

/**
 * The adjusted Rand index: 1 is perfect agreement, 0 is chance.
 *
 * @param {ArrayLike<number | string>} truth
 * @param {ArrayLike<number>} labels
 * @see Hubert and Arabie, Comparing partitions, 1985, https://doi.org/10.1007/BF01908075
 */
export function adjustedRandIndex(truth, labels) {
  const both = new Map(),
    rows = new Map(),
    columns = new Map();
  const add = (/** @type {Map<any, number>} */ counts, /** @type {any} */ key) =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  for (let item = 0; item < labels.length; item += 1) {
    add(both, `${truth[item]} ${labels[item]}`);
    add(rows, truth[item]);
    add(columns, labels[item]);
  }
  const pairs = (/** @type {number} */ size) => (size * (size - 1)) / 2;
  const sum = (/** @type {Map<any, number>} */ counts) =>
    [...counts.values()].reduce((total, size) => total + pairs(size), 0);
  const inRows = sum(rows),
    inColumns = sum(columns);
  const expected = (inRows * inColumns) / Math.max(1, pairs(labels.length));
  const most = (inRows + inColumns) / 2;
  return most === expected ? 1 : (sum(both) - expected) / (most - expected);
}

/**
 * The interval that holds most nearly nine tenths of the samples: the rule of `Partition.n_clusters_interval`.
 *
 * @param {{n_clusters: number, probability: number}[]} distribution
 * @returns {[number, number] | null} `null` if nothing was sampled
 */
export function likelyInterval(distribution, level = 0.9) {
  if (!distribution.length) return null;
  const shares = new Map(distribution.map((each) => [each.n_clusters, each.probability]));
  const lowest = Math.min(...shares.keys()),
    highest = Math.max(...shares.keys());
  /** @type {[number, number]} */
  let best = [lowest, highest];
  let bestShare = 1;
  for (let length = 1; length <= highest - lowest; length += 1) {
    const { start, share } = fullest(shares, lowest, highest, length);
    const miss = Math.abs(share - level),
      bestMiss = Math.abs(bestShare - level);
    if (miss < bestMiss - 1e-12 || (miss < bestMiss + 1e-12 && share > bestShare + 1e-12)) {
      best = [start, start + length - 1];
      bestShare = share;
    }
  }
  return best;
}

/**
 * Of all stretches of one length, the first that holds most.
 *
 * @param {Map<number, number>} shares
 * @param {number} lowest
 * @param {number} highest
 * @param {number} length
 */
function fullest(shares, lowest, highest, length) {
  let found = { start: lowest, share: -1 };
  for (let start = lowest; start + length - 1 <= highest; start += 1) {
    let share = 0;
    for (let place = start; place < start + length; place += 1) share += shares.get(place) ?? 0;
    if (share > found.share + 1e-12) found = { start, share };
  }
  return found;
}
