/** Vectors as points of a plane, to zoom, to move about in, and to choose from. */

import { element } from "../page/elements.js";
import { colourOf, THEME_CHANGED } from "../page/theme.js";
import { colourName, markerPath } from "./cluster_looks.js";
import { ScatterCamera } from "./scatter_camera.js";
import { followPointers } from "./scatter_pointers.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

const MANY = 600; // from so many points on markers are small
const N_RINGED = 12;
const STEP = 40;

/**
 * @param {AnswerState} state
 * @returns {HTMLElement}
 */
export function scatter(state) {
  const positions = state.answer.positions ?? [];
  const camera = new ScatterCamera(positions);
  const canvas = element("canvas", {
    class: "plane",
    tabindex: "0",
    role: "application",
    "aria-label":
      "Items on paper. Plus and minus zoom, arrow keys move, zero shows everything. The items are listed as buttons below.",
  });
  const draw = () => drawPlane(canvas, state, camera, positions);
  const change = (/** @type {() => void} */ move) => () => {
    move();
    draw();
  };
  const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) =>
    element(
      "button",
      { type: "button", class: "small-button", "aria-label": label, onclick: change(act) },
      text,
    );
  followPointers(canvas, state, camera, positions, draw);
  canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const act = {
      "+": () => camera.zoomAbout(1.4),
      "=": () => camera.zoomAbout(1.4),
      "-": () => camera.zoomAbout(1 / 1.4),
      0: () => camera.reset(),
      ArrowLeft: () => camera.pan(STEP, 0),
      ArrowRight: () => camera.pan(-STEP, 0),
      ArrowUp: () => camera.pan(0, STEP),
      ArrowDown: () => camera.pan(0, -STEP),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    change(act)();
  });
  for (const name of ["cut", "point", "choose"]) state.addEventListener(name, draw);
  canvas.addEventListener(THEME_CHANGED, draw);
  new ResizeObserver(draw).observe(canvas);
  const caption =
    state.answer.kind === "points"
      ? ""
      : " Two columns as they are; more columns on their first two principal components.";
  return element(
    "figure",
    { class: "part scatter" },
    element(
      "div",
      { class: "plane-frame" },
      canvas,
      element(
        "div",
        { class: "plane-tools" },
        button("+", "Zoom in", () => camera.zoomAbout(1.4)),
        button("−", "Zoom out", () => camera.zoomAbout(1 / 1.4)),
        button("All", "Show everything", () => camera.reset()),
      ),
    ),
    element(
      "figcaption",
      {},
      `Rings: the least certain items. Scroll with Ctrl or pinch to zoom, drag to move, click to choose.${caption}`,
    ),
  );
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {AnswerState} state
 * @param {ScatterCamera} camera
 * @param {[number, number][]} positions
 */
function drawPlane(canvas, state, camera, positions) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width) return;
  const density = devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  camera.size = [width, height];
  canvas.dataset.zoom = camera.zoom.toFixed(2);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const place = (/** @type {number} */ item) => camera.toScreen(...positions[item]);
  const size = positions.length > MANY ? 0.65 : 1;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.lineWidth = 0.8;
  context.strokeStyle = colourOf("--page");
  for (const cluster of state.cut.clusters) {
    context.fillStyle = colourOf(colourName(cluster.rank));
    for (const item of cluster.items) {
      const [x, y] = place(item);
      context.setTransform(density * size, 0, 0, density * size, density * x, density * y);
      context.fill(markerPath(cluster.rank));
      context.stroke(markerPath(cluster.rank));
    }
  }
  context.setTransform(density, 0, 0, density, 0, 0);
  const { confidence } = state.cut;
  const uncertain = positions
    .map((_, item) => item)
    .sort((a, b) => confidence[a] - confidence[b])
    .slice(0, Math.min(N_RINGED, positions.length >> 2));
  drawRings(context, uncertain.map(place), 8, 1.2, colourOf("--soft"));
  drawRings(context, state.chosen.map(place), 10, 3, colourOf("--link"));
  drawRings(context, state.pointed.map(place), 12, 3, colourOf("--k1"));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {[number, number][]} places
 * @param {number} radius
 * @param {number} width
 * @param {string} colour
 */
function drawRings(context, places, radius, width, colour) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  for (const [x, y] of places) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }
}
