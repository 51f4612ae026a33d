/** A colour and a marker for each cluster, the same as in the report: never by colour alone. */

import { pictureElement } from "../page/elements.js";

export const N_COLOURS = 6;

/** Markers around (0, 0), about ten units wide. */
const MARKER_PATHS = [
  "M4.2 0A4.2 4.2 0 1 1-4.2 0 4.2 4.2 0 1 1 4.2 0Z",
  "M-3.8-3.8H3.8V3.8H-3.8Z",
  "M0-5L4.8 3.6H-4.8Z",
  "M0-5.4L4.6 0 0 5.4-4.6 0Z",
  "M-1.7-5h3.4v3.3H5v3.4H1.7V5h-3.4V1.7H-5v-3.4h3.3Z",
  "M0 5L4.8-3.6H-4.8Z",
  "M0-5.6L1.4-1.9 5.3-1.7 2.3.7 3.3 4.5 0 2.4-3.3 4.5-2.3.7-5.3-1.7-1.4-1.9Z",
];
const markers = MARKER_PATHS.map((path) => new Path2D(path));

/**
 * The class that sets `--c`.
 *
 * @param {number} rank
 */
export function colourClass(rank) {
  return `c${rank % N_COLOURS}`;
}

/**
 * The custom property of the colour, for canvases.
 *
 * @param {number} rank
 */
export function colourName(rank) {
  return `--k${rank % N_COLOURS}`;
}

/**
 * The marker for canvases. Six colours and seven markers have no common divisor: 42 clusters before a pair repeats.
 *
 * @param {number} rank
 */
export function markerPath(rank) {
  return markers[rank % markers.length];
}

/**
 * A small picture of colour and marker, to stand beside the cluster's name.
 *
 * @param {number} rank
 */
export function swatch(rank) {
  return pictureElement(
    "svg",
    { class: `swatch ${colourClass(rank)}`, viewBox: "-7 -7 14 14", "aria-hidden": "true" },
    pictureElement("path", { d: MARKER_PATHS[rank % MARKER_PATHS.length] }),
  );
}
