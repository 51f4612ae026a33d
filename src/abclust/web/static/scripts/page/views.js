/** The three views as tabs. The address keeps which one is open, so that a link and "back" lead there. */

import { theElement } from "./elements.js";

/** @typedef {{name: string, detail: string}} Place `#files/ID` is the place `{name: "files", detail: "ID"}` */

/** @type {any[]} */
const tabs = [...document.querySelectorAll("[role=tab]")];

/** @returns {Place} */
export function placeOfAddress() {
  const [name, detail = ""] = location.hash.slice(1).split("/");
  return { name: tabs.some((tab) => tab.dataset.view === name) ? name : "files", detail };
}

/**
 * Show what the address says now and whenever it changes.
 *
 * @param {(place: Place) => void} whenShown told after each change
 */
export function prepareViews(whenShown) {
  const show = () => {
    if (location.hash === "#content") return; // the link for keyboards is no view
    const place = placeOfAddress();
    for (const tab of tabs) {
      const isOpen = tab.dataset.view === place.name;
      tab.setAttribute("aria-selected", String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
      theElement(tab.getAttribute("aria-controls")).hidden = !isOpen;
    }
    whenShown(place);
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      location.hash = tab.dataset.view;
    });
    tab.addEventListener("keydown", moveAlongTabs);
  }
  addEventListener("hashchange", show);
  show();
}

/** @param {KeyboardEvent} event */
function moveAlongTabs(event) {
  const here = tabs.indexOf(event.currentTarget);
  const next = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const tab = tabs[(next + tabs.length) % tabs.length];
  tab.focus();
  tab.click();
}
