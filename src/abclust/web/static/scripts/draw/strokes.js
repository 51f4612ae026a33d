/** A drawing as strokes: lists of points in a square of side 1. */

/** @typedef {[number, number]} Point */
/** @typedef {Point[][]} Strokes */

const INK = "#16191d",
  PAPER = "#ffffff";
const PEN = 0.035; // of the side: about what the handwriting that the network learnt from has
const EXPORTED_SIDE = 105; // pixels, as the images of Omniglot

/**
 * Draw strokes over the whole canvas, smoothly: the corners of the path become the control points of curves.
 *
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context
 * @param {Strokes} strokes
 * @param {number} side in pixels
 */
export function drawStrokes(context, strokes, side) {
  context.setTransform(side, 0, 0, side, 0, 0);
  context.lineWidth = PEN;
  context.lineCap = context.lineJoin = "round";
  context.strokeStyle = INK;
  for (const stroke of strokes) {
    if (!stroke.length) continue;
    context.beginPath();
    context.moveTo(...stroke[0]);
    for (let place = 1; place < stroke.length - 1; place += 1) {
      const [here, next] = [stroke[place], stroke[place + 1]];
      context.quadraticCurveTo(here[0], here[1], (here[0] + next[0]) / 2, (here[1] + next[1]) / 2);
    }
    context.lineTo(.../** @type {Point} */ (stroke.at(-1))); // a stroke of one point is a dot
    context.stroke();
  }
}

/**
 * The drawing as a picture: to send, and to show.
 *
 * @param {Strokes} strokes
 * @returns {Promise<{blob: Blob, address: string}>} the address is a data URL
 */
export async function exportStrokes(strokes) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = EXPORTED_SIDE;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = PAPER;
  context.fillRect(0, 0, EXPORTED_SIDE, EXPORTED_SIDE);
  drawStrokes(context, strokes, EXPORTED_SIDE);
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("This browser cannot turn a drawing into a picture.");
  return { blob, address: canvas.toDataURL("image/png") };
}
