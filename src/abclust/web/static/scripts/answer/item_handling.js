/** Pointing, choosing and walking from item to item in the cards, by mouse, touch and keyboard. */

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */

/**
 * The item that an event or an element is about.
 *
 * @param {any} target
 * @returns {number | null}
 */
export function itemAt(target) {
  const tile = target instanceof Element ? /** @type {any} */ (target.closest("[data-item]")) : null;
  return tile ? Number(tile.dataset.item) : null;
}

/**
 * @param {HTMLElement} place where the items are
 * @param {AnswerState} state
 */
export function handleItems(place, state) {
  const point = (/** @type {Event} */ event) => {
    const item = itemAt(event.target);
    state.pointAt(item === null ? [] : [item]);
  };
  place.addEventListener("pointerover", point);
  place.addEventListener("pointerleave", () => state.pointAt([]));
  place.addEventListener("focusin", point);
  place.addEventListener("focusout", () => state.pointAt([]));
  place.addEventListener("click", (event) => {
    const item = itemAt(event.target);
    if (item !== null) state.toggle(item);
  });
  place.addEventListener("keydown", (event) => {
    const here = /** @type {any} */ (event.target).closest?.(".item");
    const next = here && neighbour(place, here, event.key);
    if (!next) return;
    event.preventDefault();
    here.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

/**
 * @param {HTMLElement} place
 * @param {HTMLElement} here
 * @param {string} key
 * @returns {any} the item that an arrow key leads to
 */
function neighbour(place, here, key) {
  /** @type {any[]} */
  const tiles = [...place.querySelectorAll(".item")];
  const at = tiles.indexOf(here);
  switch (key) {
    case "ArrowRight":
      return tiles[at + 1];
    case "ArrowLeft":
      return tiles[at - 1];
    case "Home":
      return tiles[0];
    case "End":
      return tiles.at(-1);
    case "ArrowDown":
      return nearestInRow(tiles, here, 1);
    case "ArrowUp":
      return nearestInRow(tiles, here, -1);
    default:
      return undefined;
  }
}

/**
 * The tile of the next row, below or above, that is nearest to straight on.
 *
 * @param {HTMLElement[]} tiles
 * @param {HTMLElement} here
 * @param {1 | -1} direction
 */
function nearestInRow(tiles, here, direction) {
  const from = here.getBoundingClientRect();
  let best,
    bestDistance = Infinity;
  for (const tile of tiles) {
    const box = tile.getBoundingClientRect();
    const down = direction * (box.top - from.top);
    if (down < from.height / 2) continue;
    const distance = 4 * down + Math.abs(box.left - from.left);
    if (distance < bestDistance) [best, bestDistance] = [tile, distance];
  }
  return best;
}
