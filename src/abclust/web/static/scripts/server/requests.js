/** Requests to the server. Every answer is JSON; every refusal says what arrived and what to do. */

/** A refusal of the server, or no answer at all. */
export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {string} [code] the server's word for it, `unreachable` if there was none
   * @param {number} [status]
   */
  constructor(message, code = "unreachable", status = 0) {
    super(message);
    this.name = "ServerError";
    this.code = code;
    this.status = status;
  }
}

/**
 * Ask for JSON. Addresses are relative, so that the page also works under a path of a proxy.
 *
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 * @throws {ServerError} if the server refuses or cannot be reached; an abort stays an abort
 */
export async function requestJson(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServerError("The server cannot be reached. Is `abclust serve` still running?");
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  throw await refusal(response);
}

/**
 * Send a value as JSON.
 *
 * @param {string} address
 * @param {unknown} value
 * @param {AbortSignal} [signal]
 */
export function postJson(address, value, signal) {
  return requestJson(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
    signal,
  });
}

/** @param {Response} response */
async function refusal(response) {
  if (response.status === 401) {
    return new ServerError(
      "This server asks for its token: open the address that `abclust serve` printed.",
      "unauthorized",
      401,
    );
  }
  const body = await response.json().catch(() => null);
  const { message, code } = body?.error ?? {};
  return new ServerError(
    message ?? `The server answered ${response.status}.`,
    code ?? "unknown",
    response.status,
  );
}
