"""Where each item of a sparse graph is drawn: to its own cluster, to the next best, and how clearly."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.special import expit

from abclust.scale.graph_sums import merged_blocks
from abclust.scale.pair_graph import PairGraph, sum_and_count


class Pulls(NamedTuple):
    """Sum and number of the seen pairs of each item within its own cluster, and to the next best one."""

    own_sum: Float[np.ndarray, " n"]
    own_count: Float[np.ndarray, " n"]
    other_sum: Float[np.ndarray, " n"]
    """Of the other cluster with the largest sum; 0 where no pair leads to another cluster."""
    other_count: Float[np.ndarray, " n"]


def cluster_pulls(rows: PairGraph, labels: Int[np.ndarray, " n"], start: int = 0) -> Pulls:
    r"""Sums :math:`s_{ci} = \sum_{j \in c} w_{ij}` of mean log-odds over the seen pairs of each item.

    Parameters
    ----------
    rows : PairGraph of n nodes, or some rows of it
        Each pair counts once here, by its mean.
    labels : integer array (n,)
        0 to k - 1.
    start : int
        The item of the first row.

    Examples
    --------
    >>> from abclust.scale.pair_graph import graph_of
    >>> weights = np.array([[0, 2, -1], [2, 0, -3], [-1, -3, 0]])
    >>> pulls = cluster_pulls(graph_of(weights + 1j * (weights != 0)), np.array([0, 0, 1]))
    >>> pulls.own_sum.tolist(), pulls.other_sum.tolist()
    ([2.0, 2.0, 0.0], [-1.0, -3.0, -4.0])
    """
    n_rows, n_clusters = rows.n_nodes, int(labels.max()) + 1
    means: Any = csr_array(
        (sum_and_count(rows.means, 1.0), rows.columns, rows.pointers), shape=(n_rows, len(labels))
    )
    member = csr_array(
        (np.ones(len(labels), np.float32), labels.astype(np.int32), np.arange(len(labels) + 1)),
        shape=(len(labels), n_clusters),
    )
    means = (means @ member).tocsr()
    found_sums, found_counts = means.data.real, means.data.imag
    item = np.repeat(np.arange(n_rows), np.diff(means.indptr))
    is_own = means.indices == labels[start + item]
    own_sum, own_count, other_sum, other_count = np.zeros((4, n_rows), dtype=np.float32)
    own_sum[item[is_own]], own_count[item[is_own]] = found_sums[is_own], found_counts[is_own]
    place = _largest_of_row(np.where(is_own, -np.inf, found_sums), means.indptr)
    is_drawn = place >= 0
    other_sum[is_drawn], other_count[is_drawn] = found_sums[place[is_drawn]], found_counts[place[is_drawn]]
    return Pulls(own_sum, own_count, other_sum, other_count)


def item_confidence(graphs: Sequence[PairGraph], labels: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """How clearly each item belongs to its cluster, over the pairs that were seen in one graph or another.

    As :func:`abclust.clustering.log_odds.confidence.item_confidence`: what the objective would lose by the
    item's next-best move, divided by the number of pairs it rests on, as a probability. An item that no pair
    speaks about is certain: 1.
    """
    confidence = np.ones(len(labels))
    for start, rows in merged_blocks(graphs):
        pulls = cluster_pulls(rows, labels, start)
        # An item alone has no cluster to leave: its next best is the other cluster, however bad.
        leaves_alone = (pulls.other_sum <= 0) & (pulls.own_count > 0)
        loss = pulls.own_sum - np.where(leaves_alone, 0.0, pulls.other_sum)
        n_pairs = pulls.own_count + np.where(leaves_alone, 0.0, pulls.other_count)
        certain = np.where(n_pairs > 0, expit(loss / np.maximum(n_pairs, 1.0)), 1.0)
        confidence[start : start + len(certain)] = certain
    return confidence


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
