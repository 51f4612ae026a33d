/** Long work: hand it in, hear of its progress by server-sent events, stop it. */

import { requestJson, ServerError } from "./requests.js";

/** @typedef {{stage: "sending" | "queued" | "reading" | "encoding" | "kernel" | "clustering", done?: number, total?: number, position?: number}} Progress */

const MOST_FAILURES = 4;

/**
 * Hand in files.
 *
 * @param {FormData} form
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the job's id
 */
export async function startJob(form, signal) {
  return (await requestJson("api/jobs", { method: "POST", body: form, signal })).job;
}

/**
 * @param {string} name `digits` or `circles`
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the job's id
 */
export async function startExample(name, signal) {
  return (await requestJson(`api/jobs/examples/${name}`, { method: "POST", signal })).job;
}

/**
 * Follow a job to its end. An abort of the signal cancels it on the server, too.
 *
 * @param {string} job
 * @param {(progress: Progress) => void} whenFurther
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the answer's id
 */
export function followJob(job, whenFurther, signal) {
  const address = `api/jobs/${encodeURIComponent(job)}`;
  return new Promise((resolve, reject) => {
    const events = new EventSource(`${address}/events`);
    const stop = () => {
      end();
      // The job may be over by now; then there is nothing to cancel and nothing to say.
      requestJson(address, { method: "DELETE" }).catch(() => {});
      reject(new DOMException("cancelled", "AbortError"));
    };
    const end = () => {
      events.close();
      signal.removeEventListener("abort", stop);
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop);
    const hear = (/** @type {string} */ name, /** @type {(data: any) => void} */ listener) =>
      events.addEventListener(name, (event) =>
        listener(JSON.parse(/** @type {MessageEvent} */ (event).data)),
      );
    hear("queued", (data) => whenFurther({ stage: "queued", ...data }));
    hear("progress", whenFurther);
    hear("done", (data) => {
      end();
      resolve(data.answer);
    });
    hear("failed", (data) => {
      end();
      reject(new ServerError(data.error.message, data.error.code));
    });
    let failures = 0;
    events.addEventListener("open", () => {
      failures = 0;
    });
    events.addEventListener("error", () => {
      // The browser tries again by itself; a server that is gone would let it try for ever.
      failures += 1;
      if (events.readyState !== EventSource.CLOSED && failures < MOST_FAILURES) return;
      end();
      reject(new ServerError("The connection to the server was lost. Try again."));
    });
  });
}
