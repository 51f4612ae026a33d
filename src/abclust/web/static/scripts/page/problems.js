/** What went wrong, in one place at the top of the page: what arrived and what to do. */

import { element, theElement } from "./elements.js";

/** @param {unknown} problem an error, or a sentence */
export function showProblem(problem) {
  const place = theElement("problem");
  const text = problem instanceof Error ? problem.message : String(problem);
  place.replaceChildren(
    element("p", {}, element("strong", {}, "That did not work. "), text),
    element("button", { type: "button", class: "small-button", onclick: hideProblem }, "Close"),
  );
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}

export function hideProblem() {
  const place = theElement("problem");
  place.hidden = true;
  place.replaceChildren();
}
