/** A scale of numbers of clusters: its ticks, and bars for how likely each number is. */

import { element } from "../page/elements.js";
import { count, percent } from "../page/wording.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

const SHORTEST_SCALE = 20;
const MOST_TICKS = 12;

/**
 * The largest number that the scale has room for; the field beside the slider takes every number.
 *
 * @param {AnswerState} state
 */
export function scaleEnd({ answer, cut }) {
  const likely = answer.n_clusters_distribution.map((each) => each.n_clusters);
  return Math.min(answer.n_items, Math.max(SHORTEST_SCALE, 2 * answer.n_clusters, cut.nClusters, ...likely));
}

/**
 * The place of a number on the scale, as the middle of the slider's thumb.
 *
 * @param {number} number
 * @param {number} end
 */
function placeOnScale(number, end) {
  const share = end > 1 ? (number - 1) / (end - 1) : 0;
  return `calc(var(--thumb) / 2 + ${share} * (100% - var(--thumb)))`;
}

/** @param {number} end */
export function tickMarks(end) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((each) => end / each <= MOST_TICKS) ?? 2000;
  const numbers = new Set([1]);
  for (let number = step; number <= end; number += step) numbers.add(number);
  return [...numbers].map((number) => {
    const tick = element("span", {}, number);
    tick.style.left = placeOnScale(number, end);
    return tick;
  });
}

/**
 * @param {AnswerState} state
 * @param {number} end
 */
export function distributionBars(state, end) {
  const { n_clusters_distribution: distribution, n_clusters: found } = state.answer;
  const most = Math.max(...distribution.map((each) => each.probability));
  return distribution.map(({ n_clusters: number, probability }) => {
    const bar = element("div", {
      class: `bar${number === found ? " found" : ""}`,
      "data-number": number,
      "data-share": probability,
      title: `${count(number, "cluster")}: ${percent(probability)}`,
      onclick: () => state.slideTo(number),
    });
    bar.style.left = placeOnScale(number, end);
    bar.style.width = `min(2.2rem, ${70 / Math.max(1, end - 1)}%)`;
    bar.style.height = `${Math.max(2, (100 * probability) / most)}%`;
    if (probability >= 0.05) bar.append(element("span", {}, `${Math.round(100 * probability)}%`));
    return bar;
  });
}
