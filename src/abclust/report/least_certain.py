"""The items that a person should look at first: those whose cluster is least clear."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from abclust.report.cluster_order import ClusterSpan
from abclust.report.described_set import DescribedSet
from abclust.report.thumbnails import Thumbnailer


@dataclass(frozen=True)
class UncertainItem:
    """An item, its cluster and the cluster that pulls next.

    Attributes
    ----------
    position : int
        Its place in the order of the report.
    name, true_class : str
        The true class is empty if unknown.
    picture : str or None
    confidence : float
    own, other : ClusterSpan
        `other` is the cluster with the highest mean probability besides its own; None if there is one only.
    own_pull, other_pull : float or None
        Mean probability of belonging together with the items there; None with nobody.
    """

    position: int
    name: str
    true_class: str
    picture: str | None
    confidence: float
    own: ClusterSpan
    own_pull: float | None
    other: ClusterSpan | None
    other_pull: float | None


def least_certain(confidence: Float[np.ndarray, " n"], most: int) -> Int[np.ndarray, " m"]:
    """The numbers of the least certain items, the least certain first; of equals the first.

    Examples
    --------
    >>> least_certain(np.array([0.9, 0.5, 0.7, 0.5]), 3).tolist()
    [1, 3, 2]
    """
    return np.argsort(confidence, kind="stable")[:most]


def uncertain_items(
    described: DescribedSet, items: Int[np.ndarray, " m"], thumbnail: Thumbnailer | None
) -> list[UncertainItem]:
    """Tell of each item which cluster it is in and which one pulls next."""
    positions = np.empty(described.n_items, dtype=np.int64)
    positions[described.order.items] = np.arange(described.n_items)
    return [_uncertain_item(described, item, int(positions[item]), thumbnail) for item in items.tolist()]


def _uncertain_item(
    described: DescribedSet, item: int, position: int, thumbnail: Thumbnailer | None
) -> UncertainItem:
    labels = described.partition.labels
    others = np.arange(described.n_items) != item
    counts = np.bincount(labels[others], minlength=described.partition.n_clusters)
    sums = np.bincount(labels[others], described.kernel[item, others], described.partition.n_clusters)
    pulls = np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)  # below every probability
    own = int(labels[item])
    own_pull = float(pulls[own]) if counts[own] else None
    pulls[own] = -2.0
    other = int(pulls.argmax()) if described.partition.n_clusters > 1 else None
    return UncertainItem(
        position=position,
        name=described.names[item],
        true_class="" if described.true_labels is None else str(described.true_labels[item]),
        picture=None if thumbnail is None else thumbnail(item),
        confidence=float(described.partition.confidence[item]),
        own=described.order.cluster(own),
        own_pull=own_pull,
        other=None if other is None else described.order.cluster(other),
        other_pull=None if other is None else float(pulls[other]),
    )
