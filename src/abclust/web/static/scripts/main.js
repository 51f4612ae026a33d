/** The page begins here. */

import { openAnswer, prepareFiles } from "./files/files_view.js";
import { prepareDrawing } from "./draw/drawing_view.js";
import { theElement } from "./page/elements.js";
import { prepareTheme } from "./page/theme.js";
import { prepareViews } from "./page/views.js";
import { preparePlayground } from "./playground/playground_view.js";
import { requestJson } from "./server/requests.js";

const TITLES = { files: "abclust", draw: "Draw · abclust", circles: "Circles · abclust" };

prepareTheme();
prepareFiles();
prepareDrawing(theElement("draw-pad"), theElement("draw-answer"), theElement("draw-hint"));
const playground = preparePlayground(theElement("playground"));
prepareViews(({ name, detail }) => {
  document.title = TITLES[/** @type {keyof typeof TITLES} */ (name)];
  if (name === "files") openAnswer(detail);
  if (name === "circles") playground.wake();
});
requestJson("health").then(
  ({ version }) => {
    theElement("version").textContent = `abclust ${version}`;
  },
  () => {}, // the first thing that a person does will tell better what is wrong
);
