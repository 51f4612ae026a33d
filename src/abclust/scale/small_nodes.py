"""The prior on sizes for a graph of clusters: small ones join large ones, many in a round."""

import numpy as np
from jaxtyping import Int

from abclust.clustering.size_prior import SIZE_EXPONENT, size_bonus, typical_size
from abclust.scale.graph_sums import contract_nodes
from abclust.scale.pair_graph import PairGraph
from abclust.scale.sparse_contraction import best_partners, united


def gather_small_nodes(
    graph: PairGraph, sizes: Int[np.ndarray, " n"], exponent: float = SIZE_EXPONENT
) -> Int[np.ndarray, " n"]:
    """Join clusters that are small beside the typical one to those that draw them most.

    The rule of :func:`abclust.clustering.size_prior.gather_small`, on the pairs that were seen. In a round
    all clusters join that fulfil it, but those whose partner does so too, and more clearly: these wait.

    Parameters
    ----------
    graph
        Sums and counts between clusters.
    sizes
        Items of each.
    exponent
        Of the prior.

    Returns
    -------
    int64 array (n,)
        The new number of each cluster, from 0.

    Examples
    --------
    >>> from abclust.scale.pair_graph import graph_of
    >>> means = np.array([[0, -9, -1], [-9, 0, -7], [-1, -7, 0]])
    >>> gather_small_nodes(graph_of(means + 1j * (means != 0)), np.array([20, 20, 1])).tolist()
    [0, 1, 0]
    """
    labels = np.arange(graph.n_nodes)
    while graph.n_entries:
        best, typical = best_partners(graph), typical_size(sizes)
        gain = best.gain + size_bonus(sizes, typical, exponent)
        gain[(sizes >= typical) | (gain <= 0)] = -np.inf
        # Of two that would follow each other the clearer case goes first; the numbers of nodes break ties.
        rank = np.argsort(np.argsort(gain, kind="stable"))
        joins = (gain > -np.inf) & ((gain[best.partner] == -np.inf) | (rank > rank[best.partner]))
        joins[best.partner[joins]] = False
        if not joins.any():
            break
        numbers, n_clusters = united(best.partner, joins)
        labels = numbers[labels]
        sizes = np.bincount(numbers, weights=sizes, minlength=n_clusters).astype(np.int64)
        graph = contract_nodes(graph, numbers, n_clusters)
    return labels
