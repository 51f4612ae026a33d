"""The whole merge tree of a set: every resolution from single items to one cluster."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from abclust.clustering.canonical_labels import canonical_labels
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class MergeTree:
    """Average linkage on log-odds, in the form of :func:`scipy.cluster.hierarchy.linkage`.

    Attributes
    ----------
    linkage : array of shape (n - 1, 4)
        Row t joins the clusters ``linkage[t, 0]`` and ``linkage[t, 1]`` to the cluster n + t; column 2 is a
        height that never falls, column 3 the size. :func:`scipy.cluster.hierarchy.dendrogram` draws it.
    mean_log_odds : array of shape (n - 1,)
        The mean log-odds between the two clusters of each row; below 0 the evidence was against the union.

    Examples
    --------
    >>> weights = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, -3.0], [-1.0, -3.0, 0.0]])
    >>> tree = merge_tree(weights)
    >>> tree.cut(2).tolist(), tree.mean_log_odds.tolist()
    ([0, 0, 1], [2.0, -2.0])
    """

    linkage: Float[np.ndarray, "rows 4"]
    mean_log_odds: Float[np.ndarray, " rows"]

    @property
    def n_items(self) -> int:
        return len(self.linkage) + 1

    @property
    def union_gains(self) -> Float[np.ndarray, " rows"]:
        """What each union adds to the objective: its mean log-odds times the number of pairs it joins."""
        sizes = np.concatenate([np.ones(self.n_items), self.linkage[:, 3]])
        first, second = self.linkage[:, :2].astype(np.int64).T
        return self.mean_log_odds * sizes[first] * sizes[second]

    def cut(self, n_clusters: int) -> Int[np.ndarray, " n"]:
        """The labels of the level with exactly `n_clusters` clusters."""
        if not 1 <= n_clusters <= self.n_items:
            raise InvalidInputError(
                f"n_clusters must be from 1 to {self.n_items}, the number of items. Got {n_clusters}."
            )
        return self._labels_after(self.n_items - n_clusters)

    def cut_at(self, log_odds: float = 0.0) -> Int[np.ndarray, " n"]:
        """The labels before the first union whose height says less than `log_odds`."""
        return self._labels_after(self.n_unions_above(log_odds))

    def n_unions_above(self, log_odds: float) -> int:
        return int(np.searchsorted(-np.minimum.accumulate(self.mean_log_odds), -log_odds, side="left"))

    def _labels_after(self, n_unions: int) -> Int[np.ndarray, " n"]:
        parent = np.arange(self.n_items + n_unions)
        children = self.linkage[:n_unions, :2].astype(np.int64)
        parent[children] = np.arange(self.n_items, len(parent))[:, None]
        # Each jump doubles the distance, so a tree of depth t has its roots after log2(t) jumps.
        while not np.array_equal(grandparent := parent[parent], parent):
            parent = grandparent
        return canonical_labels(parent[: self.n_items])


def merge_tree(weights: Float[np.ndarray, "n n"], through: Int[np.ndarray, " n"] | None = None) -> MergeTree:
    """Build the tree by average linkage: join, again and again, the two clusters of highest mean log-odds.

    Parameters
    ----------
    weights : array of shape (n, n)
        Symmetric log-odds with a zero diagonal.
    through : integer array of shape (n,), optional
        A partition that the tree passes through: its clusters are completed before any two of them are
        joined, so that ``tree.cut(k)`` at the partition's own k gives it back.
    """
    n_items = len(weights)
    if n_items == 1:
        return MergeTree(np.empty((0, 4)), np.empty(0))
    highest = float(weights.max())
    distances = highest - _upper_triangle(weights)
    if through is None:
        rows = linkage(distances, method="average")
        return MergeTree(rows, highest - rows[:, 2])
    # A distance between clusters that exceeds all distances within them postpones every union across.
    apart = float(distances.max()) + 1.0
    across = pdist(through[:, None], metric="hamming")
    rows = linkage(distances + apart * across, method="average")
    rows[len(rows) - int(through.max()) :, 2] -= apart
    mean_log_odds = highest - rows[:, 2]
    rows[:, 2] = np.maximum.accumulate(rows[:, 2])
    return MergeTree(rows, mean_log_odds)


def _upper_triangle(weights: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " pairs"]:
    """The entries above the diagonal, row by row; scipy's squareform would first copy the whole matrix."""
    n_items = len(weights)
    condensed = np.empty(n_items * (n_items - 1) // 2)
    stop = 0
    for row in range(n_items - 1):
        start, stop = stop, stop + n_items - 1 - row
        condensed[start:stop] = weights[row, row + 1 :]
    return condensed
