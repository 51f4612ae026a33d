"""New items among old clusters: they join one of them or open new ones; what was clustered stays as it was.

The network sees old and new items together, because an item means what it means among the others. Then the
partition with the most log-odds is sought among those that keep the old clusters as they are: the items of
one must stay together and no two of them may be joined, while a new item is free to join one, to stay alone,
or to open a cluster with other new items.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit, logit

from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND
from abclust.estimator.item_preparation import prepare_set
from abclust.estimator.set_clusterer import SetClusterer

METHOD = "log-odds"
"""Whatever method clustered the old items: it is the one that weighs evidence and takes constraints."""

Links = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class JointSet:
    """Old and new items as one question for :func:`abclust.cluster_kernel`.

    Attributes
    ----------
    prepared
        What the network saw, old items first. Shape (n + m, ...).
    kernel
        Calibrated for log-odds clustering. Shape (n + m, n + m).
    n_clusters
        How many clusters there may be, (fewest, most), or None.
    must_link, cannot_link
        The old clusters, and new items that equal an old one.
    """

    prepared: Float[np.ndarray, "n ..."]
    kernel: Float[np.ndarray, "n n"]
    n_clusters: tuple[int, int] | None
    must_link: Links
    cannot_link: Links

    @classmethod
    def of(
        cls,
        clusterer: SetClusterer,
        old: Float[np.ndarray, "n *item"],
        labels: Int[np.ndarray, " n"],
        new: Float[np.ndarray, "m *item"],
    ) -> "JointSet":
        """Old items with their labels, in canonical order, and new ones; read, but not yet prepared."""
        prepared = prepare_set(clusterer.network, np.concatenate([old, new.astype(old.dtype)]))
        (kernel,) = clusterer.kernels([prepared], METHOD)
        must_link, cannot_link = links_of(labels)
        twins = find_twins(old, new)
        must_link += [(int(twins[i]), len(old) + int(i)) for i in np.flatnonzero(twins >= 0)]
        n_old = int(labels.max()) + 1
        return cls(prepared, kernel, allowed(clusterer.n_clusters, n_old, len(new)), must_link, cannot_link)

    def question(self) -> dict[str, Any]:
        """Arguments of ``cluster_kernel`` beside the kernel; old labels come out unchanged."""
        return {
            "n_clusters": self.n_clusters,
            "method": METHOD,
            "must_link": self.must_link,
            "cannot_link": self.cannot_link,
        }


def links_of(labels: Int[np.ndarray, " n"]) -> tuple[Links, Links]:
    """Clusters as constraints: must-links along each, cannot-links between the first items of any two.

    Examples
    --------
    >>> links_of(np.array([0, 1, 0, 0]))
    ([(0, 2), (2, 3)], [(0, 1)])
    """
    members = [np.flatnonzero(labels == label).tolist() for label in range(int(labels.max()) + 1)]
    along = [pair for items in members for pair in pairwise(items)]
    first = [items[0] for items in members]
    return along, [(one, other) for place, one in enumerate(first) for other in first[place + 1 :]]


def find_twins(old: Float[np.ndarray, "n *item"], new: Float[np.ndarray, "m *item"]) -> Int[np.ndarray, " m"]:
    """For each new item the first old item that equals it, number for number; -1 where there is none.

    Missing values equal each other, and so do the two zeros.

    Examples
    --------
    >>> find_twins(np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([[3.0, np.nan], [1.0, 1.0]]))
    array([ 1, -1])
    """
    places: dict[bytes, int] = {}
    for place, key in enumerate(_keys(old)):
        places.setdefault(key, place)
    return np.array([places.get(key, -1) for key in _keys(new)], dtype=np.int64)


def allowed(n_clusters: Any, n_old: int, n_new: int) -> tuple[int, int] | None:
    """How many clusters there may be with the new items: any number, no more than before, or up to a limit.

    Examples
    --------
    >>> allowed(None, 3, 5), allowed(3, 3, 5), allowed((2, 6), 3, 5)
    (None, (3, 3), (3, 6))
    """
    if n_clusters is None:
        return None
    most = n_old if isinstance(n_clusters, int | np.integer) else max(n_old, int(n_clusters[1]))
    return n_old, min(most, n_old + n_new)


def memberships(
    kernel: Float[np.ndarray, "rows n"], labels: Int[np.ndarray, " n"], itself: Int[np.ndarray, " rows"]
) -> Float[np.ndarray, "rows k"]:
    """How strongly items are drawn to each cluster: the sigmoid of the mean log-odds with its items.

    Parameters
    ----------
    kernel
        Probabilities that some items (rows) and clustered items (columns) belong together.
    labels
        Clusters of the columns, in canonical order.
    itself
        The column of a row's own item, which is left out of the mean; -1 if it has none. An item that is all
        of its cluster is drawn to it with 1.

    Examples
    --------
    >>> kernel = np.array([[1.0, 0.8, 0.1], [0.1, 0.1, 1.0]])
    >>> memberships(kernel, np.array([0, 0, 1]), np.array([0, 2])).round(3).tolist()
    [[0.8, 0.1], [0.1, 1.0]]
    """
    weights = np.clip(logit(kernel), -LOG_ODDS_BOUND, LOG_ODDS_BOUND)
    is_member = labels[:, None] == np.arange(int(labels.max()) + 1)
    counts = np.tile(is_member.sum(axis=0).astype(np.float64), (len(weights), 1))
    own = np.flatnonzero(itself >= 0)
    weights[own, itself[own]] = 0.0
    counts[own, labels[itself[own]]] -= 1.0
    return np.where(counts > 0, expit(weights @ is_member / np.maximum(counts, 1.0)), 1.0)


def _keys(items: Float[np.ndarray, "n *item"]) -> list[bytes]:
    """Equal keys for equal items: adding 0 turns -0 into 0, and every NaN becomes the same one."""
    plain = items.astype(np.float64) + 0.0
    plain[np.isnan(plain)] = np.nan
    return [item.tobytes() for item in plain]
