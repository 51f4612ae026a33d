/** Correcting an answer: each word of the person is sent, the partition solved again, and there is a way back. */

import { announce } from "../page/announcements.js";
import { showProblem } from "../page/problems.js";
import { count } from "../page/wording.js";
import { sendConstraints } from "../server/answers.js";
import {
  constraintsOf,
  correctionsOf,
  moveCorrection,
  pairCorrection,
  withCorrection,
} from "./corrections.js";

/** @typedef {import("./answer_state.js").AnswerState} AnswerState */
/** @typedef {import("./answer_state.js").Cluster} Cluster */
/** @typedef {import("./corrections.js").Correction} Correction */

/**
 * A moved item is linked with the clearer half of its new cluster, and with three at least. A single link does not
 * move it: the solver may as well take the one member out to the item, and did.
 */
const FEWEST_ANCHORS = 3;

/**
 * @param {Correction[]} list
 * @returns {Set<number>}
 */
function itemsOf(list) {
  return new Set(list.flatMap((each) => each.about));
}

/** Event: `change`, when the list changed or work on it began or ended. */
export class Correcting extends EventTarget {
  /** @param {AnswerState} state */
  constructor(state) {
    super();
    this.state = state;
    this.isBusy = false;
    /** @type {Correction[][]} the lists before each change, the latest last */
    this.past = [];
    this.list = correctionsOf(state.answer.constraints, state.answer.names);
    state.settled = itemsOf(this.list);
    this.waiting = Promise.resolve();
  }

  /**
   * @param {"same" | "different"} kind
   * @param {number} first
   * @param {number} second
   */
  mark(kind, first, second) {
    return this.#say(pairCorrection(kind, first, second, this.state.answer.names));
  }

  /**
   * Move an item into a cluster of the cut that is shown.
   *
   * @param {number} item
   * @param {number | null} label `null`: a cluster of its own
   */
  move(item, label) {
    const { clusters } = this.state.cut;
    const own = this.state.clusterOf(item);
    if (label === own.label || (label === null && own.items.length === 1)) return Promise.resolve();
    const target = label === null ? null : clusters[label];
    // Out of one cluster its clearest member tells where not; a cluster of its own is away from everything.
    const away = target
      ? this.#clearest(own, item).slice(0, 1)
      : clusters.flatMap((each) => each.items.filter((other) => other !== item));
    const anchors = target
      ? this.#clearest(target, item).slice(0, Math.max(FEWEST_ANCHORS, target.items.length / 2))
      : [];
    const text = `${this.state.answer.names[item]}: moved to ${target ? `cluster ${target.label}` : "a cluster of its own"}`;
    return this.#say(moveCorrection(item, anchors, away, text));
  }

  /** Take the latest change back. */
  undo() {
    return this.#solve((_, past) => ({ list: past.at(-1) ?? null, past: past.slice(0, -1) }));
  }

  /** @param {Correction} correction */
  takeBack(correction) {
    return this.#solve((list, past) => ({
      list: list.filter((each) => each !== correction),
      past: [...past, list],
    }));
  }

  /** @param {Correction} correction */
  #say(correction) {
    return this.#solve((list, past) => ({ list: withCorrection(list, correction), past: [...past, list] }));
  }

  /**
   * The members that speak best for their cluster, the clearest first.
   *
   * @param {Cluster} cluster
   * @param {number} item who is not asked
   */
  #clearest(cluster, item) {
    const { confidence } = this.state.cut;
    return cluster.items
      .filter((each) => each !== item)
      .sort((a, b) => confidence[b] - confidence[a] || a - b);
  }

  /**
   * One request after the other: each carries the whole list, and begins with what the one before it left.
   *
   * @param {(list: Correction[], past: Correction[][]) => {list: Correction[] | null, past: Correction[][]}} change
   */
  #solve(change) {
    this.waiting = this.waiting.then(async () => {
      const { list, past } = change(this.list, this.past);
      if (!list) return;
      this.#tell(true);
      try {
        const answer = await sendConstraints(this.state.answer.id, constraintsOf(list));
        this.list = list;
        this.past = past;
        this.state.settled = itemsOf(list);
        this.state.renew(answer);
        announce(
          `Solved again with ${count(list.length, "correction")}: ${count(answer.n_clusters, "cluster")}.`,
        );
      } catch (error) {
        showProblem(error);
      } finally {
        this.#tell(false);
      }
    });
    return this.waiting;
  }

  /** @param {boolean} isBusy */
  #tell(isBusy) {
    this.isBusy = isBusy;
    this.dispatchEvent(new Event("change"));
  }
}
