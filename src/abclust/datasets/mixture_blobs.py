"""Clusters around centres in any number of dimensions, from far apart to heavily overlapping."""

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_labels import of_each_item
from abclust.datasets.mixture_shapes import draw_shapes, gather_in_clumps

SPACING_CANDIDATES = 8
"""Places among which a centre that keeps its distance takes the one farthest from the centres before it."""
HIERARCHICAL_SHARE, SPARSE_SHARE = 0.25, 0.2
"""Shares of the sets whose centres come in groups, and whose centres differ in a few columns only."""
TILTING_REFLECTIONS = 4


def draw_blobs(
    counts: Int[np.ndarray, " B"],
    labels: Int[np.ndarray, "B n"],
    n_features: int,
    family: MixtureFamily,
    generator: np.random.Generator,
) -> Float[np.ndarray, "B n d"]:
    """Items x = m_c + R_c s_c a_c z + l_c t u_c + b_c (t^2 - 1) v_c, z of the cluster's shape and t Gaussian.

    s is the size of a cluster in space, a its axes, R where they point, l its length along a direction u of
    its own and b its bend towards another direction v.
    """
    n_sets, most = len(labels), int(counts.max())
    knows = _informative_columns(n_sets, n_features, family, generator)
    offsets = draw_shapes(labels, n_features, family, generator)
    # Where no set may have clumps nothing is drawn: held-out sets stay the sets they were.
    if family.clumped_share and (is_clumped := generator.random(n_sets) < family.clumped_share).any():
        offsets[is_clumped] = gather_in_clumps(offsets[is_clumped], labels[is_clumped], generator)
    deviation = family.density_deviation * generator.random((n_sets, 1, 1))
    sizes = np.exp(deviation * generator.standard_normal((n_sets, most, 1)))
    is_stretched = generator.random((n_sets, 1, 1)) < family.stretched_share
    inequality = is_stretched * family.largest_inequality * generator.random((n_sets, 1, 1))
    axes = sizes * np.exp(inequality * generator.standard_normal((n_sets, most, n_features)))
    axes = np.where(knows, axes, np.exp(0.5 * generator.standard_normal((n_sets, 1, n_features))))
    points = offsets * of_each_item(axes.astype(np.float32), labels)

    stretched = np.flatnonzero(is_stretched)
    # Where no set may be tilted nothing is drawn: held-out sets stay the sets they were.
    if family.tilted_share and len(stretched) and n_features > 1:
        tilted = stretched[generator.random(len(stretched)) < family.tilted_share]
        points[tilted] = tilt_clusters(points[tilted], labels[tilted], most, knows[tilted], generator)
    if len(stretched) and n_features > 1:
        points[stretched] += _long_and_bent(
            labels[stretched], sizes[stretched], n_features, family.longest, generator
        )
    centres = _centres(counts, knows, labels.shape[1], family, generator)
    points += of_each_item(centres.astype(np.float32), labels)
    return points


def _informative_columns(
    n_sets: int, n_features: int, family: MixtureFamily, generator: np.random.Generator
) -> Bool[np.ndarray, "B 1 d"]:
    """Which columns know of the clusters: the first ones, log-uniformly many, at least one."""
    kept = np.exp(generator.random((n_sets, 1)) * np.log(n_features + 1)).astype(np.int64)
    is_part = generator.random((n_sets, 1)) < family.uninformative_share
    kept = np.where(is_part, np.minimum(kept, n_features), n_features)
    return (np.arange(n_features) < kept)[:, None]


def tilt_clusters(
    points: Float[np.ndarray, "B n d"],
    labels: Int[np.ndarray, "B n"],
    most: int,
    knows: Bool[np.ndarray, "B 1 d"],
    generator: np.random.Generator,
) -> Float[np.ndarray, "B n d"]:
    """Each cluster turned by reflections of its own, x - 2 (x . v) v, within the informative columns."""
    for _ in range(TILTING_REFLECTIONS):
        normals = generator.standard_normal((len(points), most, points.shape[2]), dtype=np.float32) * knows
        lengths = np.linalg.norm(normals, axis=2, keepdims=True)
        normals /= np.where(lengths > 0, lengths, 1.0)  # of one column, once in ten million draws, it is 0
        of_item = of_each_item(normals, labels)
        points = points - 2 * np.sum(points * of_item, axis=2, keepdims=True) * of_item
    return points


def _long_and_bent(
    labels: Int[np.ndarray, "B n"],
    sizes: Float[np.ndarray, "B k 1"],
    n_features: int,
    longest: float,
    generator: np.random.Generator,
) -> Float[np.ndarray, "B n d"]:
    n_sets, most = sizes.shape[:2]
    largest = generator.uniform(
        0.0, longest, (n_sets, 1, 1)
    )  # deviations; the same order for a set's clusters
    lengths = largest * generator.random((n_sets, most, 1)) * sizes
    bends = 0.5 * lengths * generator.random((n_sets, most, 1)) * (generator.random((n_sets, 1, 1)) < 0.5)
    directions = generator.standard_normal((2, n_sets, most, n_features))
    directions /= np.linalg.norm(directions, axis=3, keepdims=True)
    along, across = (
        of_each_item((size * direction).astype(np.float32), labels)
        for size, direction in zip((lengths, bends), directions)
    )
    places = generator.standard_normal((*labels.shape, 1), dtype=np.float32)
    return places * along + (places**2 - 1) * across


def _centres(
    counts: Int[np.ndarray, " B"],
    knows: Bool[np.ndarray, "B 1 d"],
    n_points: int,
    family: MixtureFamily,
    generator: np.random.Generator,
) -> Float[np.ndarray, "B k d"]:
    """Centres in the informative columns, scaled so that neighbours among them are as far as was drawn."""
    n_sets, most, n_features = len(counts), int(counts.max()), knows.shape[2]
    decay = generator.uniform(0.0, 1.2, (n_sets, 1, 1)) * (generator.random((n_sets, 1, 1)) < 0.5)
    spectrum = np.arange(1, n_features + 1) ** -decay  # (B, 1, d)
    centres = generator.standard_normal((n_sets, most, n_features)) * spectrum * knows
    groups = np.maximum(1, np.sqrt(counts).astype(np.int64))[:, None]
    of_group = centres[np.arange(n_sets)[:, None], np.arange(most) % groups]
    is_grouped = generator.random((n_sets, 1, 1)) < HIERARCHICAL_SHARE
    centres = np.where(is_grouped, 0.4 * centres + of_group, centres)
    is_sparse = generator.random((n_sets, 1, 1)) < SPARSE_SHARE
    centres *= ~is_sparse | (generator.random(centres.shape) < 2.0 / n_features + 0.2)
    # Where no centres may keep their distance nothing is drawn: held-out sets stay the sets they were.
    if family.spaced_share and (is_spaced := generator.random(n_sets) < family.spaced_share).any():
        centres[is_spaced] = _spaced_centres(spectrum[is_spaced] * knows[is_spaced], most, generator)

    low, high = np.log(family.separation)
    wanted = np.exp(generator.uniform(low, high, n_sets))
    # With more columns than items chance separates too: what is to be found must stand further apart.
    wanted *= (1 + n_features / n_points) ** 0.25
    found = _mean_nearest_distance(centres, counts)
    return centres * (wanted / np.maximum(found, 1e-6))[:, None, None] * (counts > 1)[:, None, None]


def _spaced_centres(
    spread: Float[np.ndarray, "B 1 d"], most: int, generator: np.random.Generator
) -> Float[np.ndarray, "B k d"]:
    """Gaussian centres one after the other, each at the best of some places (Mitchell's best candidate)."""
    n_sets, n_features = len(spread), spread.shape[2]
    places = generator.standard_normal((most, n_sets, SPACING_CANDIDATES, n_features)) * spread
    centres = np.empty((n_sets, most, n_features))
    centres[:, 0] = places[0, :, 0]
    nearest = np.full((most, n_sets, SPACING_CANDIDATES), np.inf)
    for place in range(1, most):
        # Only what is still to be placed has to know of the centre before.
        apart = np.sum((places[place:] - centres[:, place - 1][:, None]) ** 2, axis=3)
        np.minimum(nearest[place:], apart, out=nearest[place:])
        centres[:, place] = places[place, np.arange(n_sets), nearest[place].argmax(axis=1)]
    return centres


def _mean_nearest_distance(
    centres: Float[np.ndarray, "B k d"], counts: Int[np.ndarray, " B"]
) -> Float[np.ndarray, " B"]:
    exists = np.arange(centres.shape[1]) < counts[:, None]
    squares = np.sum(centres**2, axis=2)
    distances = squares[:, :, None] + squares[:, None] - 2 * centres @ centres.swapaxes(1, 2)
    is_pair = exists[:, :, None] & exists[:, None] & ~np.eye(centres.shape[1], dtype=bool)
    nearest = np.sqrt(np.maximum(np.where(is_pair, distances, np.inf).min(axis=2), 0))
    return np.where(exists, np.where(np.isfinite(nearest), nearest, 0), 0).sum(axis=1) / counts
