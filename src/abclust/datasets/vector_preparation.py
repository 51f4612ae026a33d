"""Rows of any table as a network for vectors sees them: a fixed number of columns that mean the same.

Training and use pass through the one function :func:`prepare_vector_batch` (ours; the paper's vectors are
points of the plane).
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from abclust.datasets.vector_neighbourhood import (
    START_FUNCTIONS,
    diffusion_coordinates,
    local_affinity,
    neighbour_distances,
    squared_distances,
)
from abclust.datasets.vector_projection import local_directions, principal_components, whitened
from abclust.datasets.vector_scaling import scale_columns
from abclust.foundations.errors import InvalidInputError

UNIT = 0.5
"""Deviation of a coordinate: most values lie within -1 to 1, one period of the slowest Fourier feature."""
DENSITY_RANKS = (1, 4, 16)
TYPICAL_ITEMS, TYPICAL_FEATURES = 100, 8


@dataclass(frozen=True)
class VectorPreparation:
    """What becomes of a table before a network sees it. It travels in the header of the weights.

    Raises
    ------
    InvalidInputError
        If a number is out of range.

    Examples
    --------
    >>> VectorPreparation(n_components=3, n_projected=5, n_diffusion=2).width
    13
    """

    n_components: int = 16
    """Principal components, on one common scale; and as many directions in which neighbours are closest."""
    n_projected: int = 32
    """Principal components that distances are measured in and those directions are sought in."""
    n_diffusion: int = 8
    """Diffusion coordinates."""

    def __post_init__(self) -> None:
        if not 1 <= self.n_components <= self.n_projected:
            raise InvalidInputError(
                f"n_components must be from 1 to n_projected ({self.n_projected}). Got {self.n_components}."
            )
        if not 0 <= self.n_diffusion <= START_FUNCTIONS:
            raise InvalidInputError(
                f"n_diffusion must be from 0 to {START_FUNCTIONS}. Got {self.n_diffusion}."
            )

    @property
    def n_signed(self) -> int:
        """Columns, the first ones, whose sign means nothing."""
        return 2 * self.n_components + self.n_diffusion

    @property
    def signed_groups(self) -> tuple[tuple[int, int], ...]:
        """(First, one past the last) of the components, of the directions and of the diffusion coordinates.

        Examples
        --------
        >>> VectorPreparation(n_components=3, n_projected=5, n_diffusion=2).signed_groups
        ((0, 3), (3, 6), (6, 8))
        """
        ends = (0, self.n_components, 2 * self.n_components, self.n_signed)
        return tuple(pairwise(ends))

    @property
    def width(self) -> int:
        """Columns of a prepared set: the signed ones, densities, and the size of the set and of the table."""
        return self.n_signed + len(DENSITY_RANKS) + 2


def prepare_vectors(X: Any, preparation: VectorPreparation | None = None) -> Float[np.ndarray, "n w"]:
    """One table as a network sees it; see :func:`prepare_vector_batch` for the columns.

    Missing values become the median of their column. Columns that are constant, or missing throughout, are
    dropped. Rows may repeat, and there may be more columns than rows. The order of rows and of columns does
    not matter, nor do the units of a column.

    Parameters
    ----------
    X
        Numbers, shape (n, d) with n, d >= 1; NaN where a value is missing.
    preparation
        The defaults unless given.

    Returns
    -------
    float32 array of shape (n, width)

    Raises
    ------
    InvalidInputError
        If `X` is not a table of real numbers, has no rows or columns, or holds infinite values.

    Examples
    --------
    >>> prepare_vectors([[1.0, 200.0], [2.0, float("nan")], [9.0, 100.0]]).shape
    (3, 45)
    """
    preparation = preparation or VectorPreparation()
    table = _without_gaps(_as_table(X))
    table = table[:, np.ptp(table, axis=0) > 0]
    if table.shape[1]:
        # In units of the largest value: nothing overflows, however large the numbers are.
        table = table / np.abs(table).max(axis=0)
        table = table - np.median(table, axis=0)
    return prepare_vector_batch(table[None], preparation)[0]


def prepare_vector_batch(
    points: Float[np.ndarray, "B n d"], preparation: VectorPreparation
) -> Float[np.ndarray, "B n w"]:
    """Sets of equally many vectors as a network sees them.

    From the columns scaled by :func:`~abclust.datasets.vector_scaling.scale_columns` come, in this order and
    with zeros where there are fewer of them:

    - principal components, all in units of the first one: the geometry of the table;
    - the whitened directions in which neighbours are closest, each in its own unit: what separates clusters
      stands out here even if it varies little;
    - diffusion coordinates: clusters of any shape become points;
    - logarithms of the distances to the nearest, 4th and 16th neighbour against those of the set's typical
      item: how dense it is around an item;
    - the logarithms of the number of items and of columns: how much is evidence, how much may be chance.

    Parameters
    ----------
    points
        Finite; constant columns are allowed.
    preparation
        How many of each.
    """
    n_sets, n_items, n_features = points.shape
    prepared = np.zeros((n_sets, n_items, preparation.width), np.float32)
    prepared[..., -2] = (math.log(n_items) - math.log(TYPICAL_ITEMS)) / 2
    prepared[..., -1] = (math.log(max(n_features, 1)) - math.log(TYPICAL_FEATURES)) / 2
    if n_items < 2 or n_features == 0:
        return prepared
    scores = principal_components(
        scale_columns(points).astype(np.float32, copy=False), preparation.n_projected
    )
    largest = np.sqrt(np.mean(scores[..., :1] ** 2, axis=1, keepdims=True))
    scores *= UNIT / np.where(largest > 0, largest, 1.0)
    first = scores[..., : preparation.n_components]
    prepared[..., : first.shape[2]] = first

    white = whitened(scores)
    # Neighbours among whitened vectors: a direction that varies little has the same say in who they are.
    local = UNIT * local_directions(white, _affinity(squared_distances(white)), preparation.n_components)
    prepared[..., preparation.n_components : preparation.n_components + local.shape[2]] = local
    squares = squared_distances(scores)
    if preparation.n_diffusion:
        walk = UNIT * diffusion_coordinates(_affinity(squares), scores, preparation.n_diffusion)
        start = 2 * preparation.n_components
        prepared[..., start : start + walk.shape[2]] = walk
    prepared[..., preparation.n_signed : -2] = _log_densities(squares)
    return prepared


def _affinity(squares: Float[np.ndarray, "B n n"]) -> Float[np.ndarray, "B n n"]:
    """Weights of the neighbours of each item, about sqrt(n) of them."""
    n_neighbours = max(2, round(math.sqrt(squares.shape[1])))
    return local_affinity(squares, neighbour_distances(squares, (n_neighbours,))[..., 0])


def _log_densities(squares: Float[np.ndarray, "B n n"]) -> Float[np.ndarray, "B n r"]:
    logarithms = np.log(neighbour_distances(squares, DENSITY_RANKS)) / 2
    return UNIT * np.clip(logarithms - np.median(logarithms, axis=1, keepdims=True), -4.0, 4.0)


def _as_table(X: Any) -> Float[np.ndarray, "n d"]:
    try:
        table = np.asarray(X)
        if table.dtype.kind not in "biufO":
            raise TypeError(f"an array of {table.dtype}")
        table = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"X must be a rectangular table of real numbers. Got: {error}. "
            "Turn text and categories into numbers first."
        ) from error
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidInputError(
            f"X must have the shape (n, d) with at least one row and one column. Got shape {table.shape}."
        )
    if np.isinf(table).any():
        raise InvalidInputError("X must be finite where it is not missing (NaN). Got infinite values.")
    return table


def _without_gaps(table: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n m"]:
    """Medians of the columns where there is no value; columns without any value are dropped."""
    is_missing = np.isnan(table)
    if not is_missing.any():
        return table
    has_values = ~is_missing.all(axis=0)
    table, is_missing = table[:, has_values], is_missing[:, has_values]
    return np.where(is_missing, np.nanmedian(table, axis=0) if table.shape[1] else 0.0, table)
