/** Numbers in words, the same everywhere on the page. */

/**
 * @param {number} number
 * @param {string} noun in the singular
 * @example count(1, "cluster") // "1 cluster"
 * @example count(2, "cluster") // "2 clusters"
 */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * Two decimals.
 *
 * @param {number} number
 */
export function decimal(number) {
  return number.toFixed(2).replace(/^-0\.00$/, "0.00");
}

/**
 * A share as a percentage; what is there but rounds to nothing says so.
 *
 * @param {number} share from 0 to 1
 */
export function percent(share) {
  return share > 0 && share < 0.005 ? "<1 %" : `${Math.round(100 * share)} %`;
}
