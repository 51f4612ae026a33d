/** The number of clusters: how likely each is, and a slider over the merge tree on the same scale. */

import { element } from "../page/elements.js";
import { count, decimal, percent } from "../page/wording.js";
import { distributionBars, scaleEnd, tickMarks } from "./number_scale.js";
import { likelyInterval } from "./scores.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

/**
 * @param {AnswerState} state
 * @returns {HTMLElement}
 */
export function numberPanel(state) {
  const bars = element("div", { class: "bars", "aria-hidden": "true" });
  const ticks = element("div", { class: "ticks", "aria-hidden": "true" });
  const slider = element("input", {
    type: "range",
    min: 1,
    step: 1,
    "aria-label": "Number of clusters",
    oninput: () => state.slideTo(slider.valueAsNumber),
  });
  const field = element("input", {
    type: "number",
    min: 1,
    "aria-label": "Number of clusters, typed",
    onchange: () => state.slideTo(field.valueAsNumber),
  });
  const fewer = element(
    "button",
    {
      type: "button",
      class: "small-button step",
      "aria-label": "One cluster fewer",
      onclick: () => state.slideTo(state.cut.nClusters - 1),
    },
    "−",
  );
  const more = element(
    "button",
    {
      type: "button",
      class: "small-button step",
      "aria-label": "One cluster more",
      onclick: () => state.slideTo(state.cut.nClusters + 1),
    },
    "+",
  );
  const back = element("button", {
    type: "button",
    class: "small-button back",
    onclick: () => state.slideTo(state.answer.n_clusters),
  });
  const words = element("p", { class: "note" }),
    steps = element("p", { class: "note steps" });

  const showScale = () => {
    const end = scaleEnd(state);
    slider.max = end;
    field.max = state.answer.n_items;
    words.textContent = distributionInWords(state);
    ticks.replaceChildren(...tickMarks(end));
    bars.replaceChildren(...distributionBars(state, end));
  };
  const showCut = () => {
    const { nClusters } = state.cut;
    if (nClusters > Number(slider.max)) showScale();
    slider.value = field.value = nClusters;
    slider.setAttribute("aria-valuetext", count(nClusters, "cluster"));
    fewer.disabled = nClusters <= 1;
    more.disabled = nClusters >= state.answer.n_items;
    back.textContent = `Back to ${state.answer.n_clusters}`;
    back.classList.toggle("away", state.isAsSolved);
    back.disabled = state.isAsSolved;
    steps.replaceChildren(...neighbouringCuts(state));
    for (const bar of bars.children) bar.classList.toggle("shown", Number(bar.dataset.number) === nClusters);
  };
  state.addEventListener("renew", showScale);
  state.addEventListener("cut", showCut);
  showScale();
  showCut();
  return element(
    "section",
    { class: "part number-panel", "aria-label": "Number of clusters" },
    element("div", { class: "part-head" }, element("h3", {}, "How many clusters?"), back),
    words,
    element(
      "div",
      { class: "number-row" },
      fewer,
      element("div", { class: "scale" }, bars, slider, ticks),
      more,
      field,
    ),
    steps,
  );
}

/** @param {AnswerState} state */
function distributionInWords({ answer }) {
  const interval = likelyInterval(answer.n_clusters_distribution);
  const found = answer.n_clusters_distribution.find((each) => each.n_clusters === answer.n_clusters);
  if (!interval)
    return `${answer.n_clusters} found. How sure this number is was not sampled, as usual for a set of this size.`;
  const span = interval[0] === interval[1] ? `${interval[0]} alone` : `${interval[0]} to ${interval[1]}`;
  return `Found: ${answer.n_clusters}, probability ${percent(found?.probability ?? 0)}; 90 % interval: ${span}. Slide for fewer or more.`;
}

/**
 * What one cluster fewer and one more would change.
 *
 * @param {AnswerState} state
 */
function neighbouringCuts(state) {
  const { nClusters, labels } = state.cut;
  const words = [];
  const join = sidesOfUnion(state, nClusters),
    split = sidesOfUnion(state, nClusters + 1);
  if (join) {
    const [first, second] = join.sides.map(([item]) => labels[item]).sort((a, b) => a - b);
    words.push(
      element(
        "span",
        {},
        element("strong", {}, "Fewer"),
        ` joins clusters ${first} and ${second}${join.evidence}`,
      ),
    );
  }
  if (split) {
    const sizes = split.sides.map((side) => side.length).sort((a, b) => b - a);
    words.push(
      element(
        "span",
        {},
        element("strong", {}, "More"),
        ` splits cluster ${labels[split.sides[0][0]]} into ${sizes[0]} + ${sizes[1]}${split.evidence}`,
      ),
    );
  }
  return words;
}

/**
 * The two groups of items that are joined on the way from one cut to the next smaller one.
 *
 * @param {AnswerState} state
 * @param {number} nClusters of the larger cut
 */
function sidesOfUnion({ tree, kernel }, nClusters) {
  const union = tree.unionBelow(nClusters);
  if (!union) return null;
  const roots = tree.rootsAt(nClusters);
  const sides = union.map((node) => Array.from(roots.keys()).filter((item) => roots[item] === node));
  return {
    sides,
    evidence: kernel ? ` (probability of one: ${decimal(kernel.unionProbability(sides[0], sides[1]))})` : "",
  };
}
