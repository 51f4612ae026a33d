/** How far the work is, and a button to stop it. */

import { announce } from "../page/announcements.js";
import { element } from "../page/elements.js";

/** @typedef {import("../server/jobs.js").Progress} Progress */

const STAGES = {
  sending: "Sending the files",
  queued: "Waiting for a free worker",
  reading: "Reading the items",
  encoding: "Looking at each item",
  kernel: "Comparing every pair within the set",
  clustering: "Finding the clusters",
};

/**
 * @param {HTMLElement} place
 * @param {string} title
 * @param {() => void} cancel
 * @returns {{show: (progress: Progress) => void, hide: () => void}}
 */
export function progressPanel(place, title, cancel) {
  const text = element("p"),
    bar = element("progress", { "aria-label": title });
  const stop = element("button", { type: "button", class: "button", onclick: cancel }, "Cancel");
  place.replaceChildren(element("h2", {}, title), text, bar, stop);
  place.hidden = false;
  stop.focus({ preventScroll: true });
  let told = "";
  return {
    show(progress) {
      const stage = STAGES[progress.stage] ?? progress.stage;
      const isCounted = (progress.total ?? 0) > 1;
      const ahead =
        progress.stage === "queued" && progress.position ? `, ${progress.position} before this one` : "";
      text.textContent = stage + ahead + (isCounted ? `: ${progress.done} of ${progress.total}` : "");
      if (isCounted) {
        bar.max = progress.total;
        bar.value = progress.done;
      } else bar.removeAttribute("value");
      if (stage !== told) announce(`${stage}.`);
      told = stage;
    },
    hide() {
      place.hidden = true;
      place.replaceChildren();
    },
  };
}
