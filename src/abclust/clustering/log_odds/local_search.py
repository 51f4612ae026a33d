"""Local search: moves, unions, splits, exchanges and chains until none of them improves the objective."""

import numpy as np
from jaxtyping import Bool, Int

from abclust.clustering.log_odds.merges import between_clusters, join_clusters
from abclust.clustering.log_odds.move_chains import move_in_chains
from abclust.clustering.log_odds.search_state import SearchState, without_gaps
from abclust.clustering.log_odds.single_moves import move_items
from abclust.clustering.log_odds.splits import SplitProposals, propose_splits
from abclust.clustering.log_odds.weights import WeightBatch


def improve(
    batch: WeightBatch,
    labels: Int[np.ndarray, "B n"],
    lower: Int[np.ndarray, " B"],
    upper: Int[np.ndarray, " B"],
) -> Int[np.ndarray, "B n"]:
    """Improve partitions until no single move, no union and no proposed split gains anything.

    Where the number of clusters is at its bound, a split and a union elsewhere are also tried together; small
    sets also try chains of moves. Every round improves an objective of finitely many values, so the search
    ends.

    Parameters
    ----------
    batch : WeightBatch
    labels : integer array of shape (B, n)
        Where to start, within the bounds; -1 on padding.
    lower, upper : integer arrays of shape (B,)
        The number of clusters allowed; every step keeps to it.

    Returns
    -------
    integer array of shape (B, n)
        Numbered without gaps; -1 on padding.
    """
    labels = labels.copy()
    active = np.arange(len(labels))
    while len(active):
        weights = batch.weights if len(active) == len(labels) else batch.weights[active]
        state = SearchState.of(weights, labels[active], lower[active], upper[active])
        _move_and_join(state)
        # A set that has used up its empty slots goes round once more with new ones.
        changed = (state.sizes > 0).all(axis=1)
        proposals = propose_splits(state)
        changed |= _apply_splits(state, proposals)
        changed |= _exchange(state, proposals, ~changed)
        if batch.is_small and not changed.all():
            changed |= _chains_where(state, ~changed)
        labels[active] = state.labels
        active = active[changed]
    return without_gaps(labels)


def settle(
    batch: WeightBatch,
    labels: Int[np.ndarray, "B n"],
    lower: Int[np.ndarray, " B"],
    upper: Int[np.ndarray, " B"],
) -> Int[np.ndarray, "B n"]:
    """Improve partitions by moves and unions only, which is the cheap half of :func:`improve`."""
    state = SearchState.of(batch.weights, labels, lower, upper)
    _move_and_join(state)
    return without_gaps(state.labels)


def _move_and_join(state: SearchState) -> None:
    move_items(state)
    while join_clusters(state):
        move_items(state)


def _apply_splits(state: SearchState, proposals: SplitProposals) -> Bool[np.ndarray, " B"]:
    """Make every split that gains, the best first, as far as the bounds allow; sums are left stale."""
    changed = np.zeros(len(state.labels), dtype=bool)
    n_clusters = state.n_clusters
    fresh_label = state.labels.max(axis=1) + 1
    gaining = np.flatnonzero(proposals.gains > state.tolerance)
    for position in gaining[np.argsort(-proposals.gains[gaining], kind="stable")]:
        one = proposals.sets[position]
        if n_clusters[one] < state.upper[one]:
            state.labels[one, proposals.leaving[position]] = fresh_label[one]
            fresh_label[one] += 1
            n_clusters[one] += 1
            changed[one] = True
    return changed


def _exchange(
    state: SearchState, proposals: SplitProposals, sets: Bool[np.ndarray, " B"]
) -> Bool[np.ndarray, " B"]:
    """In sets at a bound that nothing else improved: split one cluster and join two others, if both gain."""
    changed = np.zeros(len(state.labels), dtype=bool)
    at_bound = (state.n_clusters == state.upper) | (state.n_clusters == state.lower)
    is_bounded = (state.upper < (state.labels >= 0).sum(axis=1)) | (state.lower > 1)
    candidates = sets & at_bound & is_bounded
    if not candidates.any():
        return changed
    between = between_clusters(state)
    best_unions = between.max(axis=(1, 2))
    for position in np.argsort(-proposals.gains, kind="stable"):
        one, slot = proposals.sets[position], proposals.slots[position]
        candidates[one] &= best_unions[one] + proposals.gains[position] > state.tolerance
        if not candidates[one] or changed[one]:
            continue
        unions = between[one].copy()
        unions[slot] = unions[:, slot] = -np.inf
        first, second = np.unravel_index(unions.argmax(), unions.shape)
        if unions[first, second] + proposals.gains[position] > state.tolerance:
            state.labels[one, state.labels[one] == max(first, second)] = min(first, second)
            state.labels[one, proposals.leaving[position]] = max(first, second)
            changed[one] = True
    return changed


def _chains_where(state: SearchState, sets: Bool[np.ndarray, " B"]) -> Bool[np.ndarray, " B"]:
    rows = np.flatnonzero(sets)
    part = SearchState.of(state.weights[rows], state.labels[rows], state.lower[rows], state.upper[rows])
    changed = np.zeros(len(sets), dtype=bool)
    changed[rows] = move_in_chains(part)
    state.labels[rows] = part.labels
    return changed
