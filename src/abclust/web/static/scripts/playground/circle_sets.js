/** Circles in the plane: what the network was trained on, and where they may go. */

/** @typedef {{x: number, y: number, radius: number, points: number}} Circle */

/** The network learnt from centres in a disc of radius .5 and radii from .2 to .4; a little beyond is allowed. */
export const REACH = 0.52,
  RADII = /** @type {[number, number]} */ ([0.15, 0.42]),
  HALF_SIDE = 0.96;
export const MOST_CIRCLES = 8,
  MOST_POINTS = 400,
  POINTS = /** @type {[number, number]} */ ([5, 60]);

const ON_LINE = 0.03;

/** @type {Record<string, {name: string, circles: Circle[]}>} */
export const PRESETS = {
  four: {
    name: "Four that overlap",
    circles: [
      { x: -0.3, y: 0.22, radius: 0.36, points: 30 },
      { x: 0.26, y: 0.3, radius: 0.3, points: 26 },
      { x: 0.34, y: -0.26, radius: 0.38, points: 30 },
      { x: -0.24, y: -0.3, radius: 0.28, points: 24 },
    ],
  },
  rings: {
    name: "A ring in a ring",
    circles: [
      { x: 0, y: 0, radius: 0.4, points: 36 },
      { x: 0.03, y: 0.02, radius: 0.2, points: 20 },
    ],
  },
  rows: {
    name: "Five in two rows",
    circles: [
      { x: -0.5, y: 0.12, radius: 0.26, points: 24 },
      { x: 0, y: 0.12, radius: 0.26, points: 24 },
      { x: 0.5, y: 0.12, radius: 0.26, points: 24 },
      { x: -0.25, y: -0.14, radius: 0.26, points: 24 },
      { x: 0.25, y: -0.14, radius: 0.26, points: 24 },
    ],
  },
  chain: {
    name: "A chain",
    circles: [
      { x: -0.5, y: -0.2, radius: 0.26, points: 22 },
      { x: -0.18, y: 0.1, radius: 0.26, points: 22 },
      { x: 0.18, y: -0.12, radius: 0.26, points: 22 },
      { x: 0.5, y: 0.16, radius: 0.26, points: 22 },
    ],
  },
};

/**
 * @param {number} value
 * @param {[number, number]} range
 */
export function within(value, [low, high]) {
  return Math.min(high, Math.max(low, value));
}

/**
 * A circle brought into its range.
 *
 * @param {Circle} circle
 * @returns {Circle}
 */
export function allowed(circle) {
  return {
    x: round(within(circle.x, [-REACH, REACH])),
    y: round(within(circle.y, [-REACH, REACH])),
    radius: round(within(circle.radius, RADII)),
    points: Math.round(within(circle.points, POINTS)),
  };
}

/**
 * The circles with as many points as the server takes in all.
 *
 * @param {Circle[]} circles
 * @returns {Circle[]}
 */
export function withinBudget(circles) {
  const total = circles.reduce((sum, each) => sum + each.points, 0);
  const share = Math.min(1, MOST_POINTS / total);
  return circles.map((each) => ({ ...each, points: Math.max(1, Math.floor(each.points * share)) }));
}

/**
 * The circle that a place means: the one whose line is there, else the smallest that the place lies in.
 *
 * @param {Circle[]} circles
 * @param {number} x
 * @param {number} y
 * @returns {number | null}
 */
export function circleAt(circles, x, y) {
  let best = null;
  let bestMiss = Infinity;
  circles.forEach((circle, number) => {
    const distance = Math.hypot(x - circle.x, y - circle.y);
    const fromLine = Math.abs(distance - circle.radius);
    if (distance > circle.radius && fromLine > ON_LINE) return;
    const miss = fromLine <= ON_LINE ? fromLine : 1 + circle.radius; // any line before any inside
    if (miss < bestMiss) [best, bestMiss] = [number, miss];
  });
  return best;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}
