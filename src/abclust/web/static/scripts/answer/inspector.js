/** The bar at the foot of an answer: what is known of the chosen items, and what one can say about them. */

import { element } from "../page/elements.js";
import { decimal } from "../page/wording.js";
import { swatch } from "./cluster_looks.js";
import { pictureOf } from "./item_tile.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */
/** @typedef {import("./correcting.js").Correcting} Correcting */

/**
 * @param {AnswerState} state
 * @param {Correcting} correcting
 * @returns {HTMLElement}
 */
export function inspector(state, correcting) {
  const bar = element("div", {
    class: "inspector",
    role: "region",
    "aria-label": "Chosen items",
    hidden: true,
  });
  const show = () => {
    const { chosen } = state;
    bar.hidden = chosen.length === 0;
    if (chosen.length === 1) bar.replaceChildren(...aboutOne(state, correcting, chosen[0]));
    if (chosen.length === 2) bar.replaceChildren(...aboutTwo(state, correcting, chosen[0], chosen[1]));
    bar.append(
      element(
        "button",
        {
          type: "button",
          class: "small-button close",
          "aria-label": "Choose nothing",
          onclick: () => state.choose([]),
        },
        "✕",
      ),
    );
  };
  state.addEventListener("choose", show);
  state.addEventListener("cut", show);
  return bar;
}

/**
 * @param {AnswerState} state
 * @param {Correcting} correcting
 * @param {number} item
 */
function aboutOne(state, correcting, item) {
  const own = state.clusterOf(item),
    next = state.nextBest(item);
  const others = state.cut.clusters
    .filter((each) => each !== own)
    .sort((a, b) => Number(b === next?.cluster) - Number(a === next?.cluster) || a.label - b.label);
  const select = element(
    "select",
    { "aria-label": "Move to cluster" },
    ...others.map((each) =>
      element(
        "option",
        { value: each.label },
        `cluster ${each.label}${each === next?.cluster ? " (next best)" : ""}`,
      ),
    ),
    own.items.length > 1 && element("option", { value: "new" }, "a cluster of its own"),
  );
  const move = () => {
    state.choose([]);
    return correcting.move(item, select.value === "new" ? null : Number(select.value));
  };
  return [
    person(state, item),
    element(
      "p",
      { class: "inspector-text" },
      element("bdi", {}, state.answer.names[item]),
      element(
        "small",
        {},
        swatch(own.rank),
        `cluster ${own.label}, confidence ${decimal(state.cut.confidence[item])}`,
        next && `; next best `,
        next && swatch(next.cluster.rank),
        next && `${next.cluster.label} (${decimal(next.pull)})`,
      ),
    ),
    element(
      "div",
      { class: "row" },
      ...(select.options.length
        ? [select, element("button", { type: "button", class: "button strong", onclick: move }, "Move")]
        : []),
      element("small", { class: "hint" }, "or choose a second item"),
    ),
  ];
}

/**
 * @param {AnswerState} state
 * @param {Correcting} correcting
 * @param {number} first
 * @param {number} second
 */
function aboutTwo(state, correcting, first, second) {
  const { names } = state.answer;
  const say = (/** @type {"same" | "different"} */ kind) => () => {
    state.choose([]);
    return correcting.mark(kind, first, second);
  };
  const now =
    state.cut.labels[first] === state.cut.labels[second] ? "now in one cluster" : "now in two clusters";
  const probability = state.kernel ? `, probability ${decimal(state.kernel.probability(first, second))}` : "";
  return [
    person(state, first),
    person(state, second),
    element(
      "p",
      { class: "inspector-text" },
      element("bdi", {}, names[first]),
      " and ",
      element("bdi", {}, names[second]),
      element("small", {}, `${now}${probability}`),
    ),
    element(
      "div",
      { class: "row" },
      element(
        "button",
        { type: "button", class: "button strong", onclick: say("same") },
        "Same",
        element("kbd", { "aria-hidden": "true" }, "S"),
      ),
      element(
        "button",
        { type: "button", class: "button strong", onclick: say("different") },
        "Different",
        element("kbd", { "aria-hidden": "true" }, "D"),
      ),
    ),
  ];
}

/**
 * @param {AnswerState} state
 * @param {number} item
 */
function person(state, item) {
  const picture = pictureOf(state, item);
  return picture ? element("span", { class: "inspector-picture" }, picture) : "";
}
