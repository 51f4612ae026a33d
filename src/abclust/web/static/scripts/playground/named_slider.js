/** A slider with its name and its value. */

import { element } from "../page/elements.js";

export class NamedSlider {
  /**
   * @param {string} name
   * @param {[number, number]} range
   * @param {number} step
   * @param {(value: number) => void} whenMoved
   */
  constructor(name, [min, max], step, whenMoved) {
    this.decimals = step >= 1 ? 0 : step < 0.01 ? 3 : 2;
    this.input = element("input", { type: "range", min, max, step });
    this.shown = element("output");
    this.label = element("label", { class: "slider" }, element("span", {}, name), this.input, this.shown);
    this.input.addEventListener("input", () => {
      this.show(this.value);
      whenMoved(this.value);
    });
  }

  /** @returns {number} */
  get value() {
    return this.input.valueAsNumber;
  }

  /** @param {number} value */
  show(value) {
    this.input.value = value;
    this.shown.textContent = this.value.toFixed(this.decimals);
  }
}
