/** Characters of an invented alphabet, for those who would rather watch first. */

/** @typedef {import("./strokes.js").Strokes} Strokes */

/** @type {Strokes[]} */
const CHARACTERS = [
  [
    [
      [0.3, 0.2],
      [0.3, 0.5],
      [0.3, 0.8],
    ],
    [
      [0.3, 0.5],
      [0.5, 0.42],
      [0.68, 0.5],
      [0.7, 0.65],
      [0.68, 0.8],
    ],
  ],
  [
    [
      [0.25, 0.28],
      [0.5, 0.26],
      [0.75, 0.28],
    ],
    [
      [0.7, 0.3],
      [0.5, 0.5],
      [0.28, 0.72],
    ],
    [
      [0.26, 0.74],
      [0.5, 0.72],
      [0.76, 0.74],
    ],
  ],
  [
    [
      [0.5, 0.2],
      [0.3, 0.3],
      [0.26, 0.5],
      [0.34, 0.7],
      [0.52, 0.78],
      [0.7, 0.68],
      [0.74, 0.5],
      [0.68, 0.3],
      [0.5, 0.2],
    ],
    [
      [0.5, 0.42],
      [0.5, 0.58],
    ],
  ],
  [
    [
      [0.5, 0.18],
      [0.5, 0.5],
      [0.5, 0.84],
    ],
    [
      [0.24, 0.36],
      [0.5, 0.34],
      [0.76, 0.36],
    ],
    [
      [0.5, 0.6],
      [0.66, 0.72],
      [0.78, 0.82],
    ],
  ],
];

/** How many characters there are. */
export const N_CHARACTERS = CHARACTERS.length;

/**
 * One character by another hand: turned, stretched and shaken a little.
 *
 * @param {number} character
 * @param {number} seed each seed is another hand
 * @returns {Strokes}
 */
export function sampleStrokes(character, seed) {
  const random = randomNumbers(seed);
  const about = (/** @type {number} */ width) => (random() - 0.5) * width;
  const angle = about(0.3);
  const shear = about(0.25);
  const size = [1 + about(0.3), 1 + about(0.3)];
  const shift = [about(0.06), about(0.06)];
  /** @type {(point: [number, number]) => [number, number]} */
  const move = ([x, y]) => {
    const u = (x - 0.5 + shear * (y - 0.5)) * size[0] + about(0.035);
    const v = (y - 0.5) * size[1] + about(0.035);
    return [
      0.5 + u * Math.cos(angle) - v * Math.sin(angle) + shift[0],
      0.5 + u * Math.sin(angle) + v * Math.cos(angle) + shift[1],
    ];
  };
  return CHARACTERS[character % N_CHARACTERS].map((stroke) => stroke.map(move));
}

/**
 * Numbers in [0, 1) that are the same every time, as screenshots need them: the generator mulberry32.
 *
 * @param {number} seed
 * @returns {() => number}
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
