/** The kernel beside the clusters: in the order of the merge tree, framed, linked with the items both ways. */

import { element, pictureElement } from "../page/elements.js";
import { THEME_CHANGED } from "../page/theme.js";
import { decimal } from "../page/wording.js";
import { clusterSpans, fillRibbon, newRibbon } from "./cluster_ribbon.js";
import { noteOf, pictureOf } from "./item_tile.js";
import { paintKernel } from "./kernel_picture.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */
/** @typedef {import("./kernel.js").Kernel} Kernel */

const MOST_FRAMES = 150;
const SMOOTH = 400; // from so many items on a pair is smaller than a pixel of the screen
const NAME = "Kernel: arrow keys move from pair to pair, Enter chooses the pair";
const HINT = "Point at an item, or at the picture, to see the pair.";

/**
 * The part of an answer that shows its kernel.
 *
 * @param {AnswerState} state
 * @returns {HTMLElement}
 */
export function heatMap(state) {
  const title = element("h3", {}, "Kernel");
  if (!state.kernel) {
    const why = "This set is too large to send its kernel to the page. The report shows it.";
    return element(
      "section",
      { class: "part", "aria-label": "Kernel" },
      title,
      element("p", { class: "note" }, why),
    );
  }
  const { map, ribbons, told } = new HeatMap(state, state.kernel);
  const ends = [element("span", {}, "0"), element("i"), element("span", {}, "1")];
  const ramp = element("div", { class: "ramp", "aria-hidden": "true" }, ...ends);
  return element(
    "section",
    { class: "part", "aria-label": "Kernel" },
    element("div", { class: "part-head" }, title, ramp),
    element("div", { class: "heat-frame" }, ...ribbons, map),
    told,
    element("p", { class: "note" }, "Probability that two items belong together, one pixel a pair."),
  );
}

class HeatMap {
  /**
   * @param {AnswerState} state
   * @param {Kernel} kernel
   */
  constructor(state, kernel) {
    this.state = state;
    this.kernel = kernel;
    this.canvas = element("canvas", { role: "img" });
    this.frames = pictureElement("g");
    this.row = pictureElement("rect", { class: "cross" });
    this.column = pictureElement("rect", { class: "cross" });
    this.over = pictureElement(
      "svg",
      { preserveAspectRatio: "none", "aria-hidden": "true" },
      ...[this.frames, this.column, this.row],
    );
    this.map = element(
      "div",
      { class: "heat", tabindex: "0", role: "group", "aria-label": NAME },
      ...[this.canvas, this.over],
    );
    this.ribbons = [newRibbon("across"), newRibbon("down")];
    this.told = element("output", { class: "pair" });
    this.order = state.tree.leafOrder;
    this.places = inverse(this.order);
    /** Row and column that the keyboard is at. */
    this.cursor = [0, 0];
    this.#listen();
    this.paint();
    this.frame();
    this.point();
  }

  /** The whole picture: for another answer. */
  paint() {
    this.kernel = this.state.kernel ?? this.kernel;
    this.order = this.state.tree.leafOrder;
    this.places = inverse(this.order);
    this.canvas.classList.toggle("smooth", this.order.length > SMOOTH);
    this.over.setAttribute("viewBox", `0 0 ${this.order.length} ${this.order.length}`);
    paintKernel(this.canvas, this.kernel, this.order);
  }

  /** Frames and ribbons: for another cut. */
  frame() {
    const spans = clusterSpans(this.state, this.order);
    const framed = spans.length > MOST_FRAMES ? [] : spans;
    const frames = framed.map(({ start, size }) =>
      pictureElement("rect", { x: start, y: start, width: size, height: size }),
    );
    this.frames.replaceChildren(...frames);
    for (const ribbon of this.ribbons) fillRibbon(ribbon, spans, this.order.length);
    const [within, between] = meanProbabilities(this.kernel, this.state.cut.labels);
    const means = `within clusters ${within}, between clusters ${between}`;
    const text = `Kernel of ${this.order.length} items, ordered by cluster. Mean probability of a pair ${means}.`;
    this.canvas.setAttribute("aria-label", text);
  }

  /** Row and column of what is pointed at. */
  point() {
    const [first, second = first] = this.state.pointed;
    const isPointed = first !== undefined;
    this.row.classList.toggle("lit", isPointed);
    this.column.classList.toggle("lit", isPointed);
    this.map.dataset.row = isPointed ? String(this.places[first]) : "";
    if (!isPointed) return this.told.replaceChildren(HINT);
    const n = this.order.length;
    setBox(this.row, { x: 0, y: this.places[first], width: n, height: 1 });
    setBox(this.column, { x: this.places[second], y: 0, width: 1, height: n });
    this.told.replaceChildren(...this.#pairInWords(first, second));
  }

  /**
   * Point at a pair.
   *
   * @param {number} down
   * @param {number} right
   */
  moveTo(down, right) {
    const last = this.order.length - 1;
    this.cursor = [down, right].map((place) => Math.min(last, Math.max(0, place)));
    const [first, second] = this.cursor.map((place) => this.order[place]);
    this.state.pointAt(first === second ? [first] : [first, second]);
  }

  #listen() {
    const { state, map, canvas } = this;
    const pointAtNothing = () => state.pointAt([]);
    const choosePair = () => state.choose([...state.pointed]);
    map.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      const box = canvas.getBoundingClientRect(),
        n = this.order.length;
      const down = (event.clientY - box.top) / box.height,
        right = (event.clientX - box.left) / box.width;
      this.moveTo(Math.floor(down * n), Math.floor(right * n));
    });
    map.addEventListener("pointerleave", pointAtNothing);
    map.addEventListener("blur", pointAtNothing);
    map.addEventListener("click", choosePair);
    map.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (step) this.moveTo(this.cursor[0] + step[0], this.cursor[1] + step[1]);
      else if (event.key === "Enter") choosePair();
      else return;
      event.preventDefault();
    });
    state.addEventListener("renew", () => this.paint());
    state.addEventListener("cut", () => this.frame());
    state.addEventListener("cut", () => this.point());
    state.addEventListener("point", () => this.point());
    canvas.addEventListener(THEME_CHANGED, () => this.paint());
  }

  /**
   * @param {number} first
   * @param {number} second
   */
  #pairInWords(first, second) {
    const { state } = this,
      { names } = state.answer;
    const isPair = first !== second;
    const probability = decimal(this.kernel.probability(first, second));
    const text = isPair ? `${names[first]} and ${names[second]}: ${probability}` : noteOf(state, first);
    return [pictureOf(state, first), isPair && pictureOf(state, second), element("span", {}, text)].filter(
      Boolean,
    );
  }
}

/**
 * @param {Kernel} kernel
 * @param {Int32Array} labels
 * @returns {string[]} of pairs within clusters, and of pairs between them
 */
function meanProbabilities(kernel, labels) {
  const sums = [0, 0],
    counts = [0, 0];
  for (let first = 0; first < labels.length; first += 1) {
    for (let second = first + 1; second < labels.length; second += 1) {
      const isBetween = Number(labels[first] !== labels[second]);
      sums[isBetween] += kernel.probability(first, second);
      counts[isBetween] += 1;
    }
  }
  return sums.map((sum, place) => (counts[place] ? decimal(sum / counts[place]) : "of no pair"));
}

/** @param {Int32Array} order */
function inverse(order) {
  const places = new Int32Array(order.length);
  order.forEach((item, place) => {
    places[item] = place;
  });
  return places;
}

/**
 * @param {any} rectangle
 * @param {Record<string, number>} box
 */
function setBox(rectangle, box) {
  for (const [name, value] of Object.entries(box)) rectangle.setAttribute(name, value);
}
