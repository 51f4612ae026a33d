/** Dragging an item from card to card: with the mouse at once, with a finger after a long press. */

import { element } from "../page/elements.js";
import { itemAt } from "./item_handling.js";

const FAR_ENOUGH = 6; // pixels: less is a click that trembles
const LONG_PRESS = 350; // milliseconds: a shorter touch is the beginning of a scroll
const EDGE = 60; // pixels from the edge of the window where the page begins to scroll along
const SCROLL_STEP = 9;

/**
 * Let items be dropped on cards.
 *
 * @param {HTMLElement} place where items and cards are
 * @param {(item: number, label: number | null) => void} drop `null`: on the place for a new cluster
 */
export function letItemsBeDragged(place, drop) {
  /** @type {Drag | null} */
  let drag = null;
  place.addEventListener("pointerdown", (event) => {
    const item = itemAt(event.target);
    if (item === null || event.button !== 0 || !event.isPrimary) return;
    drag?.end();
    drag = new Drag(place, item, event, drop);
  });
  // A click follows the release of the button: it must not choose what was just dropped.
  place.addEventListener(
    "click",
    (event) => {
      if (drag?.hasMoved) event.stopImmediatePropagation();
      drag = null;
    },
    { capture: true },
  );
}

/** One item on its way. */
class Drag {
  /**
   * @param {HTMLElement} place
   * @param {number} item
   * @param {PointerEvent} event
   * @param {(item: number, label: number | null) => void} drop
   */
  constructor(place, item, event, drop) {
    this.place = place;
    this.item = item;
    this.drop = drop;
    this.tile = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("[data-item]"));
    this.start = { x: event.clientX, y: event.clientY };
    this.hasMoved = false;
    /** @type {HTMLElement | null} */
    this.target = null;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const isTouch = event.pointerType === "touch";
    if (isTouch) {
      this.timer = setTimeout(() => this.lift(this.start.x, this.start.y), LONG_PRESS);
      document.addEventListener(
        "touchmove",
        (touch) => {
          if (this.hasMoved) touch.preventDefault();
        },
        { passive: false, signal },
      );
    }
    document.addEventListener("pointermove", (moved) => this.follow(moved, isTouch), { signal });
    document.addEventListener("pointerup", () => this.release(), { signal });
    document.addEventListener("pointercancel", () => this.end(), { signal });
    document.addEventListener(
      "keydown",
      (key) => {
        if (key.key === "Escape") this.end();
      },
      { signal },
    );
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  lift(x, y) {
    this.hasMoved = true;
    this.ghost = element(
      "div",
      { class: "ghost", "aria-hidden": "true" },
      ...[...this.tile.childNodes].map((each) => each.cloneNode(true)),
    );
    this.ghost.classList.toggle("named", this.tile.classList.contains("named"));
    document.body.append(this.ghost);
    this.tile.classList.add("lifted");
    this.place.classList.add("dragging");
    this.moveGhost(x, y);
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} isTouch
   */
  follow(event, isTouch) {
    const { clientX: x, clientY: y } = event;
    if (!this.hasMoved) {
      if (Math.hypot(x - this.start.x, y - this.start.y) < FAR_ENOUGH) return;
      if (isTouch) return this.end();
      this.lift(x, y);
    }
    this.moveGhost(x, y);
    this.scrollAlong(y < EDGE ? -SCROLL_STEP : y > innerHeight - EDGE ? SCROLL_STEP : 0);
    const under = document.elementFromPoint(x, y)?.closest("[data-label]");
    const target = under && this.place.contains(under) ? /** @type {HTMLElement} */ (under) : null;
    if (target === this.target) return;
    this.target?.classList.remove("target");
    this.target = target;
    if (target && !target.contains(this.tile)) target.classList.add("target");
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  moveGhost(x, y) {
    if (this.ghost)
      this.ghost.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%) scale(1.08)`;
  }

  /** @param {number} step pixels a frame while the item is held at an edge of the window */
  scrollAlong(step) {
    cancelAnimationFrame(this.frame ?? 0);
    if (!step) return;
    scrollBy(0, step);
    this.frame = requestAnimationFrame(() => this.scrollAlong(step));
  }

  release() {
    const { target, hasMoved } = this;
    this.end();
    if (!hasMoved || !target || target.contains(this.tile)) return;
    const label = target.dataset.label;
    this.drop(this.item, label === "new" ? null : Number(label));
  }

  end() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame ?? 0);
    this.listeners.abort();
    this.ghost?.remove();
    this.tile.classList.remove("lifted");
    this.target?.classList.remove("target");
    this.place.classList.remove("dragging");
  }
}
