"""Sums of graphs of pairs: of several over the same nodes, and of one over the clusters of its nodes."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from abclust.scale.pair_graph import Entries, PairGraph, add_up, row_blocks, stack_blocks, sum_and_count


def contract_nodes(graph: PairGraph, labels: Int[np.ndarray, " n"], n_clusters: int) -> PairGraph:
    """Clusters as nodes: sums and counts between two clusters are those of all their pairs.

    Parameters
    ----------
    graph
        Of n nodes.
    labels
        0 to `n_clusters` - 1.

    Returns
    -------
    PairGraph
        Of k nodes, double precision, without what is within a cluster: that has been decided.
    """
    return stack_blocks(_contracted_blocks(graph, labels, n_clusters), n_clusters, graph.n_entries)


def _contracted_blocks(graph: PairGraph, labels: Int[np.ndarray, " n"], n_clusters: int) -> Iterator[Any]:
    """Some clusters at a time: the rows of all their nodes, columns renumbered, added up by a product."""
    order = np.argsort(labels, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=n_clusters))])
    lengths = graph.lengths
    until = np.concatenate([[0], np.cumsum(lengths[order])])
    numbers = labels.astype(np.int32)
    for start, stop in row_blocks(np.diff(until[bounds])):
        nodes = order[bounds[start] : bounds[stop]]
        pointers = until[bounds[start] : bounds[stop] + 1] - until[bounds[start]]
        # Rows of these nodes lie anywhere: from each row's begin count on to its end.
        places = np.repeat(graph.pointers[nodes] - pointers[:-1], lengths[nodes]) + np.arange(pointers[-1])
        data = sum_and_count(graph.sums[places].astype(np.float64), graph.counts[places])
        rows = csr_array((data, numbers[graph.columns[places]], pointers), shape=(len(nodes), n_clusters))
        ones, members = np.ones(len(nodes)), np.arange(len(nodes))
        yield csr_array((ones, members, bounds[start : stop + 1] - bounds[start])) @ rows


def add_graphs(graphs: Sequence[PairGraph]) -> PairGraph:
    """One graph of all that several say about pairs of the same nodes, of the first one's types."""
    first = graphs[0]
    return stack_blocks(
        (block for _, block in _added_blocks(graphs)),
        first.n_nodes,
        sum(graph.n_entries for graph in graphs),
        precision=first.sums.dtype,
        counter=first.counts.dtype,
    )


def merged_blocks(graphs: Sequence[PairGraph]) -> Iterator[tuple[int, PairGraph]]:
    """The sum of several graphs in blocks of rows, (first row, block), for those who need each row once."""
    if len(graphs) == 1:
        for start, stop in row_blocks(graphs[0].lengths):
            yield start, graphs[0].rows(start, stop)
        return
    for start, block in _added_blocks(graphs):
        yield start, PairGraph(block.indptr, block.indices, block.data.real, block.data.imag.astype(np.int64))


def _added_blocks(graphs: Sequence[PairGraph]) -> Iterator[tuple[int, Any]]:
    """(First row, block) of the sum, as scipy's csr_array of sum + i count."""
    lengths = np.sum([graph.lengths for graph in graphs], axis=0)
    for start, stop in row_blocks(lengths):
        parts = [Entries.of(graph.rows(start, stop)) for graph in graphs]
        entries = Entries(*(np.concatenate(column) for column in zip(*parts)))
        yield start, add_up(entries, (stop - start, graphs[0].n_nodes))
