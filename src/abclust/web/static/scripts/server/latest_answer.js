/** Questions that overtake each other: only the answer to the latest one counts. */

export class LatestAnswer {
  /** @param {number} [pause] milliseconds to wait for a later question before asking */
  constructor(pause = 0) {
    this.pause = pause;
    this.number = 0;
    /** @type {AbortController | null} */
    this.running = null;
  }

  /**
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} question
   * @returns {Promise<T | null>} `null` if a later question came in between
   */
  async ask(question) {
    this.forget();
    const mine = this.number;
    const controller = (this.running = new AbortController());
    if (this.pause) await new Promise((resolve) => setTimeout(resolve, this.pause));
    if (mine !== this.number) return null;
    try {
      const answer = await question(controller.signal);
      return mine === this.number ? answer : null;
    } catch (error) {
      // Whatever went wrong with an old question is nobody's concern any more.
      if (mine !== this.number) return null;
      throw error;
    }
  }

  /** Whatever is under way counts no longer. */
  forget() {
    this.number += 1;
    this.running?.abort();
    this.running = null;
  }
}
