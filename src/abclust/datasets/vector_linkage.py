"""Which items a chain of short hops connects, as coordinates (ours)."""

import math

import numpy as np
from jaxtyping import Float, Int

from abclust.datasets.vector_neighbourhood import leading_eigenvectors
from abclust.datasets.vector_projection import with_positive_skew

USUAL_SHARE = 0.3
"""Share of the pairs that count as connected: what is longest in their chains is a hop as there are many."""
LONGEST_HOP = math.log(20.0)
"""Above the usual; what is farther is as far as that."""
ITERATION = (8, 2)
"""Rounds and products in a round: eigenvalues decay fast, after a few products only the first is left."""
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
    R. C. Prim, "Shortest connection networks and some generalizations", Bell System Technical Journal 36,
    1957. https://doi.org/10.1002/j.1538-7305.1957.tb01515.x
    A. J. Lemin, "Isometric imbedding of ultrametric (non-Archimedean) spaces in Euclidean spaces",
    Soviet Math. Doklady 32, 1985.

    Examples
    --------
    >>> from abclust.datasets.vector_neighbourhood import squared_distances
    >>> line = np.array([0.0, 1, 2, 3, 4, 14, 15, 16, 17, 18])[None, :, None]
    >>> linkage_coordinates(squared_distances(line), np.ones((1, 10)), line, 1)[0, :, 0].round(2).tolist()
    [-0.76, -0.76, -0.76, -0.76, -0.76, 0.76, 0.76, 0.76, 0.76, 0.76]
    """
    order, hops = _spanning_chain(squares, np.sqrt(reach))
    longest = _longest_of_chains(np.log(np.maximum(hops, _SHORTEST_HOP)))
    # The points lie around their mean: the squared distances are centred twice (classical scaling).
    longest *= -0.5
    longest -= longest.mean(axis=1, keepdims=True)
    longest -= longest.mean(axis=2, keepdims=True)
    in_order = np.take_along_axis(coordinates, order[..., None], axis=1)
    values, vectors = leading_eigenvectors(longest, in_order, n_coordinates, ITERATION)
    found = np.empty_like(vectors)
    np.put_along_axis(found, order[..., None], vectors * np.sqrt(np.maximum(values, 0))[:, None], axis=1)
    return with_positive_skew(found)


def _spanning_chain(
    squares: Float[np.ndarray, "B n n"], units: Float[np.ndarray, "B n"]
) -> tuple[Int[np.ndarray, "B n"], Float[np.ndarray, "B m"]]:
    """The items in the order in which the least spanning tree grows from the first one, and each one's hop.

    The tree (Prim 1957) grows by the shortest hop there is. So the longest hop of the best chain between two
    items is the longest one between their places in this order. No more than a row of hops is held.
    """
    n_sets, n_items = units.shape
    each = np.arange(n_sets)
    order = np.zeros((n_sets, n_items), np.int64)
    hops = np.zeros((n_sets, n_items - 1), squares.dtype)
    nearest = np.full_like(units, np.inf)
    is_left = np.ones((n_sets, n_items), bool)
    for place in range(n_items - 1):
        newest = order[:, place]
        is_left[each, newest] = False
        np.minimum(nearest, squares[each, newest] / units[each, newest, None] / units, out=nearest)
        order[:, place + 1] = np.where(is_left, nearest, np.inf).argmin(axis=1)
        hops[:, place] = np.sqrt(nearest[each, order[:, place + 1]])
    return order, hops


def _longest_of_chains(hops: Float[np.ndarray, "B m"]) -> Float[np.ndarray, "B n n"]:
    """The longest of the hops between any two places of a chain, above the usual one."""
    n_sets, n_items = len(hops), hops.shape[1] + 1
    longest = np.full((n_sets, n_items, n_items), -np.inf, hops.dtype)  # no hop leads from an item to itself
    for place in range(n_items - 1):
        longest[:, place, place + 1 :] = np.maximum.accumulate(hops[:, place:], axis=1)
        longest[:, place + 1 :, place] = longest[:, place, place + 1 :]
    usual = _quantile_of_pairs(longest, USUAL_SHARE)
    return np.clip(longest - usual[:, None, None], 0.0, LONGEST_HOP)


def _quantile_of_pairs(matrices: Float[np.ndarray, "B n n"], share: float) -> Float[np.ndarray, " B"]:
    """The quantile of what stands off the diagonals of symmetric matrices; on them stands -inf."""
    n_items = matrices.shape[1]
    place = share * (n_items * (n_items - 1) // 2 - 1)
    # In the order of size first come the diagonal, then all pairs twice.
    ends = [n_items + 2 * math.floor(place), n_items + 2 * math.ceil(place)]
    low, high = np.partition(matrices.reshape(len(matrices), -1), ends, axis=1)[:, ends].T
    return low + (high - low) * (place % 1)
