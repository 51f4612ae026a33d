"""Generated sets of vectors with known clusters: mixtures of many shapes, as plain or as messy as tables are.

What a network that clusters any table is trained on (ours; the paper has only circles). Labels are the
generating ones, also where clusters overlap so much that nobody could tell: the network then learns how sure
one may be.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.mixture_blobs import draw_blobs
from abclust.datasets.mixture_curves import draw_curves
from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_labels import canonical_rows, draw_counts, draw_labels
from abclust.datasets.mixture_tables import (
    add_categories,
    add_factors,
    add_outliers,
    bend_space,
    change_columns,
    measure_causes,
    mix_columns,
    put_on_sphere,
    with_sums,
)
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator

CATEGORY_SHARE = 0.4
"""Share of the sets with changed columns that have a category besides."""
CAUSES_FROM_FEATURES, SUMS_FROM_FEATURES, SPHERE_FROM_FEATURES = 3, 3, 8


@dataclass(frozen=True, eq=False)
class MixtureBatch:
    """Many sets of equally many vectors of one width.

    Attributes
    ----------
    points
        float32. Shape (B, n, d).
    labels
        The cluster of each item, numbered by first appearance. Shape (B, n).
    """

    points: Float[np.ndarray, "B n d"]
    labels: Int[np.ndarray, "B n"]

    def __iter__(self) -> Iterator[LabelledSet]:
        for points, labels in zip(self.points, self.labels):
            yield LabelledSet(points, labels)


def mixture_batch(
    n_sets: int, n_points: int, n_features: int, family: MixtureFamily | None = None, seed: Seed = None
) -> MixtureBatch:
    """Sets of vectors with known clusters as arrays, all made at once.

    Parameters
    ----------
    n_sets, n_points, n_features
        B sets of n vectors of width d.
    family
        What is drawn from; all that there is by default.
    seed
        Anything that :func:`abclust.foundations.random_state.as_generator` takes.

    Raises
    ------
    InvalidInputError
        If a number is below 1, or the family asks for more clusters than there are items.

    Examples
    --------
    >>> batch = mixture_batch(3, 29, 5, MixtureFamily(n_clusters=(2, 4)), seed=0)
    >>> batch.points.shape, bool((batch.labels.max(axis=1) >= 1).all())
    ((3, 29, 5), True)
    """
    family = family or MixtureFamily()
    _check(n_sets, n_points, n_features, family)
    generator = as_generator(seed)
    # Where no columns may be sums nothing is drawn: held-out sets stay the sets they were.
    if not family.redundant_share or n_features < SUMS_FROM_FEATURES:
        return _draw_batch(n_sets, n_points, n_features, family, generator)
    is_redundant = generator.random(n_sets) < family.redundant_share
    points = np.empty((n_sets, n_points, n_features), np.float32)
    labels = np.empty((n_sets, n_points), np.int64)
    for chosen, n_measured in (
        (~is_redundant, n_features),
        (is_redundant, int(generator.integers(max(2, n_features // 3), n_features))),
    ):
        if chosen.any():
            batch = _draw_batch(int(chosen.sum()), n_points, n_measured, family, generator)
            labels[chosen] = batch.labels
            is_short = n_measured < n_features
            points[chosen] = with_sums(batch.points, n_features, generator) if is_short else batch.points
    return MixtureBatch(points, labels)


def _draw_batch(
    n_sets: int, n_points: int, n_features: int, family: MixtureFamily, generator: np.random.Generator
) -> MixtureBatch:
    """Sets without sums among their columns."""
    is_curve = (generator.random(n_sets) < family.curve_share) & (n_features > 1)
    counts = draw_counts(n_points, is_curve, family, generator)
    labels = draw_labels(counts, n_points, family, generator)
    points = np.empty((n_sets, n_points, n_features), np.float32)
    if not is_curve.all():
        points[~is_curve] = _blobs_in_columns(
            counts[~is_curve], labels[~is_curve], n_features, family, generator
        )
    if is_curve.any():
        points[is_curve] = _curves_among_columns(counts, labels, is_curve, n_features, family, generator)
    points = add_factors(points, (generator.random(n_sets) < family.correlated_share) & ~is_curve, generator)
    points = bend_space(points, (generator.random(n_sets) < family.bent_share) & ~is_curve, generator)
    points = add_outliers(points, family, generator)

    is_table = generator.random(n_sets) < family.table_share
    is_sphere = (generator.random(n_sets) < family.sphere_share) & (n_features >= SPHERE_FROM_FEATURES)
    is_category = is_table & (generator.random(n_sets) < CATEGORY_SHARE) & ~is_curve
    is_mixed = generator.random(n_sets) < family.rotated_share
    points = mix_columns(points, is_mixed | is_sphere | (is_curve & (n_features > 2)), generator)
    points = put_on_sphere(points, is_sphere & ~is_table, generator)
    points = change_columns(points, is_table & ~is_curve, generator)
    points = add_categories(points, labels, is_category, generator)
    return MixtureBatch(points, canonical_rows(labels))


def mixtures(
    n_sets: int = 1,
    n_points: int | tuple[int, int] = 100,
    n_features: int | tuple[int, int] = 2,
    family: MixtureFamily | None = None,
    seed: Seed = None,
) -> list[LabelledSet]:
    """Sets of vectors with known clusters, as :class:`LabelledSet`; see :func:`mixture_batch`.

    Parameters
    ----------
    n_sets
        How many sets.
    n_points, n_features
        A number, or a range (fewest, most) from which each set draws its own; the logarithm is uniform.
    family, seed
        As in :func:`mixture_batch`.

    Examples
    --------
    >>> [each.items.shape for each in mixtures(n_sets=2, n_points=23, n_features=3, seed=1)]
    [(23, 3), (23, 3)]
    """
    if not isinstance(n_points, tuple) and not isinstance(n_features, tuple):
        return list(mixture_batch(n_sets, n_points, n_features, family, seed))
    generator = as_generator(seed)
    sets = []
    for _ in range(n_sets):
        size, width = (draw_size(given, generator) for given in (n_points, n_features))
        sets += mixture_batch(1, size, width, family, generator)
    return sets


def draw_size(given: int | tuple[int, int], generator: np.random.Generator) -> int:
    """A number as it is; from a range (fewest, most) one whose logarithm is uniform.

    Raises
    ------
    InvalidInputError
        If the range is empty or starts below 1.
    """
    fewest, most = given if isinstance(given, tuple) else (given, given)
    if not 1 <= fewest <= most:
        raise InvalidInputError(f"a range of sizes must be (fewest, most) from 1. Got {given}.")
    return min(most, int(fewest * ((most + 1) / fewest) ** generator.random()))


def _blobs_in_columns(
    counts: Int[np.ndarray, " B"],
    labels: Int[np.ndarray, "B n"],
    n_features: int,
    family: MixtureFamily,
    generator: np.random.Generator,
) -> Float[np.ndarray, "B n d"]:
    """Clusters around centres: of the columns themselves, or of causes that all columns measure."""
    # Where no set may be of causes nothing is drawn: held-out sets stay the sets they were.
    if not family.caused_share or n_features < CAUSES_FROM_FEATURES:
        return draw_blobs(counts, labels, n_features, family, generator)
    is_caused = generator.random(len(labels)) < family.caused_share
    points = np.empty((*labels.shape, n_features), np.float32)
    if not is_caused.all():
        points[~is_caused] = draw_blobs(counts[~is_caused], labels[~is_caused], n_features, family, generator)
    if is_caused.any():
        n_causes = draw_size((2, n_features - 1), generator)
        causes = draw_blobs(counts[is_caused], labels[is_caused], n_causes, family, generator)
        points[is_caused] = measure_causes(causes, n_features, generator)
    return points


def _curves_among_columns(
    counts: Int[np.ndarray, " B"],
    labels: Int[np.ndarray, "B n"],
    is_curve: Bool[np.ndarray, " B"],
    n_features: int,
    family: MixtureFamily,
    generator: np.random.Generator,
) -> Float[np.ndarray, "C n d"]:
    """Curves in the first two columns; the others hold noise of about the same size."""
    planar, noise = draw_curves(counts[is_curve], labels[is_curve], family, generator)
    points = generator.standard_normal((*planar.shape[:2], n_features), dtype=np.float32)
    points *= (noise * generator.random(noise.shape)).astype(np.float32)
    points[..., :2] = planar
    return points


def _check(n_sets: int, n_points: int, n_features: int, family: MixtureFamily) -> None:
    for name, value in (("n_sets", n_sets), ("n_points", n_points), ("n_features", n_features)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive. Got {value}.")
    if family.n_clusters[0] > n_points:
        raise InvalidInputError(
            f"n_clusters must be at most n_points = {n_points}. Got at least {family.n_clusters[0]}."
        )
