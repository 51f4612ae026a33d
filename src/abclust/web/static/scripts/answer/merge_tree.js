/** The merge tree: every partition of a set from single items to one cluster, cut here without asking the server. */

export class MergeTree {
  /**
   * @param {number} nItems
   * @param {[number, number][]} merges scipy's numbering: item i is node i, merge m makes node nItems + m
   */
  constructor(nItems, merges) {
    this.nItems = nItems;
    this.merges = merges;
    this.sizes = nodeSizes(nItems, merges);
    /** The items from left to right under the tree: the clusters of every cut are stretches of it. */
    this.leafOrder = leavesBelow(nItems, merges, this.sizes);
    this.birthRanks = birthRanks(nItems, merges, this.sizes);
  }

  /**
   * The node that each item is in when the tree is cut to so many clusters.
   *
   * @param {number} nClusters
   * @returns {Int32Array}
   */
  rootsAt(nClusters) {
    const nMerges = Math.max(0, this.nItems - nClusters);
    const roots = Int32Array.from({ length: this.nItems + nMerges }, (_, node) => node);
    // From the top down a parent knows its root before its children ask for it.
    for (let merge = nMerges - 1; merge >= 0; merge -= 1) {
      for (const child of this.merges[merge]) roots[child] = roots[this.nItems + merge];
    }
    return roots.subarray(0, this.nItems);
  }

  /**
   * The two nodes that are joined on the way from one cut to the next smaller one; none from one cluster.
   *
   * @param {number} nClusters of the larger cut
   * @returns {[number, number] | null}
   */
  unionBelow(nClusters) {
    return this.merges[this.nItems - nClusters] ?? null;
  }
}

/**
 * Cluster numbers by first appearance, as everywhere in abclust.
 *
 * @param {ArrayLike<number>} groups
 * @returns {{labels: Int32Array, groups: number[]}} `groups[label]` is what the label was called before
 */
export function canonicalLabels(groups) {
  /** @type {Map<number, number>} */
  const known = new Map();
  const labels = Int32Array.from(groups, (group) => {
    const label = known.get(group) ?? known.size;
    known.set(group, label);
    return label;
  });
  return { labels, groups: [...known.keys()] };
}

/**
 * @param {number} nItems
 * @param {[number, number][]} merges
 */
function nodeSizes(nItems, merges) {
  const sizes = new Int32Array(nItems + merges.length).fill(1, 0, nItems);
  merges.forEach(([left, right], merge) => {
    sizes[nItems + merge] = sizes[left] + sizes[right];
  });
  return sizes;
}

/**
 * @param {number} nItems
 * @param {[number, number][]} merges
 * @param {Int32Array} sizes
 */
function leavesBelow(nItems, merges, sizes) {
  const starts = new Int32Array(sizes.length);
  const isRoot = new Uint8Array(sizes.length).fill(1);
  for (const children of merges) for (const child of children) isRoot[child] = 0;
  let end = 0;
  for (let node = sizes.length - 1; node >= 0; node -= 1) {
    if (isRoot[node]) {
      starts[node] = end;
      end += sizes[node];
    }
    if (node < nItems) continue;
    const [first, second] = largerFirst(merges[node - nItems], sizes);
    starts[first] = starts[node];
    starts[second] = starts[node] + sizes[first];
  }
  const order = new Int32Array(nItems);
  for (let item = 0; item < nItems; item += 1) order[starts[item]] = item;
  return order;
}

/**
 * For each node, how many splits from the top it took until it stood alone. The larger side of a split keeps its
 * rank, the smaller gets the next free one: at k clusters the ranks 0 to k - 1 are each there once, and a cluster
 * keeps its colour while the slider passes over it.
 *
 * @param {number} nItems
 * @param {[number, number][]} merges
 * @param {Int32Array} sizes
 */
function birthRanks(nItems, merges, sizes) {
  const ranks = new Int32Array(sizes.length);
  let next = 1;
  for (let merge = merges.length - 1; merge >= 0; merge -= 1) {
    const [larger, smaller] = largerFirst(merges[merge], sizes);
    ranks[larger] = ranks[nItems + merge];
    ranks[smaller] = next;
    next += 1;
  }
  return ranks;
}

/**
 * @param {[number, number]} pair
 * @param {Int32Array} sizes
 * @returns {[number, number]}
 */
function largerFirst([left, right], sizes) {
  return sizes[left] >= sizes[right] ? [left, right] : [right, left];
}
