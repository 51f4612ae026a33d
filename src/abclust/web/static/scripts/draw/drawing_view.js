/** The view for drawing: a pad, the drawings so far, and an answer that follows each of them. */

import { showAnswer } from "../answer/answer_view.js";
import { constraintsOf } from "../answer/corrections.js";
import { announce } from "../page/announcements.js";
import { element } from "../page/elements.js";
import { showProblem } from "../page/problems.js";
import { count } from "../page/wording.js";
import { clusterImages, sendConstraints } from "../server/answers.js";
import { LatestAnswer } from "../server/latest_answer.js";
import { Pad } from "./pad.js";
import { N_CHARACTERS, sampleStrokes } from "./sample_strokes.js";
import { exportStrokes } from "./strokes.js";

/** @typedef {import("../answer/corrections.js").Correction} Correction */
/** @typedef {import("../server/answers.js").Answer} Answer */
/** @typedef {import("./strokes.js").Strokes} Strokes */
/** @typedef {{blob: Blob, address: string, name: string}} Drawing */

const MOST_DRAWINGS = 60;

/**
 * @param {HTMLElement} padPlace
 * @param {HTMLElement} answerPlace
 * @param {HTMLElement} hint shown until there is an answer
 */
export function prepareDrawing(padPlace, answerPlace, hint) {
  padPlace.append(...new DrawingView(answerPlace, hint).parts);
}

class DrawingView {
  /**
   * @param {HTMLElement} answerPlace
   * @param {HTMLElement} hint
   */
  constructor(answerPlace, hint) {
    this.answerPlace = answerPlace;
    this.hint = hint;
    this.pad = new Pad();
    /** @type {Drawing[]} */
    this.drawings = [];
    this.nMade = 0;
    /** @type {ReturnType<typeof showAnswer> | null} */
    this.shown = null;
    this.latest = new LatestAnswer();
    const enter = element("kbd", { "aria-hidden": "true" }, "↵");
    this.add = button("button strong", () => this.addFromPad(), "Add this drawing", enter);
    this.undo = button("button", () => this.pad.undo(), "Undo stroke");
    this.clear = button("button", () => this.pad.clear(), "Clear");
    this.samples = button("quiet", () => this.addSamples(), "Draw a few for me");
    this.restart = button("quiet", () => this.replace([]), "Start over");
    this.tray = element("ul", { class: "tray", "aria-label": "Your drawings" });
    this.pad.addEventListener("change", () => this.showButtons());
    this.pad.canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") this.addFromPad();
    });
    this.showButtons();
  }

  get parts() {
    return [
      this.pad.canvas,
      element("div", { class: "pad-tools" }, this.add, this.undo, this.clear),
      this.tray,
      element("div", { class: "row" }, this.samples, this.restart),
    ];
  }

  async addFromPad() {
    if (this.add.disabled) return;
    const { strokes } = this.pad;
    this.pad.clear();
    this.pad.canvas.focus({ preventScroll: true });
    const made = await this.#drawing(strokes);
    await this.replace([...this.drawings, made]);
  }

  /** One more of each sample, by another hand than before. */
  async addSamples() {
    const characters = Array.from({ length: N_CHARACTERS }, (_, character) => character);
    const made = await Promise.all(
      characters.map((character) => this.#drawing(sampleStrokes(character, this.nMade))),
    );
    await this.replace([...this.drawings, ...made].slice(0, MOST_DRAWINGS));
  }

  /**
   * Show other drawings and ask for their clusters.
   *
   * @param {Drawing[]} drawings
   */
  async replace(drawings) {
    const isLonger = this.drawings.every((each, place) => drawings[place] === each);
    this.drawings = drawings;
    this.#showTray();
    this.showButtons();
    if (drawings.length < 2) return this.#showNothing();
    // Corrections speak of item numbers: they stay true while drawings are only added.
    const said = isLonger ? (this.shown?.correcting.list ?? []) : [];
    try {
      const answer = await this.latest.ask((signal) => clusterDrawings(drawings, said, signal));
      if (answer) this.#showAnswer(answer, drawings, isLonger);
    } catch (error) {
      showProblem(error);
    }
  }

  showButtons() {
    const { isEmpty } = this.pad;
    this.add.disabled = isEmpty || this.drawings.length >= MOST_DRAWINGS;
    this.undo.disabled = isEmpty;
    this.clear.disabled = isEmpty;
    this.restart.hidden = this.drawings.length === 0;
  }

  /**
   * @param {Strokes} strokes
   * @returns {Promise<Drawing>}
   */
  async #drawing(strokes) {
    this.nMade += 1;
    const name = `drawing-${this.nMade}.png`;
    return { ...(await exportStrokes(strokes)), name };
  }

  #showTray() {
    const items = this.drawings.map((drawing) => {
      const remove = button("", () => this.replace(this.drawings.filter((each) => each !== drawing)), "✕");
      remove.setAttribute("aria-label", `Remove ${drawing.name}`);
      return element("li", {}, element("img", { src: drawing.address, alt: drawing.name }), remove);
    });
    this.tray.replaceChildren(...items);
  }

  #showNothing() {
    this.latest.forget();
    this.shown = null;
    this.answerPlace.hidden = true;
    this.hint.hidden = false;
  }

  /**
   * @param {Answer} answer
   * @param {Drawing[]} drawings
   * @param {boolean} isLonger whether what is shown only grows
   */
  #showAnswer(answer, drawings, isLonger) {
    const pictures = drawings.map((each) => each.address);
    this.hint.hidden = true;
    this.answerPlace.hidden = false;
    if (this.shown && isLonger) this.shown.state.renew(answer, pictures);
    else this.shown = showAnswer(this.answerPlace, answer, pictures);
    announce(`${count(drawings.length, "drawing")} in ${count(answer.n_clusters, "cluster")}.`);
  }
}

/**
 * @param {Drawing[]} drawings
 * @param {Correction[]} said
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
async function clusterDrawings(drawings, said, signal) {
  const images = drawings.map((each) => each.blob);
  const names = drawings.map((each) => each.name);
  const answer = await clusterImages(images, names, signal);
  if (!said.length) return answer;
  const corrected = await sendConstraints(answer.id, constraintsOf(said));
  return { ...corrected, kernel: answer.kernel, kernel_omitted: answer.kernel_omitted };
}

/**
 * @param {string} className
 * @param {() => unknown} act
 * @param {...(string | Node)} content
 */
function button(className, act, ...content) {
  return element("button", { type: "button", class: className, onclick: () => void act() }, ...content);
}
