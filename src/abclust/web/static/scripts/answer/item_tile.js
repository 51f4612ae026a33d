/** One item as something to see, to focus, to choose and to drag: its picture, or its name. */

import { element } from "../page/elements.js";
import { decimal } from "../page/wording.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

/** Below this the item sits about as well in another cluster. */
export const UNCERTAIN = 0.6;

/**
 * One line about an item.
 *
 * @param {AnswerState} state
 * @param {number} item
 */
export function noteOf(state, item) {
  const { answer, cut } = state;
  const truth = answer.true_labels ? `, true class ${answer.true_labels[item]}` : "";
  return `${answer.names[item]}, cluster ${cut.labels[item]}, confidence ${decimal(cut.confidence[item])}${truth}`;
}

/**
 * The item's picture; nothing for an item without one.
 *
 * @param {AnswerState} state
 * @param {number} item
 */
export function pictureOf(state, item) {
  const address = state.thumbnails?.[item];
  return address ? element("img", { src: address, alt: "", draggable: "false" }) : null;
}

/** @param {AnswerState} state */
export function makeTile(state, /** @type {number} */ item) {
  const tile = element(
    "button",
    { type: "button", class: "item", "data-item": item, tabindex: "-1" },
    pictureOf(state, item) ?? element("span", { class: "item-name" }),
    element("i", { class: "sure" }),
  );
  tile.classList.toggle("named", !state.thumbnails?.[item]);
  return tile;
}

/**
 * Bring a tile up to date with the cut.
 *
 * @param {any} tile
 * @param {AnswerState} state
 * @param {number} item
 * @param {boolean} isOdd of another class than most of its cluster
 */
export function updateTile(tile, state, item, isOdd) {
  const confidence = state.cut.confidence[item];
  const picture = tile.querySelector("img"),
    name = tile.querySelector(".item-name");
  const note = noteOf(state, item) + (state.settled.has(item) ? ", corrected" : "");
  if (picture && picture.src !== state.thumbnails?.[item]) picture.src = state.thumbnails?.[item];
  if (name) name.textContent = state.answer.names[item];
  tile.setAttribute("aria-label", note);
  tile.title = note;
  tile.classList.toggle("uncertain", confidence < UNCERTAIN);
  tile.classList.toggle("odd", isOdd);
  tile.classList.toggle("settled", state.settled.has(item));
  tile.querySelector(".sure").style.width = `${Math.round(100 * confidence)}%`;
  markTile(tile, state, item);
}

/**
 * Show whether the item is pointed at or chosen.
 *
 * @param {any} tile
 * @param {AnswerState} state
 * @param {number} item
 */
export function markTile(tile, state, item) {
  tile.classList.toggle("pointed", state.pointed.includes(item));
  tile.setAttribute("aria-pressed", String(state.chosen.includes(item)));
}
