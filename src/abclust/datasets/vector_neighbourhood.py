"""What the neighbours of an item say about it: how dense it is there, and where a random walk would lead."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from abclust.datasets.vector_projection import with_positive_skew
from abclust.foundations.random_state import stream

ROUNDS, STEPS = 3, 8
"""Strides of the walk before each of the orthonormalisations: 24 in all."""
SQUARED_ITEMS = 1_000
"""Up to so many a matrix is squared for a long stride; above, a few functions take the steps one by one."""
START_FUNCTIONS = 12
"""Functions of the coordinates that are sent on the walk."""
START_COORDINATES = 8
_FREQUENCIES = 3.0 * stream(20_060_701).standard_normal((START_COORDINATES, START_FUNCTIONS))
_PHASES = 2 * np.pi * stream(20_060_702).random(START_FUNCTIONS)


def squared_distances(points: Float[np.ndarray, "B n m"]) -> Float[np.ndarray, "B n n"]:
    """All squared Euclidean distances within each set; never negative, exactly 0 on the diagonal."""
    squares = np.sum(points**2, axis=2)
    distances = points @ points.swapaxes(1, 2)
    distances *= -2
    distances += squares[:, :, None]
    distances += squares[:, None, :]
    np.maximum(distances, 0, out=distances)
    each = np.arange(points.shape[1])
    distances[:, each, each] = 0
    return distances


def neighbour_distances(
    squares: Float[np.ndarray, "B n n"], ranks: tuple[int, ...]
) -> Float[np.ndarray, "B n r"]:
    """Squared distance of each item to its neighbours of the given ranks; rank 1 is the nearest other.

    Ranks beyond the last neighbour are taken as the last. Distances of 0 (duplicates) are raised to a
    millionth of the mean, so that ratios and logarithms exist.
    """
    places = [min(rank, squares.shape[1] - 1) for rank in ranks]
    # One partition and a sort of its short end: a partition at several places takes eight times as long.
    ends = np.partition(squares, max(places), axis=2)[:, :, : max(places) + 1]
    nearest = np.sort(ends, axis=2)[:, :, places]
    floor = 1e-6 * squares.mean(axis=(1, 2))[:, None, None] + np.finfo(squares.dtype).tiny
    return np.maximum(nearest, floor.astype(squares.dtype))


def local_affinity(
    squares: Float[np.ndarray, "B n n"], reach: Float[np.ndarray, "B n"]
) -> Float[np.ndarray, "B n n"]:
    r"""Self-tuned weights of neighbours, 0 for pairs that are none.

    .. math:: a_{ij} = e^{-d_{ij}^2 / (s_i s_j)} \text{ if } d_{ij} \le \max(s_i, s_j), \text{ else } 0

    Parameters
    ----------
    squares
        Squared distances.
    reach
        The squared distance :math:`s_i^2` of each item to the last of its neighbours.

    References
    ----------
    Zelnik-Manor, Perona, "Self-tuning spectral clustering", NIPS 2004.

    Examples
    --------
    >>> line = np.array([[0.0], [1.0], [9.0]])[None]
    >>> local_affinity(squared_distances(line), np.array([[1.0, 1.0, 64.0]])).round(2).tolist()[0][2]
    [0.0, 0.0, 1.0]
    """
    scales = np.sqrt(reach)
    affinity = squares / (-scales[:, :, None] * scales[:, None, :])
    np.exp(affinity, out=affinity)
    affinity *= squares <= np.maximum(reach[:, :, None], reach[:, None, :])
    return affinity


@dataclass(frozen=True)
class Walk:
    """A random walk over neighbours: how near they must be, and how far it goes.

    Attributes
    ----------
    nearness
        Neighbours of an item, as a multiple of the square root of the number of items.
    doublings
        A stride is two to this power of steps.
    time
        Steps that it takes: the power of an eigenvalue that a coordinate is multiplied by.
    """

    nearness: float
    doublings: int
    time: int

    def n_neighbours(self, n_items: int) -> int:
        """How many neighbours an item has among so many others."""
        return max(2, round(self.nearness * math.sqrt(n_items)))


QUICK_WALK = Walk(nearness=1.0, doublings=0, time=8)
"""Short ways over many neighbours: bridges are crossed, and round clusters become points."""
SLOW_WALK = Walk(nearness=0.6, doublings=3, time=512)
"""Long ways over few neighbours: chains of any length become points, if there is no bridge."""


def diffusion_coordinates(
    affinity: Float[np.ndarray, "B n n"],
    coordinates: Float[np.ndarray, "B n c"],
    n_coordinates: int,
    walk: Walk = QUICK_WALK,
) -> Float[np.ndarray, "B n k"]:
    r"""Where a random walk over neighbours leads: equal for items that it connects, whatever their shape.

    Approximate eigenvectors of the walk :math:`P = D^{-1} A` below the constant one, by a few rounds of
    subspace iteration on waves over the coordinates, times :math:`\lambda^t` and with long tails drawn in by
    arcsinh. Two rings, which no straight line separates, are two points here.

    Parameters
    ----------
    affinity
        Symmetric, not negative, 1 on the diagonal.
    coordinates
        Of about unit size; the walk starts from cosine waves over the first few.
    n_coordinates
        k, at most 12; fewer where there are fewer than k + 1 items.
    walk
        Its time is t.

    References
    ----------
    Coifman, Lafon, "Diffusion maps", Applied and Computational Harmonic Analysis 21, 2006.
    https://doi.org/10.1016/j.acha.2006.04.006
    """
    roots = np.sqrt(affinity.sum(axis=2))[..., None]  # (B, n, 1)
    constant = roots / np.linalg.norm(roots, axis=1, keepdims=True)
    step = affinity / roots
    step /= roots.swapaxes(1, 2)
    # Without the constant one, which after many steps would be all that single precision is left with.
    step -= constant @ constant.swapaxes(1, 2)
    stride = 2**walk.doublings
    if affinity.shape[1] <= SQUARED_ITEMS:
        for _ in range(walk.doublings):
            step = step @ step
        values, vectors = leading_eigenvectors(step, coordinates, n_coordinates)
        weights = np.maximum(values, 0) ** (walk.time / stride)
    else:
        iteration = (ROUNDS, stride * STEPS)
        values, vectors = leading_eigenvectors(step, coordinates, n_coordinates, iteration)
        weights = np.maximum(values, 0) ** walk.time
    # Divided by the constant one they have unit variance under the walk.
    return with_positive_skew(np.arcsinh(vectors / constant) * weights[:, None])


def leading_eigenvectors(
    matrices: Float[np.ndarray, "B n n"],
    coordinates: Float[np.ndarray, "B n c"],
    n_vectors: int,
    iteration: tuple[int, int] = (ROUNDS, STEPS),
) -> tuple[Float[np.ndarray, "B k"], Float[np.ndarray, "B n k"]]:
    """Approximate largest eigenvalues of symmetric matrices and their vectors, by subspace iteration.

    Parameters
    ----------
    matrices
        Over the items of each set, with at least one eigenvalue of 0.
    coordinates
        Of the items: the iteration starts from fixed functions of them, so that the order does not matter.
    n_vectors
        k, at most 12; fewer where there are fewer than k + 1 items.
    iteration
        How often the vectors are made orthonormal, and products before each time: many where eigenvalues lie
        close to each other, few where the first would drown the others.
    """
    n_items = matrices.shape[1]
    kept = min(n_vectors, n_items - 1)
    functions = _waves(coordinates)[..., : max(kept, min(START_FUNCTIONS, n_items - 1))]
    n_rounds, n_products = iteration
    for _ in range(n_rounds):
        for _ in range(n_products):
            functions = matrices @ functions
        functions = np.linalg.qr(functions)[0]
    values, rotation = np.linalg.eigh(functions.swapaxes(1, 2) @ (matrices @ functions))
    return values[:, : -kept - 1 : -1], functions @ rotation[..., : -kept - 1 : -1]


def _waves(coordinates: Float[np.ndarray, "B n c"]) -> Float[np.ndarray, "B n f"]:
    """Fixed functions of the coordinates, not of the order of the items: cos(x . w + p)."""
    used = coordinates[..., :START_COORDINATES]
    frequencies = _FREQUENCIES[: used.shape[2]].astype(coordinates.dtype)
    return np.cos(used @ frequencies + _PHASES.astype(coordinates.dtype))
