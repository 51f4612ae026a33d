/** One answer on the page: its pictures side by side, all listening to one state. */

import { element } from "../page/elements.js";
import { AnswerState } from "./answer_state.js";
import { clusterCards } from "./cluster_cards.js";
import { correctionPanel } from "./correction_panel.js";
import { Correcting } from "./correcting.js";
import { heatMap } from "./heat_map.js";
import { inspector } from "./inspector.js";
import { letItemsBeDragged } from "./item_dragging.js";
import { handleItems } from "./item_handling.js";
import { leastCertain } from "./least_certain.js";
import { numberPanel } from "./number_panel.js";
import { numberTiles, overview } from "./overview.js";
import { scatter } from "./scatter.js";

/** @typedef {import("../server/answers.js").Answer} Answer */

/**
 * Show an answer in a place of the page.
 *
 * @param {HTMLElement} place what it held before goes
 * @param {Answer} answer
 * @param {string[] | null} thumbnails
 * @param {Element[]} [actions] buttons for the head of the answer
 * @returns {{state: AnswerState, correcting: Correcting}}
 */
export function showAnswer(place, answer, thumbnails, actions = []) {
  const state = new AnswerState(answer, thumbnails);
  const correcting = new Correcting(state);
  const items = element(
    "div",
    { class: "items" },
    answer.positions && scatter(state),
    leastCertain(state),
    clusterCards(state),
    element(
      "div",
      { class: "new-cluster", "data-label": "new", "aria-hidden": "true" },
      "Drop here for a cluster of its own",
    ),
  );
  const view = element(
    "div",
    { class: "answer" },
    overview(state, actions),
    element("div", { class: "found-numbers" }, numberTiles(state), numberPanel(state)),
    element(
      "div",
      { class: "answer-columns" },
      items,
      element(
        "aside",
        { class: "beside", "aria-label": "Kernel and corrections" },
        heatMap(state),
        correctionPanel(correcting),
      ),
    ),
    inspector(state, correcting),
  );
  letItemsBeDragged(items, (item, label) => correcting.move(item, label));
  handleItems(items, state);
  view.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
    answerToKey(event, state, correcting),
  );
  correcting.addEventListener("change", () => view.setAttribute("aria-busy", String(correcting.isBusy)));
  place.replaceChildren(view);
  return { state, correcting };
}

/**
 * The keys of an answer: S and D about the chosen pair, Z takes back, Escape chooses nothing.
 *
 * @param {KeyboardEvent} event
 * @param {AnswerState} state
 * @param {Correcting} correcting
 */
function answerToKey(event, state, correcting) {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  const key = event.key.toLowerCase();
  if (isTyping || event.altKey || ((event.ctrlKey || event.metaKey) && key !== "z")) return;
  const [first, second] = state.chosen;
  if (key === "escape" && state.chosen.length) state.choose([]);
  else if (key === "z") correcting.undo();
  else if ((key === "s" || key === "d") && second !== undefined) {
    state.choose([]);
    correcting.mark(key === "s" ? "same" : "different", first, second);
  } else return;
  event.preventDefault();
}
