/** Circles to take hold of: move, resize, add and remove them by mouse, touch and keyboard. */

import { colourClass } from "../answer/cluster_looks.js";
import { pictureElement } from "../page/elements.js";
import { allowed, circleAt, HALF_SIDE, MOST_CIRCLES } from "./circle_sets.js";

/** @typedef {import("./circle_sets.js").Circle} Circle */

const STEP = 0.02,
  LARGE_STEP = 0.1;

/** Events: `change` (the circles), `choose` (which one is chosen). */
export class CircleEditor extends EventTarget {
  /** @param {Circle[]} circles */
  constructor(circles) {
    super();
    this.circles = circles;
    this.chosen = 0;
    this.marks = pictureElement("g", { class: "editor-points" });
    this.handles = pictureElement("g");
    /** The dot that resizes the chosen circle: above all circles, so that none of them hides it. */
    this.sizer = pictureElement("circle", { class: "size", r: 0.045 });
    this.picture = pictureElement(
      "svg",
      {
        class: "circle-editor",
        viewBox: `${-HALF_SIDE} ${-HALF_SIDE} ${2 * HALF_SIDE} ${2 * HALF_SIDE}`,
        role: "group",
        "aria-label":
          "Circles. Tab goes from one to the next; arrow keys move, plus and minus resize, Delete removes, A adds.",
      },
      ...[this.marks, this.handles, this.sizer],
    );
    this.picture.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => {
      const place = this.#placeOf(event);
      if (circleAt(this.circles, ...place) === null) this.add(...place);
    });
    this.picture.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.#grab(event));
    this.picture.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
      this.#answerToKey(event),
    );
    this.picture.addEventListener("focusin", (/** @type {Event} */ event) => {
      const at = this.#numberAt(event.target);
      if (at !== null) this.choose(at);
    });
    this.show();
  }

  /** @param {Circle[]} circles */
  replace(circles) {
    this.circles = circles.map(allowed);
    this.chosen = Math.min(this.chosen, this.circles.length - 1);
    this.show();
    this.dispatchEvent(new Event("change"));
  }

  /**
   * @param {number} [x]
   * @param {number} [y]
   */
  add(x = 0, y = 0) {
    if (this.circles.length >= MOST_CIRCLES) return;
    this.chosen = this.circles.length;
    this.replace([...this.circles, { x, y, radius: 0.25, points: 24 }]);
    this.focus();
  }

  remove(number = this.chosen) {
    if (this.circles.length <= 1) return;
    this.chosen = Math.max(0, number - 1);
    this.replace(this.circles.filter((_, place) => place !== number));
    this.focus();
  }

  /**
   * @param {Partial<Circle>} change
   * @param {number} [number]
   */
  alter(change, number = this.chosen) {
    this.replace(this.circles.map((circle, place) => (place === number ? { ...circle, ...change } : circle)));
  }

  /** @param {number} number */
  choose(number) {
    if (number === this.chosen) return;
    this.chosen = number;
    this.show();
    this.dispatchEvent(new Event("choose"));
  }

  focus() {
    this.handles.children[this.chosen]?.focus({ preventScroll: true });
  }

  /**
   * The points that the circles carry, as the server drew them.
   *
   * @param {[number, number][]} points
   * @param {number[]} truth
   */
  showPoints(points, truth) {
    this.marks.replaceChildren(
      ...points.map(([x, y], place) =>
        pictureElement("circle", { class: colourClass(truth[place]), cx: x, cy: -y, r: 0.016 }),
      ),
    );
  }

  /** Bring the picture up to date, keeping each handle: it may have the focus, or be held. */
  show() {
    while (this.handles.children.length > this.circles.length) this.handles.lastChild.remove();
    while (this.handles.children.length < this.circles.length) this.handles.append(newHandle());
    this.circles.forEach(({ x, y, radius, points }, number) => {
      const handle = this.handles.children[number];
      handle.setAttribute("class", `circle ${colourClass(number)}${number === this.chosen ? " chosen" : ""}`);
      handle.setAttribute("data-number", number);
      handle.setAttribute(
        "aria-label",
        `Circle ${number + 1} of ${this.circles.length} at ${x.toFixed(2)}, ${y.toFixed(2)}, radius ${radius.toFixed(2)}, ${points} points`,
      );
      handle.setAttribute("transform", `translate(${x} ${-y})`);
      for (const ring of handle.querySelectorAll(".disc, .rim")) ring.setAttribute("r", radius);
    });
    const { x, y, radius } = this.circles[this.chosen];
    this.sizer.setAttribute("class", `size ${colourClass(this.chosen)}`);
    this.sizer.setAttribute("cx", x + radius);
    this.sizer.setAttribute("cy", -y);
  }

  /** @param {any} target */
  #numberAt(target) {
    const handle = target instanceof Element ? /** @type {any} */ (target.closest("g.circle")) : null;
    return handle ? Number(handle.dataset.number) : null;
  }

  /**
   * @param {MouseEvent} event
   * @returns {[number, number]}
   */
  #placeOf(event) {
    const box = this.picture.getBoundingClientRect();
    return [
      ((event.clientX - box.left) / box.width - 0.5) * 2 * HALF_SIDE,
      -((event.clientY - box.top) / box.height - 0.5) * 2 * HALF_SIDE,
    ];
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    const isResize = event.target === this.sizer;
    const start = this.#placeOf(event);
    const number = isResize ? this.chosen : circleAt(this.circles, ...start);
    if (number === null || event.button !== 0) return;
    event.preventDefault();
    this.choose(number);
    this.focus();
    const circle = this.circles[number];
    const listeners = new AbortController();
    const follow = (/** @type {PointerEvent} */ moved) => {
      if (moved.pointerId !== event.pointerId) return;
      const [x, y] = this.#placeOf(moved);
      if (isResize) this.alter({ radius: Math.hypot(x - circle.x, y - circle.y) }, number);
      else this.alter({ x: circle.x + x - start[0], y: circle.y + y - start[1] }, number);
    };
    document.addEventListener("pointermove", follow, { signal: listeners.signal });
    for (const name of ["pointerup", "pointercancel"])
      document.addEventListener(name, () => listeners.abort(), { signal: listeners.signal });
  }

  /** @param {KeyboardEvent} event */
  #answerToKey(event) {
    const number = this.#numberAt(event.target);
    if (number === null || event.ctrlKey || event.metaKey || event.altKey) return;
    this.choose(number);
    const circle = this.circles[number];
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const act = {
      ArrowLeft: () => this.alter({ x: circle.x - step }),
      ArrowRight: () => this.alter({ x: circle.x + step }),
      ArrowUp: () => this.alter({ y: circle.y + step }),
      ArrowDown: () => this.alter({ y: circle.y - step }),
      "+": () => this.alter({ radius: circle.radius + STEP }),
      "=": () => this.alter({ radius: circle.radius + STEP }),
      "-": () => this.alter({ radius: circle.radius - STEP }),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      a: () => this.add(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

function newHandle() {
  return pictureElement(
    "g",
    { tabindex: "0", role: "button" },
    pictureElement("circle", { class: "disc" }),
    pictureElement("circle", { class: "rim" }),
  );
}
