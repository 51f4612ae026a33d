/** A pad to draw on: with the mouse, a finger, a pen, or the arrow keys. */

import { element } from "../page/elements.js";
import { drawStrokes } from "./strokes.js";

/** @typedef {import("./strokes.js").Point} Point */
/** @typedef {import("./strokes.js").Strokes} Strokes */

const KEY_STEP = 0.04;
const NEAREST = 0.008; // points closer than this to the last one only shake the line

/** Event: `change`, when there is more or less on the pad. */
export class Pad extends EventTarget {
  constructor() {
    super();
    /** @type {Strokes} */
    this.strokes = [];
    this.canvas = element("canvas", {
      class: "pad",
      tabindex: "0",
      role: "application",
      "aria-label":
        "Drawing pad. Draw with the mouse or a finger; or move with the arrow keys, space puts the pen down and lifts it, Enter adds the drawing.",
    });
    /** @type {Point} the pen of the keyboard */
    this.pen = [0.5, 0.5];
    this.isPenDown = false;
    this.isKeyboard = false;
    this.#listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  get isEmpty() {
    return this.strokes.length === 0;
  }

  clear() {
    this.#set([]);
  }

  /** Take the last stroke back. */
  undo() {
    this.#set(this.strokes.slice(0, -1));
  }

  draw() {
    const side = Math.round(this.canvas.clientWidth * (devicePixelRatio || 1));
    if (!side) return;
    this.canvas.width = this.canvas.height = side;
    const context = this.canvas.getContext("2d");
    drawStrokes(context, this.strokes, side);
    if (!this.isKeyboard) return;
    context.beginPath();
    context.arc(this.pen[0], this.pen[1], 0.025, 0, 2 * Math.PI);
    context.lineWidth = 0.008;
    context.strokeStyle = "#0072b2";
    context.fillStyle = "rgb(0 114 178 / 0.35)";
    if (this.isPenDown) context.fill();
    context.stroke();
  }

  /** @param {Strokes} strokes */
  #set(strokes) {
    this.strokes = strokes;
    this.isPenDown = false;
    this.draw();
    this.dispatchEvent(new Event("change"));
  }

  /** @param {Point} point */
  #extend(point) {
    const stroke = this.strokes.at(-1),
      last = stroke?.at(-1);
    if (!stroke || (last && Math.hypot(point[0] - last[0], point[1] - last[1]) < NEAREST)) return;
    stroke.push(point);
    this.draw();
  }

  #listen() {
    const { canvas } = this;
    /** @type {number | null} */
    let drawing = null;
    const placeOf = (/** @type {PointerEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      return /** @type {Point} */ ([
        (event.clientX - box.left) / box.width,
        (event.clientY - box.top) / box.height,
      ]);
    };
    canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      if (drawing !== null || event.button !== 0) return;
      drawing = event.pointerId;
      canvas.setPointerCapture(event.pointerId);
      this.isKeyboard = false;
      this.#set([...this.strokes, [placeOf(event)]]);
    });
    canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== drawing) return;
      // A quick hand moves on between two frames: the browser keeps the places it passed.
      const passed = event.getCoalescedEvents?.() ?? [];
      for (const each of passed.length ? passed : [event]) this.#extend(placeOf(each));
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, () => {
        drawing = null;
      });
    canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#answerToKey(event));
    canvas.addEventListener("blur", () => {
      this.isKeyboard = false;
      this.draw();
    });
  }

  /** @param {KeyboardEvent} event */
  #answerToKey(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      const moved = this.pen.map((place, axis) =>
        Math.min(0.96, Math.max(0.04, place + KEY_STEP * step[axis])),
      );
      this.pen = /** @type {Point} */ (moved);
      if (this.isPenDown) this.#extend(this.pen);
    } else if (event.key === " ") {
      const isDown = !this.isPenDown;
      if (isDown) this.#set([...this.strokes, [this.pen]]);
      this.isPenDown = isDown;
    } else return;
    event.preventDefault();
    this.isKeyboard = true;
    this.draw();
  }
}
