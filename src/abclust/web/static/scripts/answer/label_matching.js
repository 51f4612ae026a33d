/** Which cluster of one partition is which of another: so that colours stay when the numbers change. */

/**
 * Match greedily, the largest overlap first.
 *
 * @param {ArrayLike<number>} labels numbers from 0 to `nLabels` - 1
 * @param {number} nLabels
 * @param {ArrayLike<number>} reference numbers from 0; may be shorter, items beyond it match nothing
 * @returns {number[]} for each label a number of its own: the reference's where one matches, else the lowest free one
 */
export function matchLabels(labels, nLabels, reference) {
  /** @type {Map<string, {label: number, other: number, size: number}>} */
  const overlaps = new Map();
  for (let item = 0; item < Math.min(labels.length, reference.length); item += 1) {
    const key = `${labels[item]} ${reference[item]}`;
    const known = overlaps.get(key) ?? { label: labels[item], other: reference[item], size: 0 };
    known.size += 1;
    overlaps.set(key, known);
  }
  const matched = new Array(nLabels).fill(-1);
  const taken = new Set();
  for (const { label, other } of [...overlaps.values()].sort((a, b) => b.size - a.size)) {
    if (matched[label] !== -1 || taken.has(other)) continue;
    matched[label] = other;
    taken.add(other);
  }
  let free = 0;
  return matched.map((match) => {
    if (match !== -1) return match;
    while (taken.has(free)) free += 1;
    taken.add(free);
    return free;
  });
}
