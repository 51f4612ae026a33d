/** The clusters along the edges of the kernel's picture: where each begins, and its colour. */

import { pictureElement } from "../page/elements.js";
import { colourClass } from "./cluster_looks.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */
/** @typedef {{start: number, size: number, rank: number, label: number}} ClusterSpan */

/**
 * Where the clusters lie along an order that has each of them in one piece.
 *
 * @param {AnswerState} state
 * @param {Int32Array} order
 */
export function clusterSpans(state, order) {
  /** @type {ClusterSpan[]} */
  const spans = [];
  order.forEach((item, place) => {
    const cluster = state.clusterOf(item);
    const last = spans.at(-1);
    if (last && last.label === cluster.label) last.size += 1;
    else spans.push({ start: place, size: 1, rank: cluster.rank, label: cluster.label });
  });
  return spans;
}

/**
 * An empty ribbon.
 *
 * @param {"down" | "across"} edge
 */
export function newRibbon(edge) {
  return pictureElement("svg", {
    class: `ribbon ${edge}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
}

/**
 * Colour a ribbon.
 *
 * @param {any} ribbon
 * @param {ClusterSpan[]} spans
 * @param {number} length of the whole order
 */
export function fillRibbon(ribbon, spans, length) {
  const isAcross = ribbon.classList.contains("across");
  ribbon.setAttribute("viewBox", isAcross ? `0 0 ${length} 1` : `0 0 1 ${length}`);
  const rectangles = spans.map(({ start, size, rank }) => {
    const box = isAcross
      ? { x: start, y: 0, width: size, height: 1 }
      : { x: 0, y: start, width: 1, height: size };
    return pictureElement("rect", { class: colourClass(rank), ...box });
  });
  ribbon.replaceChildren(...rectangles);
}
