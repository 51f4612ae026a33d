"""Local search by chains of moves that may first make things worse, in the manner of Kernighan and Lin."""

import numpy as np
from jaxtyping import Bool

from abclust.clustering.log_odds.search_state import SearchState
from abclust.clustering.log_odds.single_moves import move_gains


def move_in_chains(state: SearchState) -> Bool[np.ndarray, " B"]:
    """Move every item once, always the one that costs least, and keep the best partition on the way.

    A chain costs O(n^2 k) a set, so it is for small sets, where noise makes many local optima. It ends where
    its gain was highest; sums and sizes are left stale: the labels are what counts.

    Returns
    -------
    boolean array of shape (B,)
        Which sets changed.
    """
    walk = SearchState.of(state.weights, state.labels, state.lower, state.upper)
    best_labels = state.labels.copy()
    best_gains = np.full(len(best_labels), state.tolerance)
    total_gains = np.zeros(len(best_labels))
    is_done = np.zeros(best_labels.shape, dtype=bool)
    for _ in range(best_labels.shape[1]):
        gains, targets = move_gains(walk)
        gains[is_done] = -np.inf
        items = gains.argmax(axis=1)
        costs = gains[np.arange(len(items)), items]
        sets = np.flatnonzero(np.isfinite(costs))
        walk.move(sets, items[sets], targets[sets, items[sets]])
        is_done[sets, items[sets]] = True
        total_gains += costs  # -inf once a set has no move left, which ends its chain
        better = total_gains > best_gains
        best_gains[better] = total_gains[better]
        best_labels[better] = walk.labels[better]
    state.labels[:] = best_labels
    return best_gains > state.tolerance
