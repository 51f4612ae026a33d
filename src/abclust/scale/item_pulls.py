"""Where each item of a sparse graph is drawn: to its own cluster, to the next best, and how clearly."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.special import expit

from abclust.scale.pair_graph import graph_rows, sum_and_count


class Pulls(NamedTuple):
    """Sum and number of the seen pairs of each item within its own cluster, and to the next best one."""

    own_sum: Float[np.ndarray, " n"]
    own_count: Float[np.ndarray, " n"]
    other_sum: Float[np.ndarray, " n"]
    """Of the other cluster with the largest sum; 0 where no pair leads to another cluster."""
    other_count: Float[np.ndarray, " n"]


def cluster_pulls(graph: csr_array, labels: Int[np.ndarray, " n"]) -> Pulls:
    r"""Sums :math:`s_{ci} = \sum_{j \in c} w_{ij}` of mean log-odds over the seen pairs of each item.

    Parameters
    ----------
    graph : csr_array (n, n)
        Sum + i count of each pair; each pair counts once here, by its mean.
    labels : integer array (n,)
        0 to k - 1.

    Examples
    --------
    >>> weights = np.array([[0, 2, -1], [2, 0, -3], [-1, -3, 0]])
    >>> pulls = cluster_pulls(csr_array(weights + 1j * (weights != 0)), np.array([0, 0, 1]))
    >>> pulls.own_sum.tolist(), pulls.other_sum.tolist()
    ([2.0, 2.0, 0.0], [-1.0, -3.0, -4.0])
    """
    n_items, n_clusters = len(labels), int(labels.max()) + 1
    pairs = graph_rows(graph)
    means: Any = csr_array(
        (sum_and_count(pairs.means, 1.0), pairs.columns, pairs.pointers), shape=(n_items, n_items)
    )
    member = csr_array(
        (np.ones(n_items, np.float32), labels.astype(np.int32), np.arange(n_items + 1)),
        shape=(n_items, n_clusters),
    )
    found = graph_rows((means @ member).tocsr())
    rows = np.repeat(np.arange(n_items, dtype=np.int32), found.lengths)
    is_own = found.columns == labels[rows]
    own_sum, own_count, other_sum, other_count = np.zeros((4, n_items), dtype=np.float32)
    own_sum[rows[is_own]], own_count[rows[is_own]] = found.sums[is_own], found.counts[is_own]
    place = _largest_of_row(np.where(is_own, -np.inf, found.sums), found.pointers)
    is_drawn = place >= 0
    other_sum[is_drawn], other_count[is_drawn] = found.sums[place[is_drawn]], found.counts[place[is_drawn]]
    return Pulls(own_sum, own_count, other_sum, other_count)


def item_confidence(graph: csr_array, labels: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """How clearly each item belongs to its cluster, over the pairs that were seen.

    As :func:`abclust.clustering.log_odds.confidence.item_confidence`: what the objective would lose by the
    item's next-best move, divided by the number of pairs it rests on, as a probability. An item that no pair
    speaks about is certain: 1.
    """
    pulls = cluster_pulls(graph, labels)
    # An item alone has no cluster of its own to leave for: its next best is the other cluster, however bad.
    leaves_alone = (pulls.other_sum <= 0) & (pulls.own_count > 0)
    loss = pulls.own_sum - np.where(leaves_alone, 0.0, pulls.other_sum)
    n_pairs = pulls.own_count + np.where(leaves_alone, 0.0, pulls.other_count)
    return np.where(n_pairs > 0, expit(loss / np.maximum(n_pairs, 1.0)), 1.0).astype(np.float64)


def _largest_of_row(values: Float[np.ndarray, " z"], pointers: Int[np.ndarray, " p"]) -> np.ndarray:
    """The place of the first largest finite value of each row; -1 where there is none."""
    place = np.full(len(pointers) - 1, -1)
    filled = np.flatnonzero(np.diff(pointers))
    if not len(filled):
        return place
    largest = np.maximum.reduceat(values, pointers[filled])
    is_largest = values == np.repeat(largest, np.diff(pointers)[filled])
    places = np.flatnonzero(is_largest)
    place[filled] = places[np.searchsorted(places, pointers[filled])]
    place[filled[~np.isfinite(largest)]] = -1
    return place
