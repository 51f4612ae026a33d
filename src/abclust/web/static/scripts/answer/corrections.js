/** What a person said about items: corrections, as the constraints they mean, with a way back. */

/** @typedef {import("../server/answers.js").Pair} Pair */
/** @typedef {import("../server/answers.js").Constraints} Constraints */

/**
 * @typedef {object} Correction
 * @property {"same" | "different" | "move"} kind
 * @property {Pair} about for `same` and `different` the pair; for `move` the item twice
 * @property {Pair[]} mustLink
 * @property {Pair[]} cannotLink
 * @property {string} text for the list of corrections
 */

/**
 * Two items marked as of one cluster, or of two.
 *
 * @param {"same" | "different"} kind
 * @param {number} first
 * @param {number} second
 * @param {string[]} names
 * @returns {Correction}
 */
export function pairCorrection(kind, first, second, names) {
  /** @type {Pair} */
  const pair = first < second ? [first, second] : [second, first];
  const text = `${names[first]} and ${names[second]}: ${kind === "same" ? "same cluster" : "different clusters"}`;
  return {
    kind,
    about: pair,
    mustLink: kind === "same" ? [pair] : [],
    cannotLink: kind === "different" ? [pair] : [],
    text,
  };
}

/**
 * An item moved to another cluster: it belongs with members there, and not with one where it was.
 *
 * @param {number} item
 * @param {number[]} anchors members of the new cluster; none for a cluster of its own
 * @param {number[]} away members of clusters that it does not belong to
 * @param {string} text
 * @returns {Correction}
 */
export function moveCorrection(item, anchors, away, text) {
  return {
    kind: "move",
    about: [item, item],
    mustLink: anchors.map((other) => [item, other]),
    cannotLink: away.map((other) => [item, other]),
    text,
  };
}

/**
 * A list with one more correction. The newest word counts: a move replaces all that was said about its item, a pair
 * replaces whatever spoke of the same two.
 *
 * @param {Correction[]} list
 * @param {Correction} added
 * @returns {Correction[]}
 */
export function withCorrection(list, added) {
  const [item, other] = added.about;
  const isReplaced = (/** @type {Correction} */ old) =>
    added.kind === "move"
      ? old.about.includes(item)
      : [...old.mustLink, ...old.cannotLink].some((pair) => pair.includes(item) && pair.includes(other));
  return [...list.filter((old) => !isReplaced(old)), added];
}

/**
 * @param {Correction[]} list
 * @returns {Constraints}
 */
export function constraintsOf(list) {
  return {
    must_link: list.flatMap((each) => each.mustLink),
    cannot_link: list.flatMap((each) => each.cannotLink),
  };
}

/**
 * The corrections that an answer came with: after a reload they are pairs again.
 *
 * @param {Constraints} constraints
 * @param {string[]} names
 * @returns {Correction[]}
 */
export function correctionsOf(constraints, names) {
  return [
    ...constraints.must_link.map(([first, second]) => pairCorrection("same", first, second, names)),
    ...constraints.cannot_link.map(([first, second]) => pairCorrection("different", first, second, names)),
  ];
}
