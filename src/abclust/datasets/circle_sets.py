"""Points on overlapping circles: sets that no pairwise rule can cluster (paper Sec. 5.1).

The generator is the authors' (authors' code): centres uniform in a disc of radius 0.5; radii N(0.3, 0.1)
clipped to [0.2, 0.4]; sizes multinomial plus 1; the m points of a circle one in each of m equal arcs, uniform
within it. Here it is vectorised over sets, the number of circles may vary, points may carry noise, and they
come in random order (ours).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator

DISC_RADIUS = 0.5
RADIUS_MEAN, RADIUS_DEVIATION = 0.3, 0.1
RADIUS_RANGE = (0.2, 0.4)


@dataclass(frozen=True, eq=False)
class CircleBatch:
    """Many sets of equally many points, with the circles that they lie on.

    Attributes
    ----------
    points
        float32. Shape (B, n, 2).
    labels
        The circle of each point, canonical: numbered by first appearance. Shape (B, n).
    centres, radii
        The circles in the order of the labels; NaN beyond the circles of a set. Shapes (B, k, 2) and (B, k).
    """

    points: Float[np.ndarray, "B n 2"]
    labels: Int[np.ndarray, "B n"]
    centres: Float[np.ndarray, "B k 2"]
    radii: Float[np.ndarray, "B k"]

    @property
    def n_circles(self) -> Int[np.ndarray, " B"]:
        return np.isfinite(self.radii).sum(axis=1)

    def nearest_circle(self) -> Int[np.ndarray, "B n"]:
        """The oracle: each point to the true circle whose line is nearest, argmin_c | |x - m_c| - r_c |.

        Nothing that does not know the circles can be expected to do better, so this is the ceiling of every
        score.
        """
        offsets = self.points[:, :, None].astype(np.float64) - self.centres[:, None]  # (B, n, k, 2)
        distances = np.abs(np.hypot(offsets[..., 0], offsets[..., 1]) - self.radii[:, None])  # (B, n, k)
        return np.nanargmin(distances, axis=2)

    def circles_of_points(self) -> Float[np.ndarray, "B n 3"]:
        """Centre and radius of the circle that each point was drawn from."""
        circles = np.concatenate([self.centres, self.radii[..., None]], axis=2)  # (B, k, 3)
        return np.take_along_axis(circles, self.labels[..., None], axis=1)

    def __iter__(self) -> Iterator[LabelledSet]:
        for points, labels in zip(self.points, self.labels):
            yield LabelledSet(points, labels)


def circle_batch(
    n_sets: int, n_points: int, n_circles: int | tuple[int, int] = 4, noise: float = 0.0, seed: Seed = None
) -> CircleBatch:
    """Sets of points on circles as arrays, all made at once.

    Parameters
    ----------
    n_sets, n_points
        B sets of n points each.
    n_circles
        A number, or a range (fewest, most) from which each set draws its own uniformly; at most `n_points`.
    noise
        Standard deviation of a Gaussian added to both coordinates of each point.
    seed
        Anything that :func:`abclust.foundations.random_state.as_generator` takes.

    Raises
    ------
    InvalidInputError
        If a number is out of range or there are more circles than points.

    Examples
    --------
    >>> batch = circle_batch(3, 20, n_circles=(1, 4), seed=0)
    >>> batch.points.shape, bool((batch.nearest_circle() == batch.labels).all())
    ((3, 20, 2), True)
    """
    fewest, most = n_circles if isinstance(n_circles, tuple) else (n_circles, n_circles)
    _check(n_sets, n_points, fewest, most, noise)
    generator = as_generator(seed)
    counts = generator.integers(fewest, most + 1, size=n_sets)  # circles of each set
    exists = np.arange(most) < counts[:, None]  # (B, k)

    distance = DISC_RADIUS * np.sqrt(generator.random((n_sets, most)))
    centres = distance[..., None] * _directions(2 * np.pi * generator.random((n_sets, most)))
    radii = generator.normal(RADIUS_MEAN, RADIUS_DEVIATION, (n_sets, most)).clip(*RADIUS_RANGE)
    sizes = generator.multinomial(n_points - counts, exists / counts[:, None]) + exists  # (B, k)

    labels = np.repeat(np.tile(np.arange(most), n_sets), sizes.ravel()).reshape(n_sets, n_points)
    sets = np.arange(n_sets)[:, None]
    within = np.arange(n_points) - (np.cumsum(sizes, axis=1) - sizes)[sets, labels]  # place on its own circle
    angles = 2 * np.pi * (within + generator.random((n_sets, n_points))) / sizes[sets, labels]
    points = centres[sets, labels] + radii[sets, labels][..., None] * _directions(angles)
    if noise > 0:
        points += generator.normal(0.0, noise, points.shape)

    order = np.argsort(generator.random((n_sets, n_points)), axis=1)
    labels, ranking = _canonical_rows(labels[sets, order], most)
    centres = np.where(exists[..., None], centres, np.nan)[sets, ranking]
    radii = np.where(exists, radii, np.nan)[sets, ranking]
    return CircleBatch(points[sets, order].astype(np.float32), labels, centres, radii)


def circles(
    n_sets: int = 1,
    n_points: int | tuple[int, int] = 100,
    n_circles: int | tuple[int, int] = 4,
    noise: float = 0.0,
    seed: Seed = None,
) -> list[LabelledSet]:
    """Sets of points on overlapping circles, as :class:`LabelledSet`; see :func:`circle_batch`.

    Parameters
    ----------
    n_sets
        How many sets.
    n_points
        Points in a set, or a range (fewest, most) from which each set draws its own uniformly.
    n_circles, noise, seed
        As in :func:`circle_batch`.

    Examples
    --------
    >>> [each.n_items for each in circles(n_sets=2, n_points=23, seed=1)]
    [23, 23]
    """
    if not isinstance(n_points, tuple):
        return list(circle_batch(n_sets, n_points, n_circles, noise, seed))
    if not 1 <= n_points[0] <= n_points[1]:
        raise InvalidInputError(f"n_points must be positive, or a range (fewest, most). Got {n_points}.")
    generator = as_generator(seed)
    lengths = generator.integers(n_points[0], n_points[1] + 1, size=n_sets)
    return [next(iter(circle_batch(1, int(length), n_circles, noise, generator))) for length in lengths]


def _directions(angles: Float[np.ndarray, "B m"]) -> Float[np.ndarray, "B m 2"]:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _canonical_rows(
    labels: Int[np.ndarray, "B n"], most: int
) -> tuple[Int[np.ndarray, "B n"], Int[np.ndarray, "B k"]]:
    """Labels of each row by first appearance, and the old label of each new one; absent labels come last."""
    is_label = labels[:, None, :] == np.arange(most)[:, None]  # (B, k, n)
    first_seen = np.where(is_label.any(axis=2), is_label.argmax(axis=2), labels.shape[1])
    ranking = np.argsort(first_seen, axis=1, kind="stable")
    return np.argsort(ranking, axis=1)[np.arange(len(labels))[:, None], labels], ranking


def _check(n_sets: int, n_points: int, fewest: int, most: int, noise: float) -> None:
    if n_sets < 1:
        raise InvalidInputError(f"n_sets must be positive. Got {n_sets}.")
    if not 1 <= fewest <= most <= n_points:
        raise InvalidInputError(
            f"n_circles must be positive, or a range (fewest, most), and at most n_points = {n_points}. "
            f"Got {(fewest, most)}."
        )
    if not 0 <= noise < np.inf:
        raise InvalidInputError(f"noise must be a standard deviation, at least 0. Got {noise}.")
