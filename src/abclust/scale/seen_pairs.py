"""One sparse symmetric graph from many local sets: what was said about each pair, from both of its sides."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array

from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND
from abclust.scale.local_sets import LocalSets
from abclust.scale.pair_graph import Entries, PairGraph, add_up, row_blocks, stack_blocks


def seen_pairs(sets: LocalSets, rows: Float[np.ndarray, "c m"], n_items: int) -> PairGraph:
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
    PairGraph
        Of n nodes: a pair of which both items stand in the middle of a set is counted from both sides.

    Examples
    --------
    >>> sets = LocalSets(np.array([[0, 1]], np.int32), np.array([0, 1]), np.array([0, 0]))
    >>> graph = seen_pairs(sets, np.array([[0.0, 2.0], [2.0, 0.0]], np.float32), 2)
    >>> graph.columns.tolist(), graph.sums.tolist(), graph.counts.tolist()
    ([1, 0], [4.0, 4.0], [2, 2])
    """
    return stack_blocks(
        _blocks(sets, rows, n_items), n_items, 2 * rows.size, precision=np.float32, counter=np.uint16
    )


def _blocks(sets: LocalSets, rows: Float[np.ndarray, "c m"], n_items: int) -> Iterator[Any]:
    size = rows.shape[1]
    heard = _by_column(sets, rows, n_items)
    lengths = np.diff(heard.indptr)
    lengths[sets.middle] += size
    for start, stop in row_blocks(lengths):
        # What items of the block say in the middle of their sets, and what others say of them in theirs.
        first, last = np.searchsorted(sets.middle, [start, stop])
        said = sets.items[sets.set_of_middle[first:last]]
        own = np.repeat(sets.middle[first:last] - start, size)
        of_block = slice(heard.indptr[start], heard.indptr[stop])
        others = sets.middle[heard.indices[of_block]]
        listened = np.repeat(np.arange(stop - start), np.diff(heard.indptr[start : stop + 1]))
        values = np.concatenate([rows[first:last].ravel(), heard.data[of_block]])
        np.clip(values, -LOG_ODDS_BOUND, LOG_ODDS_BOUND, out=values)
        entries = Entries(
            np.concatenate([own, listened]).astype(np.int32),
            np.concatenate([said.ravel(), others]).astype(np.int32),
            values,
            np.ones(len(values), dtype=np.uint8),
        )
        yield add_up(entries, (stop - start, n_items))


def _by_column(sets: LocalSets, rows: Float[np.ndarray, "c m"], n_items: int) -> Any:
    """The same numbers by the items that they speak of: scipy's csc_array (c, n)."""
    n_middle, size = rows.shape
    columns = sets.items[sets.set_of_middle].ravel()
    pointers = np.arange(0, rows.size + 1, size)
    said: Any = csr_array((np.asarray(rows).reshape(-1), columns, pointers), shape=(n_middle, n_items))
    return said.tocsc()
