/** The view for files: drop or choose, wait, see the answer. */

import { showAnswer } from "../answer/answer_view.js";
import { announce } from "../page/announcements.js";
import { element, theElement } from "../page/elements.js";
import { hideProblem, showProblem } from "../page/problems.js";
import { placeOfAddress } from "../page/views.js";
import { count } from "../page/wording.js";
import { fetchAnswer, fetchThumbnails } from "../server/answers.js";
import { followJob, startExample, startJob } from "../server/jobs.js";
import { requestJson } from "../server/requests.js";
import { droppedFiles, namedFiles } from "./dropped_files.js";
import { sortFiles } from "./file_kinds.js";
import { progressPanel } from "./progress_panel.js";

/** @typedef {import("./file_kinds.js").NamedFile} NamedFile */

/** @type {AbortController | null} */
let work = null;
let shownAnswer = "";

/** Make the view's buttons work. */
export function prepareFiles() {
  const form = theElement("files-form");
  form.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  for (const id of ["choose-files", "choose-folder"]) {
    const input = theElement(id);
    input.addEventListener("change", () => {
      const files = namedFiles(input.files);
      input.value = ""; // so that choosing the same files again is a change, too
      if (files.length) clusterFiles(files);
    });
  }
  for (const button of document.querySelectorAll("[data-example]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.example ?? "";
    button.addEventListener("click", () => run(`Example: ${name}`, (signal) => startExample(name, signal)));
  }
  letFilesBeDropped();
  offerModels();
}

/**
 * Show what the address asks for: the answer of that id, or the beginning.
 *
 * @param {string} id
 */
export async function openAnswer(id) {
  if (id === shownAnswer) return;
  shownAnswer = id;
  work?.abort();
  if (!id) return showStart();
  try {
    const answer = await fetchAnswer(id);
    const thumbnails = await fetchThumbnails(answer);
    if (shownAnswer !== id) return;
    const again = element("a", { class: "small-button", href: "#files" }, "New files");
    theElement("view-files").querySelector(".start").hidden = true;
    theElement("files-answer").hidden = false;
    showAnswer(theElement("files-answer"), answer, thumbnails, [again]);
    theElement("files-answer").querySelector("h2").focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(`${count(answer.n_items, "item")} in ${count(answer.n_clusters, "cluster")}.`);
  } catch (error) {
    showProblem(error);
    location.hash = "files";
  }
}

function showStart() {
  theElement("view-files").querySelector(".start").hidden = false;
  theElement("files-answer").hidden = true;
  theElement("files-answer").replaceChildren();
}

/** @param {NamedFile[]} dropped */
function clusterFiles(dropped) {
  hideProblem();
  try {
    const { files, ignored } = sortFiles(dropped);
    const form = new FormData();
    for (const { file, name } of files) form.append("files", file, name);
    for (const name of ["model", "n-clusters", "label-column"]) {
      const { name: key, value } = theElement(name);
      if (value) form.append(key, value);
    }
    const title = files.length === 1 ? files[0].name : count(files.length, "file");
    run(ignored.length ? `${title}; ${count(ignored.length, "other file")} left aside` : title, (signal) =>
      startJob(form, signal),
    );
  } catch (error) {
    showProblem(error);
  }
}

/**
 * Start work, show how far it is, and go to its answer.
 *
 * @param {string} title
 * @param {(signal: AbortSignal) => Promise<string>} start
 */
async function run(title, start) {
  hideProblem();
  work?.abort();
  const mine = new AbortController();
  work = mine;
  const opener = /** @type {HTMLElement | null} */ (document.activeElement);
  const panel = progressPanel(theElement("files-progress"), title, () => mine.abort());
  theElement("view-files").querySelector(".start").hidden = true;
  theElement("files-answer").hidden = true;
  panel.show({ stage: "sending" });
  try {
    const job = await start(mine.signal);
    const answer = await followJob(job, panel.show, mine.signal);
    location.hash = `files/${answer}`;
  } catch (error) {
    if (work !== mine) return;
    showStart();
    opener?.focus();
    if (mine.signal.aborted) announce("Cancelled.");
    else showProblem(error);
  } finally {
    if (work === mine) {
      panel.hide();
      work = null;
    }
  }
}

/** Files can be dropped anywhere on the view, and pasted. */
function letFilesBeDropped() {
  const view = theElement("view-files"),
    zone = theElement("drop");
  const isFiles = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes("Files") && placeOfAddress().name === "files";
  const light = (/** @type {boolean} */ isOver) => zone.classList.toggle("over", isOver);
  document.addEventListener("dragover", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    light(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) light(false);
  });
  document.addEventListener("drop", async (event) => {
    light(false);
    if (!isFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    droppedFiles(event.dataTransfer).then(clusterFiles, showProblem);
  });
  document.addEventListener("paste", (event) => {
    if (!view.hidden && event.clipboardData?.files.length)
      clusterFiles(namedFiles(event.clipboardData.files));
  });
}

/** Fill the list of weights. Without it "auto" still works, so a failure is told only when it matters. */
async function offerModels() {
  const { models } = await requestJson("api/models").catch(() => ({ models: [] }));
  theElement("model").append(
    ...models.map((/** @type {any} */ each) =>
      element("option", { value: each.name }, `${each.name} (${each.kind})`),
    ),
  );
}
