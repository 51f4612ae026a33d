"""Local search by joining two clusters."""

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.log_odds.search_state import SearchState


def join_clusters(state: SearchState) -> bool:
    """Join pairs of clusters, the best first, until no union improves any set; say whether any was made."""
    changed = False
    between = between_clusters(state)
    n_slots = between.shape[1]
    while True:
        best = between.reshape(len(between), -1).argmax(axis=1)
        first, second = np.divmod(best, n_slots)
        gains = between[np.arange(len(between)), first, second]
        sets = np.flatnonzero((gains > state.tolerance) & (state.n_clusters > state.lower))
        if not len(sets):
            return changed
        kept, gone = np.minimum(first, second)[sets], np.maximum(first, second)[sets]
        state.join(sets, kept, gone)
        _unite(between, sets, kept, gone)
        changed = True


def between_clusters(state: SearchState) -> Float[np.ndarray, "B slots slots"]:
    """What the union of any two clusters gains: the log-odds between them; -inf where there is none."""
    n_slots = state.sizes.shape[1]
    indicator = (state.labels[:, :, None] == np.arange(n_slots)).astype(np.float64)
    between = state.sums @ indicator
    empty = state.sizes == 0
    between[empty[:, :, None] | empty[:, None, :]] = -np.inf
    slots = np.arange(n_slots)
    between[:, slots, slots] = -np.inf
    return between


def _unite(
    between: Float[np.ndarray, "B slots slots"],
    sets: Int[np.ndarray, " S"],
    kept: Int[np.ndarray, " S"],
    gone: Int[np.ndarray, " S"],
) -> None:
    """Add row and column `gone` to `kept` and close `gone`, in place."""
    united = between[sets, kept] + between[sets, gone]
    between[sets, kept] = united
    between[sets, :, kept] = united
    between[sets, gone] = -np.inf
    between[sets, :, gone] = -np.inf
