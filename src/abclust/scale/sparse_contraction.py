"""Average linkage of log-odds on a sparse graph, in vectorised rounds of mutual best merges."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from abclust.clustering.canonical_labels import canonical_labels
from abclust.scale.graph_sums import contract_nodes
from abclust.scale.pair_graph import PairGraph, row_blocks

SLACK = 0.1
"""A node may also join its best partner if that partner's own best is better by no more than this share. With
mutual best merges alone a cluster takes in one straggler a round, and rounds would number in thousands."""

_SMALL_SHARE = 0.4
"""A graph with this share of its source's entries takes its place. A round shrinks a graph by a seventh only,
and from the source each round costs as much as the first."""
_EMPTY = PairGraph(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.int32))


def contract_graph(
    graph: PairGraph, *, threshold: float = 0.0, slack: float = SLACK, seed: int = 0
) -> Int[np.ndarray, " n"]:
    r"""Join clusters while the mean log-odds between them are above the threshold, best first.

    The attraction of two clusters is the mean over the pairs between them that were seen,
    :math:`\sum w_{ij} / \#\{ij\}`, so that a large cluster does not swallow its surroundings by the number
    of its pairs. In each round every cluster points to the one that attracts it most; two that point to each
    other are joined, and one that points to a cluster whose own best is hardly better joins that one, as the
    toss of a coin for each cluster allows. What is contracted is at most the share `slack` worse than what
    average linkage would have contracted at that time.

    Parameters
    ----------
    graph : PairGraph of n nodes
        As :func:`~abclust.scale.seen_pairs.seen_pairs` gives it.
    threshold : float
        Even odds are 0; above, clusters are joined with caution.
    slack : float
        In [0, 1). 0 is average linkage, by mutual best pairs.
    seed : int
        Of the coins.

    Returns
    -------
    int64 array (n,)
        Labels in canonical order.

    References
    ----------
    Dhulipala, Eisenstat, Łącki, Mirrokni, Shi: Hierarchical agglomerative graph clustering in
    nearly-linear time. ICML 2021. arXiv:2106.05610

    Examples
    --------
    >>> from abclust.scale.pair_graph import graph_of
    >>> weights = np.array([[0, 2, -1], [2, 0, -3], [-1, -3, 0]])
    >>> contract_graph(graph_of(weights + 1j * (weights != 0)))
    array([0, 0, 1])
    """
    generator = np.random.default_rng(seed)
    labels, n_named = np.full(graph.n_nodes, -1), 0  # of nodes whose cluster is done
    at = place = np.arange(graph.n_nodes)  # where each node, and each node of the source, is in `current`
    source, current = graph, graph
    while current.n_entries:
        best = best_partners(current).less(threshold)
        joined = _joined(best, slack, generator)
        if not joined.any():
            break
        # The mean over a union lies between the means of its parts. So what nothing attracts now nothing ever
        # will, nor will all such clusters together attract anything: one node stands for them from here on,
        # and the graph shrinks to where something can still happen.
        is_done = best.gain <= 0
        named = np.flatnonzero(is_done[at] & (labels < 0))
        labels[named] = n_named + at[named]
        n_named += current.n_nodes
        numbers, n_clusters = _gathered(united(best.partner, joined)[0], is_done)
        at, place = numbers[at], numbers[place]
        # From the source, not from the graph of the last round: that one is let go before the next is made,
        # so that two graphs are in memory at a time and not three.
        current = _EMPTY
        current = contract_nodes(source, place, n_clusters)
        if current.n_entries < _SMALL_SHARE * source.n_entries:
            source, place = current, np.arange(n_clusters)
    return canonical_labels(np.where(labels < 0, n_named + at, labels))


class BestPartners(NamedTuple):
    """For each node the one that attracts it most, and how much; -inf and itself where there is none."""

    partner: Int[np.ndarray, " n"]
    gain: Float[np.ndarray, " n"]

    def less(self, threshold: float) -> "BestPartners":
        """The same partners, what attracts them counted from the threshold."""
        return BestPartners(self.partner, self.gain - threshold)


def best_partners(graph: PairGraph) -> BestPartners:
    """The largest mean of each row; the first column among equals, so that there always is a mutual pair."""
    partner, gain = np.arange(graph.n_nodes), np.full(graph.n_nodes, -np.inf)
    for start, stop in row_blocks(graph.lengths):
        rows = graph.rows(start, stop)
        filled = np.flatnonzero(rows.lengths)
        if not len(filled):
            continue
        means, begins = rows.means, rows.pointers[filled]
        largest = np.maximum.reduceat(means, begins)
        places = np.flatnonzero(means == np.repeat(largest, rows.lengths[filled]))
        gain[start + filled] = largest
        partner[start + filled] = rows.columns[places[np.searchsorted(places, begins)]]
    return BestPartners(partner, gain)


def _joined(best: BestPartners, slack: float, generator: np.random.Generator) -> Bool[np.ndarray, " n"]:
    """Which nodes are joined to their partners now: mutual pairs, and stars around them."""
    nodes = np.arange(len(best.partner))
    is_willing = best.gain > 0
    is_mutual = is_willing & (best.partner[best.partner] == nodes)
    is_near_best = is_willing & (best.gain >= (1 - slack) * best.gain[best.partner])
    # Tails join heads: nobody follows one who leaves, so that there are no chains.
    is_heads = generator.random(len(nodes)) < 0.5
    return is_mutual | (is_near_best & ~is_heads & is_heads[best.partner])


def _gathered(
    numbers: Int[np.ndarray, " n"], is_done: Bool[np.ndarray, " n"]
) -> tuple[Int[np.ndarray, " n"], int]:
    """The same numbers with one for all that is done, and how many there are."""
    gathered = np.where(is_done, -1, numbers)
    distinct, dense = np.unique(gathered, return_inverse=True)
    return dense, len(distinct)


def united(
    partner: Int[np.ndarray, " n"], joined: Bool[np.ndarray, " n"]
) -> tuple[Int[np.ndarray, " n"], int]:
    """Numbers of the clusters that the joined nodes form with their partners, and how many there are."""
    nodes = np.flatnonzero(joined)
    links = coo_array((np.ones(len(nodes), bool), (nodes, partner[nodes])), shape=(len(partner),) * 2)
    n_clusters, numbers = connected_components(links, directed=False)
    return numbers.astype(np.int64), n_clusters
