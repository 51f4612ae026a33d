"""The sets of circles that a network is trained on, step by step."""

import math
from dataclasses import dataclass, replace

import numpy as np

from abclust.datasets.circle_sets import CircleBatch, circle_batch
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class CircleSampler:
    """The sets of one training step; called as ``sampler(rng, step) -> (points, labels)``.

    All sets of a step have equally many points, so that nothing is padded; circles and noise differ from set
    to set.

    Raises
    ------
    InvalidInputError
        If a range is empty, a share is not between 0 and 1, or there would be more circles than points.

    Examples
    --------
    >>> sampler = CircleSampler(n_points=(20, 300), n_circles=(1, 8), points_per_step=600)
    >>> points, labels = sampler(np.random.default_rng(0), step=0)
    >>> points.shape[0] == 600 // points.shape[1]
    True
    """

    n_points: tuple[int, int] = (20, 20)
    """Fewest and most points of a set; the logarithm of the number is uniform."""
    n_circles: tuple[int, int] = (4, 4)
    """Fewest and most circles; each set draws its own number uniformly."""
    points_per_step: int = 128 * 20
    """Points in a step: sets of n points come by this many // n, and at least one."""
    noise: float = 0.0
    """Largest standard deviation of the points' noise; each noisy set draws its own uniformly up to it."""
    clean_share: float = 0.3
    """Share of the sets without noise."""
    large_points: int | None = None
    """A size far above `n_points` that a few steps have, so that such sets are not strange to the network."""
    large_share: float = 0.02
    """Share of the steps of that size."""
    curriculum_steps: int = 0
    """Over so many steps the largest size grows from the smallest to its own, geometrically; 0 for none."""
    tells_circles: bool = False
    """Give centre and radius of every point's circle as targets, see :mod:`abclust.training.target_head`."""

    def __post_init__(self) -> None:
        if not 1 <= self.n_points[0] <= self.n_points[1]:
            raise InvalidInputError(f"n_points must be a range (fewest, most) from 1. Got {self.n_points}.")
        if not 1 <= self.n_circles[0] <= self.n_circles[1] <= self.n_points[0]:
            raise InvalidInputError(
                f"n_circles must be a range (fewest, most) from 1 to the fewest points ({self.n_points[0]}). "
                f"Got {self.n_circles}."
            )
        for name in ("clean_share", "large_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidInputError(f"{name} must be between 0 and 1. Got {getattr(self, name)}.")
        if self.points_per_step < 1 or self.noise < 0 or self.curriculum_steps < 0:
            raise InvalidInputError(
                "points_per_step must be positive, noise and curriculum_steps must not be negative. Got "
                f"{self.points_per_step}, {self.noise} and {self.curriculum_steps}."
            )

    @property
    def n_targets(self) -> int:
        """How many numbers of a point are given as targets: two of the centre, the radius."""
        return 3 if self.tells_circles else 0

    def __call__(self, rng: np.random.Generator, step: int) -> tuple[np.ndarray, ...]:
        n_points = self._draw_size(rng, step)
        batch = self.sets_of(max(1, self.points_per_step // n_points), n_points, rng)
        if not self.tells_circles:
            return batch.points, batch.labels
        return batch.points, batch.labels, batch.circles_of_points()

    def sets_of(self, n_sets: int, n_points: int, rng: np.random.Generator) -> CircleBatch:
        """Sets of the stated size, with circles and noise as in training."""
        batch = circle_batch(n_sets, n_points, self.n_circles, seed=rng)
        if self.noise == 0:
            return batch
        is_noisy = rng.random((n_sets, 1, 1)) >= self.clean_share
        deviations = is_noisy * rng.uniform(0.0, self.noise, (n_sets, 1, 1))
        noise = deviations * rng.standard_normal(batch.points.shape)
        return replace(batch, points=(batch.points + noise).astype(np.float32))

    def _draw_size(self, rng: np.random.Generator, step: int) -> int:
        fewest, most = self.n_points
        progress = min(1.0, step / self.curriculum_steps) if self.curriculum_steps else 1.0
        if self.large_points is not None and progress == 1.0 and rng.random() < self.large_share:
            return self.large_points
        size = fewest * math.exp(rng.random() * progress * math.log((most + 1) / fewest))
        return min(int(size), most)
