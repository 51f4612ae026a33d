"""One sparse symmetric graph from many local sets: the mean log-odds of each pair over the sets that saw it.

Sum and count of a pair travel as the real and imaginary part of one complex number: adding sparse matrices,
transposing them and contracting their nodes then keeps both, and their quotient is the mean.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import coo_array, csr_array

from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND
from abclust.scale.local_sets import LocalSets


class GraphRows(NamedTuple):
    """A sparse graph, row by row: where each row begins, the columns, and sum and count of each pair."""

    pointers: Int[np.ndarray, " p"]
    columns: Int[np.ndarray, " z"]
    sums: Float[np.ndarray, " z"]
    counts: Float[np.ndarray, " z"]

    @property
    def n_nodes(self) -> int:
        return len(self.pointers) - 1

    @property
    def means(self) -> Float[np.ndarray, " z"]:
        return self.sums / self.counts

    @property
    def lengths(self) -> Int[np.ndarray, " n"]:
        return np.diff(self.pointers)


def graph_rows(graph: csr_array) -> GraphRows:
    """The arrays of a graph, as views.

    Examples
    --------
    >>> graph_rows(csr_array(np.array([[0, 4 + 2j], [4 + 2j, 0]]))).means.tolist()
    [2.0, 2.0]
    """
    raw: Any = graph  # the stubs know scipy's arrays of real numbers only
    return GraphRows(raw.indptr, raw.indices, raw.data.real, raw.data.imag)


def sum_and_count(sums: Float[np.ndarray, " z"], counts: Any) -> Any:
    """One complex number a pair, single precision."""
    data = np.empty(len(sums), dtype=np.complex64)
    data.real, data.imag = sums, counts
    return data


def seen_pairs(sets: LocalSets, rows: Float[np.ndarray, "c m"], n_items: int) -> csr_array:
    """The graph of what one round of local sets said.

    Parameters
    ----------
    sets
        Local sets.
    rows
        For each item in the middle of a set its log-odds to all items of that set, in their order.
    n_items
        n.

    Returns
    -------
    csr_array of shape (n, n), complex64
        Sum + i count, symmetric, with an empty diagonal and sorted columns: a pair of which both items stand
        in the middle of a set is counted from both sides.

    Examples
    --------
    >>> sets = LocalSets(np.array([[0, 1]], np.int32), np.array([0, 1]), np.array([0, 0]))
    >>> seen_pairs(sets, np.array([[0.0, 2.0], [2.0, 0.0]], np.float32), 2).toarray()
    array([[0.+0.j, 4.+2.j],
           [4.+2.j, 0.+0.j]], dtype=complex64)
    """
    columns = sets.items[sets.set_of_middle]
    is_pair = columns != sets.middle[:, None].astype(columns.dtype)
    counts = np.zeros(n_items, dtype=np.int64)
    counts[sets.middle] = is_pair.sum(axis=1)
    pointers = np.concatenate([[0], np.cumsum(counts)])
    data = sum_and_count(np.clip(rows[is_pair], -LOG_ODDS_BOUND, LOG_ODDS_BOUND), 1.0)
    directed: Any = csr_array((data, columns[is_pair], pointers), shape=(n_items, n_items))
    graph = directed + directed.T.tocsr()
    graph.sort_indices()
    return graph


def mean_log_odds(graph: csr_array) -> csr_array:
    """The same pairs with sum / count in place of the two: the graph that a caller sees.

    Examples
    --------
    >>> mean_log_odds(csr_array(np.array([[0, 4 + 2j], [4 + 2j, 0]]))).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    rows = graph_rows(graph)
    return csr_array((rows.means, rows.columns, rows.pointers), shape=(rows.n_nodes, rows.n_nodes))


def contract_nodes(graph: csr_array, labels: Int[np.ndarray, " n"], n_clusters: int) -> csr_array:
    """Clusters as nodes: sums and counts between two clusters are those of all their pairs.

    Parameters
    ----------
    graph
        Sum + i count, symmetric.
    labels
        0 to `n_clusters` - 1.

    Returns
    -------
    csr_array of shape (k, k), complex128
        With an empty diagonal: what is within a cluster has been decided.
    """
    entries: Any = graph.tocoo()
    numbers = labels.astype(np.int32)
    first, second = numbers[entries.row], numbers[entries.col]
    # One of the two triangles carries all, and half of the memory, which is largest here.
    is_above = first < second
    # Double precision from here on: sums grow, and there are fewer of them.
    data = entries.data[is_above].astype(np.complex128)
    above: Any = coo_array((data, (first[is_above], second[is_above])), shape=(n_clusters, n_clusters))
    merged = above.tocsr()
    return (merged + merged.T).tocsr()
