/** Answers: what the server found out about a set, and what one can ask about it afterwards. */

import { postJson, requestJson } from "./requests.js";

/** @typedef {[number, number]} Pair two item numbers */
/** @typedef {{must_link: Pair[], cannot_link: Pair[]}} Constraints */

/**
 * @typedef {object} Answer
 * @property {string} id
 * @property {string} model
 * @property {"images" | "vectors" | "points"} kind
 * @property {number} n_items
 * @property {string[]} names
 * @property {number[]} labels in canonical order: numbered by first appearance
 * @property {number} n_clusters
 * @property {number[]} confidence
 * @property {{n_clusters: number, probability: number}[]} n_clusters_distribution
 * @property {{merges: [number, number][]}} merge_tree
 * @property {string} [kernel] base64 of n x n bytes
 * @property {boolean} [kernel_omitted]
 * @property {number[]} order
 * @property {number[]} least_certain
 * @property {[number, number][]} [positions]
 * @property {string} [thumbnails]
 * @property {Constraints} constraints
 * @property {{name: string, why: string}[]} skipped
 * @property {(number | string)[]} [true_labels]
 */

/**
 * @param {string} id
 * @returns {Promise<Answer>}
 */
export async function fetchAnswer(id) {
  return withoutEmpty(await requestJson(`api/answers/${encodeURIComponent(id)}`));
}

/**
 * The items' pictures as data URLs, in the order of the items; none for a set without pictures.
 *
 * @param {Answer} answer
 * @returns {Promise<string[] | null>}
 */
export function fetchThumbnails(answer) {
  return answer.kind === "images"
    ? requestJson(`api/answers/${encodeURIComponent(answer.id)}/thumbnails`)
    : Promise.resolve(null);
}

/**
 * Solve the partition again under these constraints, the whole list each time.
 *
 * @param {string} id
 * @param {Constraints} constraints
 * @returns {Promise<Answer>} without its kernel, which constraints do not change
 */
export async function sendConstraints(id, constraints) {
  return withoutEmpty(await postJson(`api/answers/${encodeURIComponent(id)}/constraints`, constraints));
}

/**
 * @param {string} id
 * @param {"labels.csv" | "report.html" | "clusters.zip"} file
 * @param {number | null} nClusters the cut to download; `null`: as solved
 */
export function downloadAddress(id, file, nClusters) {
  const query = nClusters === null ? "" : `?n_clusters=${nClusters}`;
  return `api/answers/${encodeURIComponent(id)}/${file}${query}`;
}

/**
 * Cluster a few images and wait: for drawings, which take no time worth a progress bar.
 *
 * @param {Blob[]} images
 * @param {string[]} names
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
export async function clusterImages(images, names, signal) {
  const form = new FormData();
  images.forEach((image, place) => form.append("files", image, names[place]));
  return withoutEmpty(await requestJson("api/cluster", { method: "POST", body: form, signal }));
}

/**
 * What an answer does not have is not there, whether the server left it out or sent it empty.
 *
 * @param {Answer} answer
 * @returns {Answer}
 */
function withoutEmpty(answer) {
  const { positions, true_labels: truth } = answer;
  return {
    ...answer,
    positions: positions?.length ? positions : undefined,
    true_labels: truth?.length ? truth : undefined,
  };
}
