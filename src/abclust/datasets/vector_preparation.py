"""Rows of any table as a network for vectors sees them: a fixed number of columns that mean the same.

Training and use pass through the one function :func:`prepare_vector_batch` (ours; the paper's vectors are
points of the plane).
"""

import math
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.datasets.vector_linkage import linkage_coordinates
from abclust.datasets.vector_neighbourhood import (
    QUICK_WALK,
    SLOW_WALK,
    START_FUNCTIONS,
    Walk,
    diffusion_coordinates,
    local_affinity,
    neighbour_distances,
    squared_distances,
)
from abclust.datasets.vector_projection import (
    SMALLEST_DEVIATION,
    local_directions,
    principal_components,
    whitened,
)
from abclust.datasets.vector_scaling import scale_columns
from abclust.foundations.errors import InvalidInputError

UNIT = 0.5
"""Deviation of a coordinate: most values lie within -1 to 1, one period of the slowest Fourier feature."""
DENSITY_RANKS = (1, 4, 16)
LINKAGE_RANK = 8
"""The neighbour whose distance is the unit of the hops around an item."""
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
    """Diffusion coordinates, of a quick walk."""
    n_slow_diffusion: int = 0
    """Diffusion coordinates of a slow walk besides, over fewer neighbours."""
    n_linkage: int = 0
    """Coordinates of single linkage."""
    values_of_full_weight: int = 1
    """Columns with fewer different values weigh less, see
    :func:`~abclust.datasets.vector_scaling.scale_columns`."""
    denoised_from: int | None = None
    """Tables of so many columns and more keep of each principal component what is not noise, see
    :func:`~abclust.datasets.vector_denoising.signal_shares`; None for no table."""
    smallest_deviation: float = SMALLEST_DEVIATION
    """Directions that vary less than this share of the first one are not whitened: sums of other columns, and
    what they were rounded by, would get the same say as data."""
    counts_directions: bool = False
    """Whether the width of a table that is not denoised is told as the number of its directions that vary: a
    column that others determine adds none."""

    def __post_init__(self) -> None:
        if not 1 <= self.n_components <= self.n_projected:
            raise InvalidInputError(
                f"n_components must be from 1 to n_projected ({self.n_projected}). Got {self.n_components}."
            )
        for name in ("n_diffusion", "n_slow_diffusion", "n_linkage"):
            if not 0 <= getattr(self, name) <= START_FUNCTIONS:
                raise InvalidInputError(
                    f"{name} must be from 0 to {START_FUNCTIONS}. Got {getattr(self, name)}."
                )
        for name in ("values_of_full_weight", "denoised_from"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInputError(f"{name} must be positive. Got {value}.")
        if not 0 <= self.smallest_deviation < 1:
            raise InvalidInputError(
                f"smallest_deviation must be from 0 to below 1. Got {self.smallest_deviation}."
            )

    @property
    def n_signed(self) -> int:
        """Columns, the first ones, whose sign means nothing."""
        return sum(self._signed_widths)

    @property
    def signed_groups(self) -> tuple[tuple[int, int], ...]:
        """(First, one past the last) of components, directions, walks and linkage, as far as there are any.

        Examples
        --------
        >>> VectorPreparation(n_components=3, n_projected=5, n_diffusion=2).signed_groups
        ((0, 3), (3, 6), (6, 8))
        """
        return tuple(pairwise(accumulate((width for width in self._signed_widths if width), initial=0)))

    @property
    def _signed_widths(self) -> tuple[int, ...]:
        return (
            self.n_components,
            self.n_components,
            self.n_diffusion,
            self.n_slow_diffusion,
            self.n_linkage,
        )

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

    - principal components, all in units of the first one: the geometry of the table; of wide tables what is
      left of it without noise, if so wanted;
    - the whitened directions in which neighbours are closest, each in its own unit: what separates clusters
      stands out here even if it varies little;
    - diffusion coordinates, of a quick and of a slow walk: clusters of any shape become points;
    - coordinates of single linkage: so does what a chain of short hops connects;
    - logarithms of the distances to the nearest, 4th and 16th neighbour against those of the set's typical
      item: how dense it is around an item;
    - the logarithms of the number of items and of columns, or of directions: how much is evidence, how much
      may be chance.

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
    prepared[..., -1] = _log_width(max(n_features, 1))
    if n_items < 2 or n_features == 0:
        return prepared
    scaled = scale_columns(points, preparation.values_of_full_weight).astype(np.float32, copy=False)
    is_wide = preparation.denoised_from is not None and n_features >= preparation.denoised_from
    scores = principal_components(scaled, preparation.n_projected, denoised=is_wide)
    largest = np.sqrt(np.mean(scores[..., :1] ** 2, axis=1, keepdims=True))
    scores *= UNIT / np.where(largest > 0, largest, 1.0)
    white = whitened(scores, preparation.smallest_deviation)
    if preparation.counts_directions and not is_wide:
        n_empty = np.sum(~white.any(axis=1), axis=1)  # (B,)
        prepared[..., -1] = _log_width(np.maximum(n_features - n_empty, 1))[:, None]
    # Neighbours among whitened vectors: a direction that varies little has the same say in who they are.
    near = _affinity(squared_distances(white), QUICK_WALK)
    squares = squared_distances(scores)
    signed = [
        scores[..., : preparation.n_components],
        UNIT * local_directions(white, near, preparation.n_components),
    ]
    for walk, width in ((QUICK_WALK, preparation.n_diffusion), (SLOW_WALK, preparation.n_slow_diffusion)):
        if width:
            signed.append(UNIT * diffusion_coordinates(_affinity(squares, walk), scores, width, walk))
    if preparation.n_linkage:
        reach = neighbour_distances(squares, (LINKAGE_RANK,))[..., 0]
        signed.append(UNIT * linkage_coordinates(squares, reach, scores, preparation.n_linkage))
    for (start, _), columns in zip(preparation.signed_groups, signed, strict=True):
        prepared[..., start : start + columns.shape[2]] = columns
    prepared[..., preparation.n_signed : -2] = _log_densities(squares)
    return prepared


def n_columns_of(prepared: Float[np.ndarray, "n w"]) -> int:
    """How many columns, of those that vary, the table of a prepared set had; or directions, if so prepared.

    Examples
    --------
    >>> n_columns_of(prepare_vectors([[1.0, 2.0, 7.0], [2.0, 2.0, 5.0], [3.0, 2.0, 1.0]]))
    2
    """
    return round(TYPICAL_FEATURES * math.exp(2 * float(prepared[0, -1])))


def _log_width(n_features: int | Int[np.ndarray, " B"]) -> Any:
    return (np.log(n_features) - math.log(TYPICAL_FEATURES)) / 2


def _affinity(squares: Float[np.ndarray, "B n n"], walk: Walk) -> Float[np.ndarray, "B n n"]:
    """Weights of the neighbours of each item."""
    reach = neighbour_distances(squares, (walk.n_neighbours(squares.shape[1]),))[..., 0]
    return local_affinity(squares, reach)


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
