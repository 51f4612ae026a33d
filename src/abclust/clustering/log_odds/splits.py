"""Local search by splitting a cluster in two where its leading eigenvector changes sign."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse.linalg import eigsh

from abclust.clustering.log_odds.item_groups import cluster_members, group_batches
from abclust.clustering.log_odds.kernighan_lin import refine_splits
from abclust.clustering.log_odds.search_state import SearchState

# All eigenvectors of 64 x 64 cost 0.6 ms and one by Lanczos 0.8 ms; of 128 x 128 it is 1.9 and 1.0.
_LANCZOS_FROM = 96
_TOLERANCE: Any = 1e-3  # a proposal need not be exact; scipy's stubs take the number for an int


@dataclass(frozen=True)
class SplitProposals:
    """The best split found for each cluster of two items or more.

    Attributes
    ----------
    sets, slots : integer arrays of shape (C,)
        Where the cluster is.
    gains : array of shape (C,)
        What the split adds to the objective; negative if the cluster is better whole.
    leaving : list of C integer arrays
        The items that would leave.
    """

    sets: Int[np.ndarray, " C"]
    slots: Int[np.ndarray, " C"]
    gains: Float[np.ndarray, " C"]
    leaving: list[Int[np.ndarray, " _"]]


def propose_splits(state: SearchState) -> SplitProposals:
    """Propose a split of every cluster: the sign of its leading eigenvector, refined by Kernighan-Lin.

    With s = ±1 for the two sides the gain of a split is (s'Ws - 1'W1) / 4, which the leading eigenvector of
    the cluster's log-odds W would maximise if s could be any vector of that length. If its entries share one
    sign the refinement starts from the whole cluster. A cluster of m items gains at most (m λ - 1'W1) / 4,
    with λ the leading eigenvalue, and nothing if no pair speaks against it; where that rules a split out none
    is looked for, unless the number of clusters is bounded and a split that loses may be of use.
    """
    sets, slots = np.nonzero(state.sizes >= 2)
    is_bounded = (state.lower > 1) | (state.upper < (state.labels >= 0).sum(axis=1))
    gains = np.full(len(sets), -np.inf)
    leaving: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * len(sets)
    for batch in group_batches(state.weights, sets, cluster_members(state, sets, slots)):
        must_try = is_bounded[sets[batch.positions]]
        batch = batch.where(must_try | (batch.weights.min(axis=(1, 2)) < 0))
        values, vectors = _leading_eigenpairs(batch.weights)
        ceilings = (batch.is_item.sum(axis=1) * values - batch.weights.sum(axis=(1, 2))) / 4
        is_open = is_bounded[sets[batch.positions]] | (ceilings > state.tolerance)
        batch, vectors = batch.where(is_open), vectors[is_open]
        sides = np.where(vectors < 0, -1, 1) * batch.is_item
        sides, gains[batch.positions] = refine_splits(batch.weights, sides)
        for position, items, item_sides in zip(batch.positions, batch.items, sides):
            leaving[position] = items[item_sides == -1]
    return SplitProposals(sets, slots, gains, leaving)


def _leading_eigenpairs(
    weights: Float[np.ndarray, "C m m"],
) -> tuple[Float[np.ndarray, " C"], Float[np.ndarray, "C m"]]:
    """The largest eigenvalue of each matrix, or infinity where it is not computed, and its eigenvector."""
    n_clusters, width, _ = weights.shape
    if width <= 3 or not n_clusters:
        # Every split of three items is one flip away from the whole.
        return np.full(n_clusters, np.inf), np.ones((n_clusters, width))
    if width < _LANCZOS_FROM:
        values, vectors = np.linalg.eigh(weights)
        return values[:, -1], vectors[:, :, -1]
    start = np.cos(np.arange(width))  # fixed, so that results repeat, and no eigenvector of anything regular
    vectors = [eigsh(matrix, k=1, which="LA", v0=start, tol=_TOLERANCE)[1][:, 0] for matrix in weights]
    return np.full(n_clusters, np.inf), np.stack(vectors)
