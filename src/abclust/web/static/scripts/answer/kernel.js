/** The kernel: for every pair of items the probability that the two belong together, a byte a pair. */

const CERTAIN = 255;

export class Kernel {
  /**
   * @param {string} text base64 of n x n bytes, row by row
   * @param {number} nItems
   */
  constructor(text, nItems) {
    this.nItems = nItems;
    this.bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  }

  /**
   * @param {number} first
   * @param {number} second
   */
  probability(first, second) {
    return this.bytes[first * this.nItems + second] / CERTAIN;
  }

  /**
   * How much each cluster pulls at an item: the mean probability of belonging together with its other members.
   *
   * @param {number} item
   * @param {Int32Array} labels
   * @param {number} nClusters
   * @returns {(number | null)[]} `null` for a cluster of nobody else
   */
  pulls(item, labels, nClusters) {
    const sums = new Float64Array(nClusters),
      sizes = new Int32Array(nClusters);
    for (let other = 0; other < this.nItems; other += 1) {
      if (other === item) continue;
      sums[labels[other]] += this.probability(item, other);
      sizes[labels[other]] += 1;
    }
    return Array.from(sums, (sum, label) => (sizes[label] ? sum / sizes[label] : null));
  }

  /**
   * The evidence for a union: the mean log-odds between two groups of items, as a probability.
   *
   * @param {number[]} first
   * @param {number[]} second
   */
  unionProbability(first, second) {
    let sum = 0;
    for (const one of first)
      for (const other of second) sum += LOG_ODDS[this.bytes[one * this.nItems + other]];
    return 1 / (1 + Math.exp(-sum / (first.length * second.length)));
  }

  /**
   * How clearly each item belongs to its cluster, for a cut that the server did not solve: what the mean log-odds
   * lose if the item moves to its next-best cluster, or to a new one, as a probability. The same formula as
   * `abclust.clustering.log_odds.confidence`, from the rounded kernel.
   *
   * @param {Int32Array} labels
   * @param {number} nClusters
   * @returns {Float64Array}
   */
  confidence(labels, nClusters) {
    const sizes = new Int32Array(nClusters);
    for (const label of labels) sizes[label] += 1;
    return Float64Array.from(labels, (own, item) => {
      if (this.nItems === 1) return 1;
      const sums = new Float64Array(nClusters);
      const start = item * this.nItems;
      for (let other = 0; other < this.nItems; other += 1) {
        if (other !== item) sums[labels[other]] += LOG_ODDS[this.bytes[start + other]];
      }
      let best = sizes[own] === 1 ? -Infinity : 0,
        bestSize = 0; // a new cluster: nobody in it, no pull
      sums.forEach((sum, label) => {
        if (label !== own && sum > best) [best, bestSize] = [sum, sizes[label]];
      });
      if (best === -Infinity) return 1;
      return 1 / (1 + Math.exp(-(sums[own] - best) / (sizes[own] - 1 + bestSize)));
    });
  }
}

/** Log-odds of each byte; the two ends stand for all that rounds to them. */
const LOG_ODDS = Float64Array.from({ length: CERTAIN + 1 }, (_, byte) => {
  const probability = Math.min(CERTAIN - 0.25, Math.max(0.25, byte)) / CERTAIN;
  return Math.log(probability / (1 - probability));
});
