"""The one order in which a report shows items: large clusters first, certain items first."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

N_COLOURS = 6
N_MARKERS = 7


@dataclass(frozen=True)
class ClusterSpan:
    """A cluster as a stretch of the order.

    Attributes
    ----------
    label : int
        Its number, as everywhere else in abclust.
    rank : int
        0 for the largest cluster; decides colour and marker.
    start, stop : int
        Its items are ``order.items[start:stop]``.
    """

    label: int
    rank: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        return self.stop - self.start

    @property
    def colour(self) -> int:
        return self.rank % N_COLOURS

    @property
    def marker(self) -> int:
        # Six colours and seven markers have no common divisor: 42 clusters before a pair repeats.
        return self.rank % N_MARKERS


@dataclass(frozen=True)
class ClusterOrder:
    """All items of a set, cluster by cluster.

    Attributes
    ----------
    items : integer array of shape (n,)
        Item numbers in the order of the report.
    clusters : tuple of ClusterSpan
        Large ones first.
    """

    items: Int[np.ndarray, " n"]
    clusters: tuple[ClusterSpan, ...]

    def cluster(self, label: int) -> ClusterSpan:
        """The cluster of that number."""
        return next(span for span in self.clusters if span.label == label)


def cluster_order(labels: Int[np.ndarray, " n"], confidence: Float[np.ndarray, " n"]) -> ClusterOrder:
    """Order by size of the cluster, then its number, then falling confidence, then item number.

    Parameters
    ----------
    labels : integer array of shape (n,), in canonical order
    confidence : array of shape (n,)

    Examples
    --------
    >>> order = cluster_order(np.array([0, 1, 1, 1]), np.array([0.9, 0.6, 0.8, 0.7]))
    >>> order.items.tolist(), [(span.label, span.size) for span in order.clusters]
    ([2, 3, 1, 0], [(1, 3), (0, 1)])
    """
    sizes = np.bincount(labels)
    items = np.lexsort((np.arange(len(labels)), -confidence, labels, -sizes[labels]))
    present = [int(label) for label in np.lexsort((np.arange(len(sizes)), -sizes)) if sizes[label]]
    stops = np.cumsum([sizes[label] for label in present]).tolist()
    spans = (
        ClusterSpan(label, rank, stop - int(sizes[label]), stop)
        for rank, (label, stop) in enumerate(zip(present, stops))
    )
    return ClusterOrder(items, tuple(spans))
