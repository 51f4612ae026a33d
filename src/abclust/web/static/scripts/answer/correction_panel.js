/** What was said so far, with a way back. */

import { element } from "../page/elements.js";

/** @typedef {import("./correcting.js").Correcting} Correcting */

/**
 * @param {Correcting} correcting
 * @returns {HTMLElement}
 */
export function correctionPanel(correcting) {
  const list = element("ul", { class: "corrections" });
  const undo = element(
    "button",
    { type: "button", class: "small-button", onclick: () => correcting.undo() },
    "Undo",
    element("kbd", { "aria-hidden": "true" }, "Z"),
  );
  const hint = element(
    "p",
    { class: "note" },
    "Drag an item to another cluster, or choose two and say whether they are the same. The rest is solved again around it.",
  );
  const show = () => {
    undo.disabled = correcting.past.length === 0 || correcting.isBusy;
    hint.hidden = correcting.list.length > 0;
    list.replaceChildren(
      ...correcting.list.map((each) =>
        element(
          "li",
          {},
          element(
            "span",
            { class: `said ${each.kind}`, "aria-hidden": "true" },
            { same: "=", different: "≠", move: "→" }[each.kind],
          ),
          element("bdi", {}, each.text),
          element(
            "button",
            {
              type: "button",
              class: "take-back",
              "aria-label": `Take back: ${each.text}`,
              disabled: correcting.isBusy,
              onclick: () => correcting.takeBack(each),
            },
            "✕",
          ),
        ),
      ),
    );
  };
  correcting.addEventListener("change", show);
  show();
  return element(
    "section",
    { class: "part", "aria-label": "Corrections" },
    element("div", { class: "part-head" }, element("h3", {}, "Corrections"), undo),
    hint,
    list,
  );
}
