"""Shapes of a cluster around its centre: rows of independent Gaussians turned into other laws."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtr

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_labels import canonical_rows, of_each_item

Rows = Float[np.ndarray, "N d"]
MIXED_SHARE = 0.3
"""Share of the sets in which each cluster has a shape of its own."""
FEWEST_ITEMS = 1.5
"""Least mean number of items in a clump."""
FEWEST_CLUMPS = 6
"""Of a cluster: with fewer, each of them would look like a cluster."""
CLUMP_VARIANCE = (0.05, 0.7)
"""Range of the share of a cluster's variance that is between its clumps, where they are small and the
columns many."""
SMALL_ITEMS, MANY_FEATURES = 8.0, 16.0
"""From so many items on a clump, and below so many columns, the share falls: large clumps, and clumps of the
plane, would be clusters by themselves."""


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


def gather_in_clumps(
    offsets: Float[np.ndarray, "B n d"], labels: Int[np.ndarray, "B n"], generator: np.random.Generator
) -> Float[np.ndarray, "B n d"]:
    """sqrt(1 - s) z + sqrt(s) c with a Gaussian c that some items of a cluster share, the items of a clump.

    The variance stays what it was. Clumps of any size up to a sixth of their cluster, and the less apart the
    larger they are: what the network is to learn is that near neighbours need not be all of a cluster.
    """
    n_sets, n_points, n_features = offsets.shape
    sizes = np.sum(labels[..., None] == np.arange(int(labels.max()) + 1), axis=1)
    most_items = np.maximum(sizes.max(axis=1, keepdims=True) / FEWEST_CLUMPS, FEWEST_ITEMS)
    items = FEWEST_ITEMS * (most_items / FEWEST_ITEMS) ** generator.random((n_sets, 1))
    share = generator.uniform(*CLUMP_VARIANCE, (n_sets, 1)) * min(1.0, n_features / MANY_FEATURES)
    share = (share * np.minimum(1.0, SMALL_ITEMS / items))[..., None].astype(np.float32)
    n_clumps = of_each_item(sizes / np.maximum(np.minimum(items, sizes / FEWEST_CLUMPS), 1.0), labels)
    place = (generator.random((n_sets, n_points)) * n_clumps).astype(np.int64)
    clumps = canonical_rows(labels * (n_points + 1) + place)
    centres = generator.standard_normal((n_sets, int(clumps.max()) + 1, n_features), dtype=np.float32)
    return np.sqrt(1 - share) * offsets + np.sqrt(share) * of_each_item(centres, clumps)
