/** The circles playground: an editor and three systems side by side, live. */

import { announce } from "../page/announcements.js";
import { element } from "../page/elements.js";
import { showProblem } from "../page/problems.js";
import { count, decimal } from "../page/wording.js";
import { LatestAnswer } from "../server/latest_answer.js";
import { postJson } from "../server/requests.js";
import { CircleEditor } from "./circle_editor.js";
import { MOST_CIRCLES, POINTS, PRESETS, RADII, withinBudget } from "./circle_sets.js";
import { NamedSlider } from "./named_slider.js";
import { showSystems } from "./system_panels.js";

/** @typedef {import("./system_panels.js").CircleAnswer} CircleAnswer */

const PAUSE = 120; // milliseconds without a change before the server is asked
const MOST_NOISE = 0.04;
const HELP =
  "Drag a circle to move it, its dot to resize it; double-click adds one. By keyboard: arrows move, " +
  "+ and − resize, A adds, Delete removes. Crosses: points that are not with their circle.";

/**
 * @param {HTMLElement} place
 * @returns {Playground}
 */
export function preparePlayground(place) {
  const playground = new Playground();
  place.append(playground.view);
  return playground;
}

class Playground {
  constructor() {
    this.editor = new CircleEditor(PRESETS.four.circles);
    this.latest = new LatestAnswer(PAUSE);
    this.seed = 0;
    this.isAwake = false;
    this.systems = element("div", { class: "systems", "aria-label": "Three systems", role: "group" });
    this.title = element("h3");
    this.noise = new NamedSlider("Noise", [0, MOST_NOISE], 0.002, () => this.ask());
    this.radius = new NamedSlider("Radius", RADII, 0.01, (radius) => this.editor.alter({ radius }));
    this.points = new NamedSlider("Points", POINTS, 1, (points) => this.editor.alter({ points }));
    this.add = smallButton("Add a circle", () => this.editor.add(nearMiddle(), nearMiddle()));
    this.remove = smallButton("Remove it", () => this.editor.remove());
    this.redraw = smallButton("Other points", () => {
      this.seed += 1;
      this.ask();
    });
    this.editor.addEventListener("choose", () => this.showControls());
    this.editor.addEventListener("change", () => {
      this.showControls();
      this.ask();
    });
    this.noise.show(0);
    this.showControls();
  }

  get view() {
    const row = (/** @type {HTMLElement[]} */ ...buttons) => element("div", { class: "row" }, ...buttons);
    const presets = Object.values(PRESETS).map(({ name, circles }) =>
      smallButton(name, () => this.editor.replace(circles)),
    );
    return element(
      "div",
      { class: "playground" },
      element("div", { class: "editor-frame" }, this.editor.picture, row(this.add, this.remove)),
      this.systems,
      element(
        "div",
        { class: "controls" },
        element("div", {}, this.title, this.radius.label, this.points.label),
        element("div", {}, element("h3", {}, "All circles"), this.noise.label, row(this.redraw)),
        element("div", {}, element("h3", {}, "Begin with"), row(...presets)),
      ),
      element("p", { class: "note" }, HELP),
    );
  }

  /** Called when the view is shown: before that nobody is asked. */
  wake() {
    if (this.isAwake) return;
    this.isAwake = true;
    this.ask();
  }

  showControls() {
    const { circles, chosen } = this.editor;
    this.title.textContent = `Circle ${chosen + 1} of ${circles.length}`;
    this.radius.show(circles[chosen].radius);
    this.points.show(circles[chosen].points);
    this.add.disabled = circles.length >= MOST_CIRCLES;
    this.remove.disabled = circles.length <= 1;
  }

  async ask() {
    if (!this.isAwake) return;
    this.systems.setAttribute("aria-busy", "true");
    const question = { circles: withinBudget(this.editor.circles), noise: this.noise.value, seed: this.seed };
    try {
      const answer = await this.latest.ask((signal) => postJson("api/circles", question, signal));
      if (!answer) return; // a later question is under way
      this.#show(answer);
    } catch (error) {
      showProblem(error);
    }
    this.systems.setAttribute("aria-busy", "false");
  }

  /** @param {CircleAnswer} answer */
  #show(answer) {
    this.editor.showPoints(answer.points, answer.truth);
    showSystems(this.systems, answer);
    const inWords = answer.systems.map(
      ({ name, n_clusters: n, ari }) => `${name}: ${count(n, "cluster")}, agreement ${decimal(ari)}`,
    );
    announce(`${inWords.join("; ")}.`);
  }
}

/** Somewhere near the middle. */
function nearMiddle() {
  return (Math.random() - 0.5) * 0.8;
}

/**
 * @param {string} text
 * @param {() => void} act
 */
function smallButton(text, act) {
  return element("button", { type: "button", class: "small-button", onclick: () => act() }, text);
}
