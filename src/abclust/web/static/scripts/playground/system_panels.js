/** What each system makes of the same points, side by side. */

import { matchLabels } from "../answer/label_matching.js";
import { colourClass } from "../answer/cluster_looks.js";
import { element, pictureElement } from "../page/elements.js";
import { count, decimal } from "../page/wording.js";
import { HALF_SIDE } from "./circle_sets.js";

/** @typedef {{name: string, labels: number[], n_clusters: number, ari: number}} SystemAnswer */
/** @typedef {{points: [number, number][], truth: number[], systems: SystemAnswer[]}} CircleAnswer */

/** @type {Record<string, {title: string, about: string}>} */
const SYSTEMS = {
  ABC: { title: "ABC", about: "sees the whole set" },
  pairwise: { title: "Pairwise kernel", about: "sees two points at a time" },
  spectral: { title: "Spectral clustering", about: "is told the number" },
};

/**
 * @param {HTMLElement} place
 * @param {CircleAnswer} answer
 */
export function showSystems(place, answer) {
  place.replaceChildren(...answer.systems.map((system) => panel(system, answer)));
}

/**
 * @param {SystemAnswer} system
 * @param {CircleAnswer} answer
 */
function panel(system, { points, truth }) {
  const { title, about } = SYSTEMS[system.name] ?? { title: system.name, about: "" };
  const isRight = system.ari > 0.995;
  // The colours of the circles where they match, so that what is wrong stands out.
  const colours = matchLabels(system.labels, system.n_clusters, truth);
  const isWrong = points.map((_, place) => colours[system.labels[place]] !== truth[place]);
  const nWrong = isWrong.filter(Boolean).length;
  const picture = pictureElement(
    "svg",
    {
      class: "system-picture",
      viewBox: `${-HALF_SIDE} ${-HALF_SIDE} ${2 * HALF_SIDE} ${2 * HALF_SIDE}`,
      role: "img",
      "aria-label": `${title}: ${count(points.length, "point")} in ${count(system.n_clusters, "cluster")}, ${nWrong} not with their circle, agreement ${decimal(system.ari)}`,
    },
    ...points.map(([x, y], place) => mark(x, -y, colours[system.labels[place]], isWrong[place])),
  );
  return element(
    "figure",
    { class: `system${isRight ? " right" : ""}`, "data-system": system.name },
    element("figcaption", {}, element("strong", {}, title), element("small", {}, about)),
    picture,
    element(
      "dl",
      {},
      element("div", {}, element("dt", {}, "clusters"), element("dd", { class: "found" }, system.n_clusters)),
      element("div", {}, element("dt", {}, "misplaced"), element("dd", {}, nWrong)),
      element(
        "div",
        {},
        element(
          "dt",
          {},
          element("abbr", { title: "adjusted Rand index: 1 is perfect, 0 is chance" }, "agreement"),
        ),
        element("dd", { class: "score" }, decimal(system.ari)),
      ),
    ),
  );
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} colour
 * @param {boolean} isWrong
 */
function mark(x, y, colour, isWrong) {
  const className = colourClass(colour);
  return isWrong
    ? pictureElement("path", {
        class: `${className} wrong`,
        d: `M${x - 0.024} ${y - 0.024}l.048 .048m0-.048l-.048 .048`,
      })
    : pictureElement("circle", { class: className, cx: x, cy: y, r: 0.022 });
}
