"""Which items a chain of short hops connects, as coordinates (ours)."""

import math

import numpy as np
from jaxtyping import Float
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from abclust.datasets.vector_neighbourhood import leading_eigenvectors
from abclust.datasets.vector_projection import with_positive_skew

USUAL_SHARE = 0.3
"""Share of the pairs that count as connected: what is longest in their chains is a hop as there are many."""
LONGEST_HOP = math.log(20.0)
"""Above the usual; what is farther is as far as that."""
_SHORTEST_HOP = 1e-3


def linkage_coordinates(
    squares: Float[np.ndarray, "B n n"],
    reach: Float[np.ndarray, "B n"],
    coordinates: Float[np.ndarray, "B n c"],
    n_coordinates: int,
) -> Float[np.ndarray, "B n k"]:
    r"""Points whose squared distance is the logarithm of the longest hop between two items.

    A hop is a distance in units of those around its ends, :math:`d_{ij} / \sqrt{s_i s_j}`. Of all chains from
    one item to another take the one whose longest hop is shortest, which single linkage finds. The logarithms
    of these hops, above what is usual in the set, are an ultrametric, and the roots of an ultrametric are
    distances of points (Lemin); these are the points, along their directions of most variance. What is one
    long chain falls into one point, however it winds; what a gap divides does not. It needs fewer items than
    a random walk, and takes every bridge for a way.

    Parameters
    ----------
    squares
        Squared distances.
    reach
        The squared distance :math:`s_i^2` of each item to some near neighbour; not 0.
    coordinates
        Of the items, to start from.
    n_coordinates
        k; fewer where there are fewer than k + 1 items.

    References
    ----------
    A. J. Lemin, "Isometric imbedding of ultrametric (non-Archimedean) spaces in Euclidean spaces",
    Soviet Math. Doklady 32, 1985.

    Examples
    --------
    >>> from abclust.datasets.vector_neighbourhood import squared_distances
    >>> line = np.array([0.0, 1, 2, 3, 4, 14, 15, 16, 17, 18])[None, :, None]
    >>> linkage_coordinates(squared_distances(line), np.ones((1, 10)), line, 1)[0, :, 0].round(2).tolist()
    [-0.76, -0.76, -0.76, -0.76, -0.76, 0.76, 0.76, 0.76, 0.76, 0.76]
    """
    n_items = squares.shape[1]
    units = np.sqrt(reach)
    hops = np.sqrt(squares / units[:, :, None] / units[:, None, :])
    longest = np.stack([squareform(_longest_hops(squareform(one, checks=False))) for one in hops])
    # The points lie around their mean: the squared distances are centred twice (classical scaling).
    products = -0.5 * longest.astype(coordinates.dtype)
    products -= products.mean(axis=1, keepdims=True)
    products -= products.mean(axis=2, keepdims=True)
    constant = np.full((len(squares), n_items, 1), 1 / math.sqrt(n_items), coordinates.dtype)
    values, vectors = leading_eigenvectors(products, constant, coordinates, n_coordinates)
    return with_positive_skew(vectors * np.sqrt(np.maximum(values, 0))[:, None])


def _longest_hops(hops: Float[np.ndarray, " pairs"]) -> Float[np.ndarray, " pairs"]:
    """Logarithms above the usual one, of all pairs of one set in the order of SciPy."""
    longest = np.log(np.maximum(cophenet(linkage(hops, "single")), _SHORTEST_HOP))
    return np.clip(longest - np.quantile(longest, USUAL_SHARE), 0.0, LONGEST_HOP)
