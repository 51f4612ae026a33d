"""Communities of the kernel seen as a graph: Louvain by networkx, Leiden by leidenalg (an extra)."""

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.log_odds.weights import log_odds
from abclust.foundations.errors import MissingExtraError
from abclust.foundations.random_state import Seed, as_generator


def louvain_labels(kernel: Float[np.ndarray, "n n"], random_state: Seed = None) -> Int[np.ndarray, " n"]:
    """Communities of highest modularity in the graph of pairs that are together rather than not (p > 1/2).

    Edges weigh p. The many small probabilities of a dense kernel are left out: together they would drown the
    few large ones in modularity's null model (ours).

    References
    ----------
    Blondel et al., "Fast unfolding of communities in large networks", Journal of Statistical Mechanics
    (2008). DOI 10.1088/1742-5468/2008/10/P10008
    """
    import networkx

    first, second = np.nonzero(np.triu(kernel > 0.5, 1))
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(kernel)))
    graph.add_weighted_edges_from(zip(first.tolist(), second.tolist(), kernel[first, second].tolist()))
    seed = int(as_generator(random_state).integers(2**31 - 1))
    return _labels_of(networkx.community.louvain_communities(graph, seed=seed), len(kernel))


def leiden_labels(kernel: Float[np.ndarray, "n n"], random_state: Seed = None) -> Int[np.ndarray, " n"]:
    """Leiden on the signed graph of log-odds: the objective of log-odds clustering by another search.

    The constant Potts model at resolution 0 sums the weights within communities, and that is the objective.

    Raises
    ------
    MissingExtraError
        If leidenalg is not installed; it is an extra because of its licence (GPL).

    References
    ----------
    Traag, Waltman and van Eck, "From Louvain to Leiden", Scientific Reports 9 (2019). DOI
    10.1038/s41598-019-41695-z
    """
    try:
        import igraph
        import leidenalg
    except ImportError as error:
        raise MissingExtraError("leidenalg", "leiden", "method 'leiden'") from error
    n_items = len(kernel)
    first, second = np.triu_indices(n_items, 1)
    graph = igraph.Graph(n=n_items, edges=np.stack([first, second], axis=1))
    seed = int(as_generator(random_state).integers(2**31 - 1))
    communities = leidenalg.find_partition(
        graph,
        leidenalg.CPMVertexPartition,
        weights=log_odds(kernel)[first, second].tolist(),
        resolution_parameter=0.0,
        n_iterations=-1,
        seed=seed,
    )
    return canonical_labels(np.array(communities.membership, dtype=np.int64))


def _labels_of(communities: list[set[int]], n_items: int) -> Int[np.ndarray, " n"]:
    labels = np.empty(n_items, dtype=np.int64)
    for number, items in enumerate(communities):
        labels[list(items)] = number
    return canonical_labels(labels)
