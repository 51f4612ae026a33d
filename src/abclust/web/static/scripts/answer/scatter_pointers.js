/** Mouse and fingers on a plane of points: point, choose, pan, pinch, zoom. */

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */
/** @typedef {import("./scatter_camera.js").ScatterCamera} ScatterCamera */

const NEAR = 14; // pixels within which a point is meant

/**
 * @param {HTMLCanvasElement} canvas
 * @param {AnswerState} state
 * @param {ScatterCamera} camera
 * @param {[number, number][]} positions
 * @param {() => void} draw
 */
export function followPointers(canvas, state, camera, positions, draw) {
  /** @type {Map<number, [number, number]>} fingers or buttons that are down, where they were last */
  const down = new Map();
  let hasMoved = false;
  const placeOf = (/** @type {MouseEvent} */ event) =>
    /** @type {[number, number]} */ ([event.offsetX, event.offsetY]);
  const spread = () => {
    const [first, second] = [...down.values()];
    return Math.hypot(first[0] - second[0], first[1] - second[1]);
  };
  canvas.addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, placeOf(event));
    canvas.setPointerCapture(event.pointerId);
    hasMoved = down.size > 1;
  });
  canvas.addEventListener("pointermove", (event) => {
    const here = placeOf(event),
      last = down.get(event.pointerId);
    if (!last) {
      const item = nearestItem(camera, positions, here);
      canvas.classList.toggle("on-item", item !== null);
      state.pointAt(item === null ? [] : [item]);
      return;
    }
    const before = down.size === 2 ? spread() : 0;
    if (!hasMoved && Math.hypot(here[0] - last[0], here[1] - last[1]) < 4) return;
    hasMoved = true;
    down.set(event.pointerId, here);
    if (down.size === 1) camera.pan(here[0] - last[0], here[1] - last[1]);
    else if (before) camera.zoomAbout(spread() / before, ...middleOf([...down.values()]));
    draw();
  });
  const lift = (/** @type {PointerEvent} */ event) => {
    if (!down.delete(event.pointerId) || hasMoved || event.type !== "pointerup") return;
    const item = nearestItem(camera, positions, placeOf(event));
    if (item !== null) state.toggle(item);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => state.pointAt([]));
  canvas.addEventListener(
    "wheel",
    (event) => {
      // Without the key the page scrolls, as everywhere; touchpads send it with a pinch by themselves.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      camera.zoomAbout(Math.exp(-event.deltaY / 300), ...placeOf(event));
      draw();
    },
    { passive: false },
  );
}

/**
 * @param {ScatterCamera} camera
 * @param {[number, number][]} positions
 * @param {[number, number]} here
 */
function nearestItem(camera, positions, here) {
  let best = null,
    bestDistance = NEAR;
  positions.forEach((position, item) => {
    const [x, y] = camera.toScreen(...position);
    const distance = Math.hypot(x - here[0], y - here[1]);
    if (distance < bestDistance) [best, bestDistance] = [item, distance];
  });
  return best;
}

/**
 * @param {[number, number][]} places
 * @returns {[number, number]}
 */
function middleOf(places) {
  return [(places[0][0] + places[1][0]) / 2, (places[0][1] + places[1][1]) / 2];
}
