"""What comes in at the door, checked once: kernels and numbers of clusters; errors say what arrived."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from abclust.foundations.errors import InvalidInputError

# Single precision leaves about 1e-7; a network that averages its two halves in half precision about 1e-3.
SYMMETRY_TOLERANCE = 1e-5
RANGE_TOLERANCE = 1e-6
_TILE = 512  # a matrix is compared with its transpose tile by tile, so that both tiles stay in the cache


class Bounds(NamedTuple):
    """The smallest and the largest number of clusters allowed, both included."""

    lower: int
    upper: int

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


def as_kernels(kernel: Any) -> tuple[list[Float[np.ndarray, "_ _"]], bool]:
    """One kernel or many, as a list of checked float64 arrays, and whether many came in.

    Many are a list or tuple of square matrices (sizes may differ) or an array of shape (B, n, n).

    Raises
    ------
    InvalidInputError
        If a kernel is not square, not symmetric, outside [0, 1], empty, not numeric or has NaN in it.
    """
    many = isinstance(kernel, list | tuple) and all(np.ndim(item) == 2 for item in kernel)
    if not many and np.ndim(kernel) == 3:
        many = True
    if not many:
        return [check_kernel(kernel)], False
    return [check_kernel(item, f"kernel {index}") for index, item in enumerate(kernel)], True


def check_kernel(kernel: Any, name: str = "kernel") -> Float[np.ndarray, "n n"]:
    """A kernel as a float64 array that is square, exactly symmetric and within [0, 1].

    Differences of rounding size (1e-5 in symmetry, 1e-6 in range) are taken out silently.
    """
    try:
        matrix = np.asarray(kernel, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{name} must be a matrix of numbers. Got {type(kernel).__name__}: {error}."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise InvalidInputError(
            f"{name} must be a square matrix with at least one item. Got shape {matrix.shape}. "
            "Several kernels go in as a list."
        )
    lowest, highest = float(matrix.min()), float(matrix.max())
    if np.isnan(lowest):
        where = np.argwhere(np.isnan(matrix))
        raise InvalidInputError(
            f"{name} must not contain NaN. Got {len(where)}, the first at {tuple(where[0].tolist())}."
        )
    if lowest < -RANGE_TOLERANCE or highest > 1 + RANGE_TOLERANCE:
        raise InvalidInputError(
            f"{name} must have values in [0, 1]. Got [{lowest:.6g}, {highest:.6g}]. "
            "It holds probabilities; turn logits into them with 1 / (1 + exp(-logits))."
        )
    matrix = _symmetrised(matrix, name)
    return np.clip(matrix, 0.0, 1.0) if lowest < 0 or highest > 1 else matrix


def _symmetrised(matrix: Float[np.ndarray, "n n"], name: str) -> Float[np.ndarray, "n n"]:
    worst = 0.0
    for top in range(0, len(matrix), _TILE):
        for left in range(0, top + 1, _TILE):
            here = matrix[top : top + _TILE, left : left + _TILE]
            there = matrix[left : left + _TILE, top : top + _TILE].T
            if not np.array_equal(here, there):
                worst = max(worst, float(np.abs(here - there).max()))
    if worst > SYMMETRY_TOLERANCE:
        raise InvalidInputError(
            f"{name} must be symmetric. Got entries that differ from their mirror by up to {worst:.3g}. "
            "Average it with its transpose if that is what you mean."
        )
    return matrix if worst == 0.0 else (matrix + matrix.T) / 2


def check_n_clusters(n_clusters: Any, n_items: int) -> Bounds | None:
    """A number of clusters, a (min, max) range or None (unknown), as bounds that `n_items` items can have.

    Raises
    ------
    InvalidInputError
        If a bound is no integer, below 1 or above the number of items, or if min > max.

    Examples
    --------
    >>> check_n_clusters((2, 5), n_items=7)
    Bounds(lower=2, upper=5)
    """
    if n_clusters is None:
        return None
    is_range = isinstance(n_clusters, Sequence) and not isinstance(n_clusters, str)
    pair: tuple[Any, ...] = tuple(n_clusters) if is_range else (n_clusters, n_clusters)
    is_whole = all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in pair)
    if len(pair) != 2 or not is_whole or not 1 <= pair[0] <= pair[1] <= n_items:
        raise InvalidInputError(
            f"n_clusters must be None, an integer from 1 to the number of items ({n_items}), "
            f"or a range (min, max) of such. Got {n_clusters!r}."
        )
    return Bounds(int(pair[0]), int(pair[1]))
