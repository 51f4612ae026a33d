/** The items that a person should look at first: those whose cluster is least clear. */

import { element } from "../page/elements.js";
import { decimal } from "../page/wording.js";
import { swatch } from "./cluster_looks.js";
import { markTile, noteOf, pictureOf } from "./item_tile.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

const MOST_ITEMS = 6;
/** Above this nobody needs to look. */
const CLEAR = 0.9;

/**
 * @param {AnswerState} state
 * @returns {HTMLElement}
 */
export function leastCertain(state) {
  const list = element("ol", { class: "least" });
  const show = () => {
    const { confidence } = state.cut;
    const items = Array.from(confidence, (_, item) => item)
      .filter((item) => confidence[item] < CLEAR && !state.settled.has(item))
      .sort((a, b) => confidence[a] - confidence[b] || a - b);
    section.hidden = items.length === 0;
    list.replaceChildren(...items.slice(0, MOST_ITEMS).map((item) => element("li", {}, row(state, item))));
  };
  const mark = () => {
    for (const button of list.querySelectorAll("[data-item]"))
      markTile(button, state, Number(button.dataset.item));
  };
  const section = element(
    "section",
    { class: "part", "aria-label": "Least certain items" },
    element(
      "div",
      { class: "part-head" },
      element("h3", {}, "Look at these first"),
      element("span", { class: "note" }, "the least certain, and the cluster that pulls next"),
    ),
    list,
  );
  state.addEventListener("cut", show);
  state.addEventListener("point", mark);
  state.addEventListener("choose", mark);
  show();
  return section;
}

/**
 * @param {AnswerState} state
 * @param {number} item
 */
function row(state, item) {
  const own = state.clusterOf(item),
    next = state.nextBest(item);
  const made = element(
    "button",
    { type: "button", class: "least-item", "data-item": item, "aria-label": noteOf(state, item) },
    pictureOf(state, item),
    element(
      "span",
      { class: "least-name" },
      element("bdi", {}, state.answer.names[item]),
      element(
        "small",
        {},
        swatch(own.rank),
        own.label,
        next && " or ",
        next && swatch(next.cluster.rank),
        next && next.cluster.label,
      ),
    ),
    element(
      "span",
      { class: "meter", "aria-hidden": "true" },
      element("small", {}, decimal(state.cut.confidence[item])),
      element("i"),
    ),
  );
  made
    .querySelector(".meter i")
    .style.setProperty("--share", `${Math.round(100 * state.cut.confidence[item])}%`);
  markTile(made, state, item);
  return made;
}
