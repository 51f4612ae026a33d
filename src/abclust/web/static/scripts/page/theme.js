/** Light or dark: the system's choice until the button says otherwise; and colours as canvases need them. */

import { element, theElement } from "./elements.js";

const STORED = "abclust-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

/** The event that every canvas on the page gets: draw again, the colours are others. */
export const THEME_CHANGED = "themechanged";

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemIsDark.matches;
}

/** Let the button switch, and follow the system while nobody chose. */
export function prepareTheme() {
  const button = theElement("theme");
  const show = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    for (const canvas of document.querySelectorAll("canvas")) canvas.dispatchEvent(new Event(THEME_CHANGED));
  };
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(STORED, next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    show();
  });
  systemIsDark.addEventListener("change", show);
  show();
}

const probe = element("span", { class: "spoken", "aria-hidden": "true" });

/**
 * A colour of the style sheet as a canvas takes it, in the theme of the moment.
 *
 * @param {string} name a custom property, for example `--ink`
 */
export function colourOf(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}
