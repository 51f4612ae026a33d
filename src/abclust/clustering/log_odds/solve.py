"""Log-odds clustering from end to end: two greedy starts, local search from each, the better result."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.checks import Bounds
from abclust.clustering.log_odds.contraction import contract_greedily
from abclust.clustering.log_odds.local_search import improve, settle
from abclust.clustering.log_odds.objective import objectives
from abclust.clustering.log_odds.weights import WeightBatch, weight_batches
from abclust.clustering.merge_tree import merge_tree

# On noisy sets of 1,500 and 2,000 items the second start gathered 0.6 and 0.4 % more in 0.2 s; on 5,000 it
# would double the time, and on a clear kernel of that size both led to the same partition.
TWO_STARTS_UP_TO = 2_000


def best_partitions(
    weights: Sequence[Float[np.ndarray, "_ _"]], bounds: Sequence[Bounds | None]
) -> list[Int[np.ndarray, " _"]]:
    """The best partition found for each set: the most log-odds gathered within the bounds.

    Parameters
    ----------
    weights : sequence of arrays of shape (n, n)
        Symmetric log-odds with a zero diagonal; n may differ.
    bounds : sequence of Bounds or None
        The number of clusters allowed for each set; None for any.

    Returns
    -------
    list of integer arrays of shape (n,)
        Labels in canonical order. Same input, same output: nothing here is random.
    """
    found: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * len(weights)
    for positions, batch in weight_batches(weights):
        lower, upper = _bound_arrays([bounds[position] for position in positions], batch)
        starts = _starts(batch, lower, upper)
        if batch.is_small:
            best = _best_of(batch, [improve(batch, start, lower, upper) for start in starts])
        else:
            # The start that is ahead after the cheap half of the search is searched to the end.
            best = _best_of(batch, [settle(batch, start, lower, upper) for start in starts])
            best = improve(batch, best, lower, upper)
        for row, position in enumerate(positions):
            found[position] = canonical_labels(best[row, : batch.n_items[row]])
    return found


def _best_of(batch: WeightBatch, results: list[Int[np.ndarray, "B n"]]) -> Int[np.ndarray, "B n"]:
    """For each set the first of the results with the highest objective."""
    scores = np.stack([objectives(batch.weights, labels) for labels in results])
    return np.stack(results)[scores.argmax(axis=0), np.arange(len(batch.n_items))]


def _starts(
    batch: WeightBatch, lower: Int[np.ndarray, " B"], upper: Int[np.ndarray, " B"]
) -> list[Int[np.ndarray, "B n"]]:
    """Where local search begins: average linkage, greedy contraction; for small sets also the extremes."""
    starts = [linkage_start(batch, lower, upper)]
    if batch.weights.shape[1] <= TWO_STARTS_UP_TO:
        starts.append(contract_greedily(batch, lower, upper))
    if batch.is_small:
        numbers = np.where(batch.is_item, np.arange(batch.weights.shape[1]), -1)
        starts.append(np.minimum(numbers, upper[:, None] - 1))
        starts.append(np.minimum(numbers, lower[:, None] - 1))
    return starts


def linkage_start(
    batch: WeightBatch, lower: Int[np.ndarray, " B"], upper: Int[np.ndarray, " B"]
) -> Int[np.ndarray, "B n"]:
    """Average linkage on log-odds, cut at 0 or as near to it as the bounds allow; -1 on padding."""
    labels = np.full(batch.weights.shape[:2], -1)
    for row, n_items in enumerate(batch.n_items):
        tree = merge_tree(batch.weights[row, :n_items, :n_items])
        n_clusters = int(n_items) - tree.n_unions_above(0.0)
        labels[row, :n_items] = tree.cut(min(max(n_clusters, int(lower[row])), int(upper[row])))
    return labels


def _bound_arrays(bounds: list[Bounds | None], batch: WeightBatch) -> tuple[np.ndarray, np.ndarray]:
    free = [bound or Bounds(1, int(n_items)) for bound, n_items in zip(bounds, batch.n_items)]
    return np.array([bound.lower for bound in free]), np.array([bound.upper for bound in free])
