/** Clusters as cards of items: large clusters first; the least certain items first, or the other way round. */

import { element } from "../page/elements.js";
import { glide } from "../page/motion.js";
import { count, decimal } from "../page/wording.js";
import { colourClass, swatch } from "./cluster_looks.js";
import { makeTile, markTile, updateTile } from "./item_tile.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */
/** @typedef {import("./answer_state.js").Cluster} Cluster */

const MOST_CARDS = 60;
const NARROW = 3; // items that fit beside each other in a narrow card
const MOST_TILES = { images: 40, vectors: 8, points: 8 };

/**
 * @param {AnswerState} state
 * @returns {HTMLElement}
 */
export function clusterCards(state) {
  const { list, orderButton, note } = new ClusterCards(state);
  const head = element("div", { class: "part-head" }, element("h3", {}, "Clusters"), orderButton);
  return element("section", { class: "part", "aria-label": "Clusters" }, head, list, note);
}

class ClusterCards {
  /** @param {AnswerState} state */
  constructor(state) {
    this.state = state;
    /** @type {Map<number, any>} one element an item for good: it moves from card to card */
    this.tiles = new Map();
    /** @type {Set<number>} one item of each unfolded cluster: labels change with the cut */
    this.unfolded = new Set();
    this.areAllShown = false;
    this.isCertainFirst = false;
    this.list = element("ul", { class: "cards" });
    this.note = element("p", { class: "note" });
    this.orderButton = quietButton("", () => {
      this.isCertainFirst = !this.isCertainFirst;
      this.show();
    });
    const mark = () => this.tiles.forEach((tile, item) => markTile(tile, state, item));
    state.addEventListener("cut", () => this.show());
    state.addEventListener("point", mark);
    state.addEventListener("choose", mark);
    this.show();
  }

  /** Build the cards anew; tiles glide to their new places, and who had the focus keeps it. */
  show() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    for (const item of this.tiles.keys()) if (item >= this.state.answer.n_items) this.tiles.delete(item);
    glide([...this.tiles.values()], () => this.#build());
    const entry = focused?.isConnected ? focused : this.list.querySelector(".item");
    for (const tile of this.tiles.values()) tile.tabIndex = tile === entry ? 0 : -1;
    if (focused) /** @type {any} */ (entry)?.focus({ preventScroll: true });
  }

  #build() {
    const { clusters } = this.state.cut;
    const sorted = [...clusters].sort((a, b) => b.items.length - a.items.length || a.label - b.label);
    const shown = this.areAllShown ? sorted : sorted.slice(0, MOST_CARDS);
    this.list.replaceChildren(...shown.map((cluster) => this.#card(cluster)));
    if (shown.length < sorted.length) {
      const text = `and ${count(sorted.length - shown.length, "more cluster")}`;
      const unfold = quietButton(text, () => {
        this.areAllShown = true;
        this.show();
      });
      this.list.append(element("li", {}, unfold));
    }
    const [first, other] = this.isCertainFirst ? ["Most", "Least"] : ["Least", "Most"];
    const { kernel, isAsSolved, answer } = this.state;
    // Without the kernel the page cannot tell how sure another cut is.
    const old = kernel || isAsSolved ? "" : ` Confidence is that of the ${answer.n_clusters} clusters found.`;
    const odd = "Dashed frame: not of the class that most of its cluster are of.";
    const text = `${first} certain items first; the line under an item is its confidence.${old}`;
    this.orderButton.textContent = `${other} certain first`;
    this.note.textContent = answer.true_labels ? `${text} ${odd}` : text;
  }

  /** @param {Cluster} cluster */
  #card(cluster) {
    const { state } = this;
    const { confidence } = state.cut;
    const sign = this.isCertainFirst ? -1 : 1;
    const items = [...cluster.items].sort((a, b) => sign * (confidence[a] - confidence[b]) || a - b);
    const most = MOST_TILES[state.answer.kind];
    const isFolded = items.length > most + 2 && !items.some((item) => this.unfolded.has(item));
    const tiles = (isFolded ? items.slice(0, most) : items).map((item) => this.#tile(item, cluster));
    const size = count(items.length, "item");
    const unfold = quietButton(`and ${items.length - most} more`, () => {
      this.unfolded.add(items[0]);
      this.show();
    });
    const width = items.length > NARROW ? " wide" : "";
    const strip = { class: "strip", role: "group", "aria-label": `Cluster ${cluster.label}, ${size}` };
    return element(
      "li",
      { class: `cluster ${colourClass(cluster.rank)}${width}`, "data-label": cluster.label },
      element("h4", {}, swatch(cluster.rank), `Cluster ${cluster.label}`),
      element("p", { class: "brief" }, `${size}, ${decimal(cluster.confidence)} sure`),
      element("div", strip, ...tiles),
      isFolded && unfold,
    );
  }

  /**
   * The item's tile, up to date.
   *
   * @param {number} item
   * @param {Cluster} cluster
   */
  #tile(item, cluster) {
    const tile = this.tiles.get(item) ?? makeTile(this.state, item);
    this.tiles.set(item, tile);
    const truth = this.state.answer.true_labels;
    updateTile(
      tile,
      this.state,
      item,
      truth !== undefined && truth[item] !== mostFrequent(cluster.items, truth),
    );
    return tile;
  }
}

/**
 * The true class that most of the items are of.
 *
 * @param {number[]} items
 * @param {(number | string)[]} truth
 */
function mostFrequent(items, truth) {
  const counts = new Map();
  for (const item of items) counts.set(truth[item], (counts.get(truth[item]) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

/**
 * @param {string} text
 * @param {() => void} act
 */
function quietButton(text, act) {
  return element("button", { type: "button", class: "quiet", onclick: act }, text);
}
