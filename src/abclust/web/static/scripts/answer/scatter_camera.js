/** Which part of a plane a picture shows: zoom about a point, pan, and back to all. */

const MARGIN = 26;
const CLOSEST = 60;

export class ScatterCamera {
  /** @param {[number, number][]} positions */
  constructor(positions) {
    const spans = [0, 1].map((axis) => {
      const values = positions.map((each) => each[axis]);
      return [Math.min(...values), Math.max(...values)];
    });
    this.middle = spans.map(([low, high]) => (low + high) / 2);
    this.extent = spans.map(([low, high]) => Math.max(high - low, 1e-9));
    this.size = [1, 1];
    this.zoom = 1;
    this.shift = [0, 0];
  }

  /** Everything, as large as it fits, both axes alike. */
  reset() {
    this.zoom = 1;
    this.shift = [0, 0];
  }

  /** Pixels for one unit of the data. */
  get scale() {
    const fits = this.size.map((side, axis) => (side - 2 * MARGIN) / this.extent[axis]);
    return this.zoom * Math.min(...fits);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {[number, number]} pixels from the upper left corner; y points up in the data
   */
  toScreen(x, y) {
    const { scale, size, middle, shift } = this;
    return [
      size[0] / 2 + (x - middle[0]) * scale + shift[0],
      size[1] / 2 - (y - middle[1]) * scale + shift[1],
    ];
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {[number, number]}
   */
  toData(x, y) {
    const { scale, size, middle, shift } = this;
    return [
      middle[0] + (x - size[0] / 2 - shift[0]) / scale,
      middle[1] - (y - size[1] / 2 - shift[1]) / scale,
    ];
  }

  /**
   * Zoom so that the point under the pixel stays under it.
   *
   * @param {number} factor
   * @param {number} x
   * @param {number} y
   */
  zoomAbout(factor, x = this.size[0] / 2, y = this.size[1] / 2) {
    const zoom = Math.min(CLOSEST, Math.max(1, this.zoom * factor)),
      ratio = zoom / this.zoom;
    const from = [x - this.size[0] / 2, y - this.size[1] / 2];
    this.shift = this.shift.map((each, axis) => from[axis] - (from[axis] - each) * ratio);
    this.zoom = zoom;
    this.#hold();
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  pan(x, y) {
    this.shift = [this.shift[0] + x, this.shift[1] + y];
    this.#hold();
  }

  /** Nobody can lose the data: its middle stays within reach, and at no zoom everything is in place. */
  #hold() {
    const reach = this.size.map((side) => (this.zoom === 1 ? 0 : (side * this.zoom) / 2));
    this.shift = this.shift.map((each, axis) => Math.min(reach[axis], Math.max(-reach[axis], each)));
  }
}
