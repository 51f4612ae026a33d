/** What happens, said to those who hear the page: one polite live region for all views. */

import { theElement } from "./elements.js";

/** @param {string} text one sentence */
export function announce(text) {
  theElement("status").textContent = text;
}
