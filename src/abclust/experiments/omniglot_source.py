"""What a training step on Omniglot sees: a pool of a few hundred images, now and then an alphabet.

Networks that only ever saw sets of 100 cut whole alphabets of 900 images into many clusters too many; sets of
all sizes in training are what carries from the one to the other (ours).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.training.batch_source import BatchSource, TrainingBatch
from abclust.training.pool_drawing import PoolConfig
from abclust.training.pool_source import PoolSource

_KINDS = 2**31 + 2  # a branch of the tree of random streams that no pool and no augmentation uses


@dataclass(frozen=True)
class StepKind:
    """One kind of step, and the share of the steps that are of it."""

    pools: PoolConfig
    share: float = 1.0
    compound: bool = False
    """Learn from characters put together of parts, instead of the real ones."""

    @property
    def images(self) -> int:
        """Images that such a step encodes, at most: small alphabets give smaller pools."""
        return self.pools.pools_per_step * self.pools.pool_size


class MixedPoolSource:
    """Steps of several kinds, each drawn by its share; a pure function of seed and step, as sources must be.

    Parameters
    ----------
    data
        The alphabets to learn from.
    kinds
        Kinds of steps; their shares add up to 1.
    augmentation
        How images are varied.
    seed
        Of everything that is drawn.
    compounds
        Further alphabets, for the kinds of steps that ask for them.

    Raises
    ------
    InvalidInputError
        If shares are negative or do not add up to 1, or compounds are asked for and not there.
    """

    def __init__(
        self,
        data: GroupedImages,
        kinds: Sequence[StepKind],
        augmentation: AugmentationConfig,
        seed: int = 0,
        compounds: GroupedImages | None = None,
    ) -> None:
        shares = np.array([kind.share for kind in kinds])
        if len(shares) == 0 or shares.min() < 0 or abs(shares.sum() - 1) > 1e-9:
            raise InvalidInputError(f"shares must not be negative and add up to 1. Got {shares.tolist()}.")
        self._bounds = np.cumsum(shares)[:-1]
        self._seed = seed
        if compounds is None and any(kind.compound for kind in kinds):
            raise InvalidInputError(
                "compounds must be given where a kind of step learns from them. Got None."
            )
        self._sources = [
            PoolSource(
                compounds if kind.compound and compounds is not None else data,
                kind.pools,
                seed=seed,
                augment=augmentation,
            )
            for kind in kinds
        ]

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The pools of process `rank` in step `step`; all processes of a step have the same kind."""
        kind = int(np.searchsorted(self._bounds, stream(self._seed, _KINDS, step).random(), side="right"))
        return self._sources[kind].batch(step, rank, world_size)


class PhasedSource:
    """One source after another.

    Parameters
    ----------
    phases
        Sources and the steps from which on they are asked, the first from step 0.

    Raises
    ------
    InvalidInputError
        If the first phase does not begin with step 0, or phases are not in order.
    """

    def __init__(self, phases: Sequence[tuple[int, BatchSource]]) -> None:
        self._starts = [start for start, _ in phases]
        self._sources = [source for _, source in phases]
        if self._starts[:1] != [0] or self._starts != sorted(set(self._starts)):
            raise InvalidInputError(
                f"phases must begin with step 0, each later than the one before. Got {self._starts}."
            )

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """What the source of that step gives."""
        return self._sources[bisect_right(self._starts, step) - 1].batch(step, rank, world_size)
