/** One answer as it is shown: the cut, what is pointed at, what is chosen. Every picture listens to it. */

import { Kernel } from "./kernel.js";
import { matchLabels } from "./label_matching.js";
import { canonicalLabels, MergeTree } from "./merge_tree.js";

/** @typedef {import("../server/answers.js").Answer} Answer */

/**
 * @typedef {object} Cluster
 * @property {number} label its number, as in the files one can download
 * @property {number} rank decides colour and marker
 * @property {number[]} items
 * @property {number} confidence the mean of its items
 */

/**
 * @typedef {object} Cut
 * @property {number} nClusters
 * @property {Int32Array} labels
 * @property {ArrayLike<number>} confidence
 * @property {Cluster[]} clusters in the order of their numbers
 */

/**
 * Events: `renew` (another answer; `cut` follows), `cut` (clusters changed), `point` (an item or pair is pointed at),
 * `choose` (items were chosen).
 */
export class AnswerState extends EventTarget {
  /**
   * @param {Answer} answer
   * @param {string[] | null} thumbnails
   */
  constructor(answer, thumbnails) {
    super();
    this.answer = answer;
    this.thumbnails = thumbnails;
    this.kernel = answer.kernel ? new Kernel(answer.kernel, answer.n_items) : null;
    this.tree = treeOf(answer);
    /** @type {number[]} */
    this.colourOfRank = [];
    /** @type {number[]} what the mouse or the focus is on: at most two items */
    this.pointed = [];
    /** @type {number[]} what was clicked: at most two items */
    this.chosen = [];
    /** @type {Set<number>} items that a person has spoken about: nobody needs to look at them again */
    this.settled = new Set();
    /** @type {Cut} */
    this.cut = this.cutAt(answer.n_clusters);
  }

  get isAsSolved() {
    return this.cut.nClusters === this.answer.n_clusters;
  }

  /**
   * Show another number of clusters.
   *
   * @param {number} nClusters is brought into the range from 1 to the number of items
   */
  slideTo(nClusters) {
    const wanted = Math.min(this.answer.n_items, Math.max(1, Math.round(nClusters)));
    if (wanted === this.cut.nClusters || Number.isNaN(wanted)) return;
    this.cut = this.cutAt(wanted);
    this.dispatchEvent(new Event("cut"));
  }

  /**
   * Show another answer about these items: solved again under constraints, or with items more or fewer.
   *
   * Clusters keep the colours they had, by what they share with the clusters that were shown.
   *
   * @param {Answer} answer without its kernel if that is the one that is known
   * @param {string[] | null} [thumbnails]
   */
  renew(answer, thumbnails = this.thumbnails) {
    const colours = Int32Array.from(this.cut.labels, (label) => this.cut.clusters[label].rank);
    this.answer = answer;
    this.thumbnails = thumbnails;
    if (answer.kernel) this.kernel = new Kernel(answer.kernel, answer.n_items);
    this.tree = treeOf(answer);
    this.colourOfRank = [];
    const now = this.cutAt(answer.n_clusters);
    const ranks = Int32Array.from(now.labels, (label) => now.clusters[label].rank);
    this.colourOfRank = matchLabels(ranks, answer.n_items, colours);
    this.cut = this.cutAt(answer.n_clusters);
    this.pointed = [];
    this.chosen = this.chosen.filter((item) => item < answer.n_items);
    this.dispatchEvent(new Event("renew"));
    this.dispatchEvent(new Event("cut"));
  }

  /** @param {number[]} items none, one, or a pair */
  pointAt(items) {
    if (String(items) === String(this.pointed)) return;
    this.pointed = items;
    this.dispatchEvent(new Event("point"));
  }

  /**
   * Choose an item, or take the choice back; of three the oldest goes.
   *
   * @param {number} item
   */
  toggle(item) {
    this.choose(
      this.chosen.includes(item)
        ? this.chosen.filter((each) => each !== item)
        : [...this.chosen, item].slice(-2),
    );
  }

  /** @param {number[]} items */
  choose(items) {
    this.chosen = items;
    this.dispatchEvent(new Event("choose"));
  }

  /** @param {number} item */
  clusterOf(item) {
    return this.cut.clusters[this.cut.labels[item]];
  }

  /**
   * The cluster that pulls most at an item besides its own.
   *
   * @param {number} item
   * @returns {{cluster: Cluster, pull: number} | null}
   */
  nextBest(item) {
    if (!this.kernel) return null;
    const pulls = this.kernel.pulls(item, this.cut.labels, this.cut.nClusters);
    let best = null;
    for (const cluster of this.cut.clusters) {
      const pull = pulls[cluster.label];
      if (pull === null || cluster.label === this.cut.labels[item]) continue;
      if (!best || pull > best.pull) best = { cluster, pull };
    }
    return best;
  }

  /**
   * @param {number} nClusters
   * @returns {Cut}
   */
  cutAt(nClusters) {
    const { labels, groups } = canonicalLabels(this.tree.rootsAt(nClusters));
    const isSolved = nClusters === this.answer.n_clusters;
    const confidence =
      isSolved || !this.kernel ? this.answer.confidence : this.kernel.confidence(labels, nClusters);
    const clusters = groups.map((node, label) => {
      const birth = this.tree.birthRanks[node];
      return {
        label,
        rank: this.colourOfRank[birth] ?? birth,
        items: /** @type {number[]} */ ([]),
        confidence: 0,
      };
    });
    labels.forEach((label, item) => clusters[label].items.push(item));
    for (const cluster of clusters) {
      cluster.confidence =
        cluster.items.reduce((sum, item) => sum + confidence[item], 0) / cluster.items.length;
    }
    return { nClusters, labels, confidence, clusters };
  }
}

/** @param {Answer} answer */
function treeOf(answer) {
  return new MergeTree(answer.n_items, answer.merge_tree.merges);
}
