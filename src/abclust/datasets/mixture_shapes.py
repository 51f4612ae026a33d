"""Shapes of a cluster around its centre: rows of independent Gaussians turned into other laws."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtr

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_labels import of_each_item

Rows = Float[np.ndarray, "N d"]
MIXED_SHARE = 0.3
"""Share of the sets in which each cluster has a shape of its own."""


def _student(rows: Rows, generator: np.random.Generator) -> Rows:
    """Student's t with 3 to 8 degrees of freedom, the same for all coordinates of an item."""
    freedom = generator.integers(3, 9, len(rows))
    chi_squares = 2 * generator.standard_gamma(freedom / 2)
    return rows * np.sqrt(freedom / chi_squares)[:, None]


def _box(rows: Rows, generator: np.random.Generator) -> Rows:
    return np.sqrt(12.0) * (ndtr(rows) - 0.5)


def _exponential(rows: Rows, generator: np.random.Generator) -> Rows:
    return -np.log(np.maximum(ndtr(-rows), 1e-7)) - 1.0


def _ball(rows: Rows, generator: np.random.Generator) -> Rows:
    """Uniform in a ball whose coordinates have unit variance."""
    width = rows.shape[1]
    radii = np.sqrt(width + 2.0) * generator.random(len(rows)) ** (1.0 / width)
    return rows * (radii / np.linalg.norm(rows, axis=1))[:, None]


def _laplace(rows: Rows, generator: np.random.Generator) -> Rows:
    return -np.sign(rows) * np.log(np.maximum(2 * ndtr(-np.abs(rows)), 1e-7)) / np.sqrt(2.0)


_FROM_GAUSSIAN: dict[str, Callable[[Rows, np.random.Generator], Rows]] = {
    "student": _student,
    "box": _box,
    "exponential": _exponential,
    "ball": _ball,
    "laplace": _laplace,
}


def draw_shapes(
    labels: Int[np.ndarray, "B n"], n_features: int, family: MixtureFamily, generator: np.random.Generator
) -> Float[np.ndarray, "B n d"]:
    """Offsets from the centre, of about unit variance in every column; exactly where the law has a variance.

    Most sets have one shape for all their clusters, the others one for each.
    """
    n_sets = len(labels)
    offsets = generator.standard_normal((*labels.shape, n_features), dtype=np.float32)
    weights = np.ones(len(family.shapes))
    weights[0] = max(1.0, len(family.shapes) - 1.0)
    codes = generator.choice(len(family.shapes), (n_sets, int(labels.max()) + 1), p=weights / weights.sum())
    is_mixed = generator.random((n_sets, 1)) < MIXED_SHARE
    codes = of_each_item(np.where(is_mixed, codes, codes[:, :1]), labels)
    for code, shape in enumerate(family.shapes):
        if shape in _FROM_GAUSSIAN and (rows := codes == code).any():
            offsets[rows] = _FROM_GAUSSIAN[shape](offsets[rows], generator)
    return offsets
