"""From a sparse graph of log-odds to clusters: contraction, connected components, Leiden."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Int
from scipy.sparse import triu
from scipy.sparse.csgraph import connected_components

from abclust.clustering.canonical_labels import canonical_labels
from abclust.foundations.errors import MissingExtraError
from abclust.foundations.options import resolve
from abclust.scale.pair_graph import PairGraph, mean_log_odds
from abclust.scale.sparse_contraction import contract_graph


def cluster_graph(
    graph: PairGraph, method: str = "log-odds", *, threshold: float = 0.0, seed: int = 0
) -> Int[np.ndarray, " n"]:
    """Cluster a sparse graph of log-odds.

    Parameters
    ----------
    graph : PairGraph of n nodes
        The pairs that were seen.
    method : str
        ``"log-odds"`` joins clusters while the mean log-odds between them are positive, and so does
        ``"size-prior"``, which differs at the end of :func:`~abclust.scale.large_set.cluster_large_set`;
        ``"components"`` joins all that a chain of positive pairs connects; ``"leiden"`` maximises the sum of
        mean log-odds within clusters (an extra).
    threshold : float
        Log-odds that a union needs, for the first two methods; the others take pairs as they are.
    seed : int
        For those that draw.

    Returns
    -------
    int64 array (n,)
        Labels in canonical order.

    Raises
    ------
    InvalidInputError
        If there is no such method.
    MissingExtraError
        If leidenalg is asked for and not installed.
    """
    return resolve("method", method, GRAPH_METHODS)(graph, threshold, seed)


def components(graph: PairGraph, threshold: float = 0.0, seed: int = 0) -> Int[np.ndarray, " n"]:
    """What chains of pairs that are together rather than not (log-odds above 0) connect.

    Fast, and too eager where clusters touch: one wrong pair joins two clusters.
    """
    means: Any = mean_log_odds(
        graph
    ).copy()  # dropping pairs must not drop them from the graph: shared arrays
    means.data = np.where(means.data > 0, means.data, 0.0)
    means.eliminate_zeros()
    return canonical_labels(connected_components(means, directed=False)[1].astype(np.int64))


def leiden(graph: PairGraph, threshold: float = 0.0, seed: int = 0) -> Int[np.ndarray, " n"]:
    """Leiden with the constant Potts model at resolution 0: the sum of mean log-odds within clusters.

    References
    ----------
    Traag, Waltman, van Eck: From Louvain to Leiden. Scientific Reports 9 (2019). DOI
    10.1038/s41598-019-41695-z
    """
    try:
        import igraph
        import leidenalg
    except ImportError as error:
        raise MissingExtraError("leidenalg", "leiden", "method 'leiden'") from error
    pairs: Any = triu(mean_log_odds(graph), 1).tocoo()
    network = igraph.Graph(n=graph.n_nodes, edges=np.stack([pairs.row, pairs.col], axis=1))
    found = leidenalg.find_partition(
        network,
        leidenalg.CPMVertexPartition,
        weights=pairs.data.tolist(),
        resolution_parameter=0.0,
        n_iterations=-1,
        seed=seed,
    )
    return canonical_labels(np.array(found.membership, dtype=np.int64))


def _contracted(graph: PairGraph, threshold: float, seed: int) -> Int[np.ndarray, " n"]:
    return contract_graph(graph, threshold=threshold, seed=seed)


GRAPH_METHODS: dict[str, Callable[[PairGraph, float, int], np.ndarray]] = {
    "log-odds": _contracted,
    "size-prior": _contracted,
    "components": components,
    "leiden": leiden,
}
"""The methods by name."""
