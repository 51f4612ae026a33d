/** Things that change place glide there, for those who do not mind motion. */

const LONGEST_LIST = 400;
const MILLISECONDS = 260;

const prefersStillness = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Change the page and let elements glide from where they were to where they are then.
 *
 * First, last, invert, play: the change itself happens at once, only the picture follows.
 *
 * @param {Iterable<Element>} elements those that may move
 * @param {() => void} change
 */
export function glide(elements, change) {
  const moving = [...elements].filter((each) => each.isConnected);
  if (prefersStillness.matches || moving.length > LONGEST_LIST) return change();
  const before = moving.map((each) => each.getBoundingClientRect());
  change();
  moving.forEach((each, place) => {
    const now = each.getBoundingClientRect();
    const x = before[place].left - now.left,
      y = before[place].top - now.top;
    if ((!x && !y) || !now.width || !before[place].width) return;
    each.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
      duration: MILLISECONDS,
      easing: "ease-out",
    });
  });
}
