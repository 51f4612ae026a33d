"""How many clusters a kernel holds, five ways, and the record of what was weighed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.checks import Bounds, as_kernels, check_n_clusters
from abclust.clustering.eigengap import largest_gap, leading_gaps
from abclust.clustering.expected_rand import expected_rand_scores
from abclust.clustering.laplacian import normalised_affinity
from abclust.clustering.log_odds.solve import best_partitions
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import merge_tree
from abclust.clustering.neighbour_eigengap import neighbour_eigengaps
from abclust.foundations.options import resolve


@dataclass(frozen=True)
class NumberOfClusters:
    """A number of clusters, and what spoke for it; it can stand wherever an int can.

    Attributes
    ----------
    n_clusters : int
    method : str
    candidates : integer array of shape (m,)
        The numbers that were weighed.
    weights : array of shape (m,)
        What spoke for each, in the method's own unit: the gap for ``eigengap`` and ``nme``; the objective
        along the merge tree through the best partition for ``log-odds``; minus the distance from the sum for
        ``degree``; the expected score for ``expected-rand``.
    """

    n_clusters: int
    method: str
    candidates: Int[np.ndarray, " m"]
    weights: Float[np.ndarray, " m"]

    def __int__(self) -> int:
        return self.n_clusters

    def __index__(self) -> int:
        return self.n_clusters


def estimate_n_clusters(
    kernel: Any, method: str = "eigengap", *, n_clusters_range: tuple[int, int] | None = None
) -> NumberOfClusters | list[NumberOfClusters]:
    r"""Estimate the number of clusters in a kernel, or in each of many.

    ==================  =================================================================================
    ``eigengap``        the largest gap of the normalised affinity's eigenvalues (the paper's method)
    ``nme``             the eigengap of a binarised neighbour graph whose width tunes itself
    ``degree``          :math:`\sum_i 1 / d_i`, the diagonal as 1, rounded: exact on a block matrix
    ``log-odds``        the number in the best log-odds partition
    ``expected-rand``   the level of the merge tree with the highest expected adjusted Rand score
    ==================  =================================================================================

    Parameters
    ----------
    kernel : array of shape (n, n), or a list of such (sizes may differ), or an array of shape (B, n, n)
        Symmetric, in [0, 1].
    method : {"eigengap", "nme", "degree", "log-odds", "expected-rand"}
    n_clusters_range : (min, max), optional
        The numbers allowed, both included.

    Returns
    -------
    NumberOfClusters, or a list of them for many kernels

    Raises
    ------
    InvalidInputError
        If a kernel, the method or the range is not valid.

    Examples
    --------
    >>> estimate_n_clusters(np.kron(np.eye(3), np.ones((2, 2)))).n_clusters
    3
    """
    kernels, many = as_kernels(kernel)
    records = [estimate_one(one, method, check_n_clusters(n_clusters_range, len(one))) for one in kernels]
    return records if many else records[0]


def estimate_one(kernel: Float[np.ndarray, "n n"], method: str, bounds: Bounds | None) -> NumberOfClusters:
    """Estimate the number of clusters of one kernel that is already checked."""
    n_clusters, candidates, weights = resolve("method", method, _METHODS)(kernel, bounds)
    return NumberOfClusters(n_clusters, method, candidates, weights)


Weighed = tuple[int, np.ndarray, np.ndarray]


def _by_eigengap(kernel: Float[np.ndarray, "n n"], bounds: Bounds | None) -> Weighed:
    gaps = leading_gaps(normalised_affinity(kernel), bounds)
    return largest_gap(gaps, bounds), np.arange(1, len(gaps) + 1), gaps


def _by_neighbours(kernel: Float[np.ndarray, "n n"], bounds: Bounds | None) -> Weighed:
    gaps, _ = neighbour_eigengaps(kernel, bounds)
    allowed = None if bounds is None else Bounds(bounds.lower, min(bounds.upper, len(gaps)))
    return largest_gap(gaps, allowed), np.arange(1, len(gaps) + 1), gaps


def _by_degree(kernel: Float[np.ndarray, "n n"], bounds: Bounds | None) -> Weighed:
    """Each item of a cluster of m adds 1/m, so a cluster adds 1; affinity across clusters lowers the sum."""
    degrees = kernel.sum(axis=1) - kernel.diagonal() + 1.0
    candidates = np.arange(1, len(kernel) + 1)
    weights = -np.abs(candidates - (1.0 / degrees).sum())
    lower, upper = bounds or Bounds(1, len(kernel))
    return int(candidates[lower - 1 : upper][weights[lower - 1 : upper].argmax()]), candidates, weights


def _by_log_odds(kernel: Float[np.ndarray, "n n"], bounds: Bounds | None) -> Weighed:
    weights = log_odds(kernel)
    labels = best_partitions([weights], [bounds])[0]
    tree = merge_tree(weights, through=labels)
    gathered = np.concatenate([[0.0], np.cumsum(tree.union_gains)])
    return int(labels.max()) + 1, np.arange(1, len(kernel) + 1), gathered[::-1]


def _by_expected_rand(kernel: Float[np.ndarray, "n n"], bounds: Bounds | None) -> Weighed:
    scores = expected_rand_scores(merge_tree(log_odds(kernel)), kernel)[::-1]
    lower, upper = bounds or Bounds(1, len(kernel))
    n_clusters = lower + int(scores[lower - 1 : upper].argmax())
    return n_clusters, np.arange(1, len(kernel) + 1), scores


_METHODS: dict[str, Callable[[np.ndarray, Bounds | None], Weighed]] = {
    "degree": _by_degree,
    "eigengap": _by_eigengap,
    "expected-rand": _by_expected_rand,
    "log-odds": _by_log_odds,
    "nme": _by_neighbours,
}
