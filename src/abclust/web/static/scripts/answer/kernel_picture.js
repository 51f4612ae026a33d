/** Painting a kernel: one pixel a pair, the more probable the darker, or in the dark the brighter. */

import { colourOf } from "../page/theme.js";

/** @typedef {import("./kernel.js").Kernel} Kernel */

const STOPS = ["--heat-0", "--heat-1", "--heat-2", "--heat-3", "--heat-4"];

/**
 * @param {any} canvas
 * @param {Kernel} kernel
 * @param {Int32Array} order of rows and columns
 */
export function paintKernel(canvas, kernel, order) {
  const n = order.length;
  const shades = palette();
  canvas.width = n;
  canvas.height = n;
  // The picture is made of bytes: there is nothing in it for a graphics card.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const image = context.createImageData(n, n);
  const pixels = new Uint32Array(image.data.buffer);
  for (let row = 0; row < n; row += 1) {
    const start = order[row] * n;
    for (let column = 0; column < n; column += 1) {
      pixels[row * n + column] = shades[kernel.bytes[start + order[column]]];
    }
  }
  context.putImageData(image, 0, 0);
}

/** 256 shades between the stops of the style sheet, as the four bytes of a pixel. By hand: a canvas dithers. */
function palette() {
  const stops = STOPS.map((stop) => (colourOf(stop).match(/[\d.]+/g) ?? []).slice(0, 3).map(Number));
  const shades = new Uint8ClampedArray(4 * 256).fill(255);
  for (let level = 0; level < 256; level += 1) {
    const place = (level / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    const share = place - below;
    for (let channel = 0; channel < 3; channel += 1) {
      shades[4 * level + channel] = (1 - share) * stops[below][channel] + share * stops[below + 1][channel];
    }
  }
  return new Uint32Array(shades.buffer);
}
