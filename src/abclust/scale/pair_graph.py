"""A sparse symmetric graph of pairs: sum and number of what was said about each, in as few bytes as will do.

Everything that makes a graph goes through it by blocks of rows, so that beside the old graph and the new one
only a block is in memory. Within a block sum and count of a pair travel as the real and imaginary part of one
complex number: scipy's addition of duplicates then keeps both.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.sparse import coo_array, csr_array

ENTRIES_IN_A_BLOCK = 2**20
"""Some tens of megabytes while a block is put together."""


class PairGraph(NamedTuple):
    """Row by row: where each row begins, the columns, ascending, and sum and count of each pair.

    Symmetric, with an empty diagonal. Between items sums are of single precision and counts of 16 bits, ten
    bytes an entry with its column; between clusters sums grow, and there are fewer of them: double precision.
    """

    pointers: Int[np.ndarray, " p"]
    columns: Int[np.ndarray, " z"]
    sums: Float[np.ndarray, " z"]
    counts: Int[np.ndarray, " z"]

    @property
    def n_nodes(self) -> int:
        return len(self.pointers) - 1

    @property
    def n_entries(self) -> int:
        return int(self.pointers[-1])

    @property
    def means(self) -> Float[np.ndarray, " z"]:
        """Mean log-odds of each pair, of the sums' own precision."""
        return self.sums / self.counts.astype(self.sums.dtype)

    @property
    def lengths(self) -> Int[np.ndarray, " n"]:
        return np.diff(self.pointers)

    def rows(self, start: int, stop: int) -> "PairGraph":
        """The rows from `start` to `stop` as a graph of their own, as views; columns keep their numbers."""
        first, last = int(self.pointers[start]), int(self.pointers[stop])
        pointers = self.pointers[start : stop + 1] - first
        return PairGraph(pointers, self.columns[first:last], self.sums[first:last], self.counts[first:last])


class Entries(NamedTuple):
    """Pairs in any order, the same one perhaps several times."""

    rows: Int[np.ndarray, " z"]
    columns: Int[np.ndarray, " z"]
    sums: Float[np.ndarray, " z"]
    counts: Shaped[np.ndarray, " z"]

    @classmethod
    def of(cls, graph: PairGraph) -> "Entries":
        """The entries of a graph, row by row."""
        rows = np.repeat(np.arange(graph.n_nodes, dtype=np.int32), graph.lengths)
        return cls(rows, graph.columns, graph.sums, graph.counts)


def row_blocks(lengths: Int[np.ndarray, " n"], most: int = ENTRIES_IN_A_BLOCK) -> Iterator[tuple[int, int]]:
    """Consecutive rows, (first, one past the last), of about `most` entries together.

    Examples
    --------
    >>> list(row_blocks(np.array([3, 3, 9, 1]), most=6))
    [(0, 2), (2, 3), (3, 4)]
    """
    ends = np.cumsum(lengths)
    start = 0
    while start < len(lengths):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield start, stop
        start = stop


def sum_and_count(sums: Float[np.ndarray, " z"], counts: Any) -> Any:
    """One complex number an entry, of the sums' precision."""
    data = np.empty(len(sums), dtype=np.complex64 if sums.dtype == np.float32 else np.complex128)
    data.real, data.imag = sums, counts
    return data


def add_up(entries: Entries, shape: tuple[int, int]) -> Any:
    """Entries of the same pair added up: scipy's csr_array of sum + i count."""
    data = sum_and_count(entries.sums, entries.counts)
    return coo_array((data, (entries.rows, entries.columns)), shape=shape).tocsr()


def stack_blocks(
    blocks: Iterable[Any],
    n_nodes: int,
    capacity: int,
    *,
    precision: Any = np.float64,
    counter: Any = np.int32,
) -> PairGraph:
    """Put a graph together from its rows; what a node has with itself is dropped.

    Parameters
    ----------
    blocks
        Block after block of rows: scipy's csr_array of sum + i count, no column twice in a row.
    n_nodes
        Number of all rows, and of columns.
    capacity
        Entries that there can be at most. Room is reserved for so many, and memory taken for those there are.
    precision, counter
        Types of sums and counts.
    """
    columns = np.empty(capacity, dtype=np.int32)
    sums, counts = np.empty(capacity, dtype=precision), np.empty(capacity, dtype=counter)
    lengths = np.zeros(n_nodes + 1, dtype=np.int64)
    row = filled = 0
    for block in blocks:
        block.sort_indices()
        n_rows = block.shape[0]
        nodes = np.repeat(np.arange(row, row + n_rows, dtype=np.int32), np.diff(block.indptr))
        is_pair = block.indices != nodes
        end = filled + int(is_pair.sum())
        columns[filled:end] = block.indices[is_pair]
        data = block.data[is_pair]
        sums[filled:end], counts[filled:end] = data.real, data.imag
        lengths[row + 1 : row + n_rows + 1] = np.bincount(nodes[is_pair] - row, minlength=n_rows)
        row, filled = row + n_rows, end
    return PairGraph(np.cumsum(lengths), columns[:filled], sums[:filled], counts[:filled])


def graph_of(weights: Any) -> PairGraph:
    """The graph of a dense or sparse symmetric matrix of sum + i count.

    Examples
    --------
    >>> graph_of(np.array([[0, 4 + 2j], [4 + 2j, 0]])).means.tolist()
    [2.0, 2.0]
    """
    pairs: Any = csr_array(weights).tocoo()
    rows, columns = pairs.coords
    entries = Entries(rows.astype(np.int32), columns.astype(np.int32), pairs.data.real, pairs.data.imag)
    return stack_blocks([add_up(entries, pairs.shape)], pairs.shape[0], pairs.nnz)


def mean_log_odds(graph: PairGraph) -> csr_array:
    """The same pairs with sum / count in place of the two: the graph that a caller sees.

    Examples
    --------
    >>> mean_log_odds(graph_of(np.array([[0, 4 + 2j], [4 + 2j, 0]]))).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    return csr_array((graph.means, graph.columns, graph.pointers), shape=(graph.n_nodes, graph.n_nodes))
