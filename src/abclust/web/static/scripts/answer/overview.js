/** The head of an answer: what was found in a few numbers, what was left out, and what one can take away. */

import { element } from "../page/elements.js";
import { count, decimal } from "../page/wording.js";
import { downloadAddress } from "../server/answers.js";
import { adjustedRandIndex, likelyInterval } from "./scores.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

const NOUNS = { images: "image", vectors: "row", points: "point" };

/**
 * @param {AnswerState} state
 * @param {Element[]} actions buttons that stand beside the downloads
 * @returns {HTMLElement}
 */
export function overview(state, actions) {
  const title = element("h2", { tabindex: "-1" }),
    model = element("p", { class: "brief" });
  const downloads = element("div", { class: "row downloads" }),
    skipped = element("div");
  const show = () => {
    title.textContent = `${count(state.answer.n_items, NOUNS[state.answer.kind])} in ${count(state.cut.nClusters, "cluster")}`;
    model.replaceChildren("by the weights ", element("strong", {}, state.answer.model));
    downloads.replaceChildren(...downloadLinks(state), ...actions);
  };
  skipped.append(...leftOut(state));
  state.addEventListener("cut", show);
  show();
  return element(
    "div",
    { class: "overview" },
    element("div", { class: "overview-head" }, element("div", {}, title, model), downloads),
    skipped,
  );
}

/**
 * What was found, in a few numbers.
 *
 * @param {AnswerState} state
 * @returns {HTMLElement}
 */
export function numberTiles(state) {
  const tiles = element("dl", { class: "tiles" });
  const show = () =>
    tiles.replaceChildren(
      ...numbers(state).map(([name, value, note]) =>
        element(
          "div",
          {},
          element("dt", {}, name),
          element("dd", {}, value, note && element("small", {}, note)),
        ),
      ),
    );
  state.addEventListener("cut", show);
  show();
  return tiles;
}

/**
 * @param {AnswerState} state
 * @returns {[string, string, string?][]}
 */
function numbers(state) {
  const { answer, cut } = state;
  const interval = likelyInterval(answer.n_clusters_distribution);
  const mean = Array.from(cut.confidence).reduce((sum, each) => sum + each, 0) / answer.n_items;
  const span =
    interval && (interval[0] === interval[1] ? "no other likely" : `likely ${interval[0]} to ${interval[1]}`);
  /** @type {[string, string, string?][]} */
  const found = [
    ["Items", answer.n_items.toLocaleString("en")],
    ["Clusters", String(cut.nClusters), state.isAsSolved ? (span ?? "found") : `found: ${answer.n_clusters}`],
    ["Mean confidence", decimal(mean)],
  ];
  if (answer.true_labels) {
    found.push([
      "Agreement",
      decimal(adjustedRandIndex(answer.true_labels, cut.labels)),
      "ARI; 1 is perfect",
    ]);
  }
  return found;
}

/** @param {AnswerState} state */
function downloadLinks(state) {
  const cut = state.isAsSolved ? null : state.cut.nClusters;
  const link = (/** @type {any} */ file, /** @type {string} */ text, /** @type {string} */ title) =>
    element(
      "a",
      { class: "small-button", href: downloadAddress(state.answer.id, file, cut), download: file, title },
      text,
    );
  return [
    link("labels.csv", "CSV", "Download the labels as CSV"),
    link("report.html", "Report", "Download the report as one HTML file"),
    state.answer.kind === "images" && link("clusters.zip", "Zip", "Download the images, sorted into folders"),
  ].filter(Boolean);
}

/** @param {AnswerState} state */
function leftOut({ answer }) {
  if (!answer.skipped.length) return [];
  return [
    element(
      "details",
      { class: "skipped" },
      element("summary", {}, `${count(answer.skipped.length, "file")} left out`),
      element(
        "ul",
        {},
        ...answer.skipped.map((each) => element("li", {}, element("bdi", {}, each.name), `: ${each.why}`)),
      ),
    ),
  ];
}
