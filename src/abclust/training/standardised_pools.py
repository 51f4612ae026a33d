"""Pools of vectors in standard units, made of the chosen rows alone: the data stay where they are."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.training.augmentation import Augmentation
from abclust.training.pool_batch import PoolChoice
from abclust.training.pool_drawing import PoolConfig
from abclust.training.pool_source import PoolSource
from abclust.training.standardisation import Standardisation


class StandardisedPoolSource(PoolSource):
    """A :class:`PoolSource` of vectors (N, d) whose items come in standard units.

    Parameters
    ----------
    groups, config, seed, augment
        As in :class:`PoolSource`.
    units
        What makes rows standard.

    Examples
    --------
    >>> import numpy as np
    >>> from abclust.datasets.labelled_set import LabelledSet
    >>> group = LabelledSet(1000 + np.arange(60.0).reshape(30, 2), np.arange(30) % 5)
    >>> config = PoolConfig(
    ...     pools_per_step=1, pool_size=30, sets_per_pool=3, smallest_set=10, largest_set=20, rotated=0.0
    ... )
    >>> source = StandardisedPoolSource([group], config, units=Standardisation.of([group]))
    >>> float(source.batch(step=0, rank=0, world_size=1).items.mean().abs()) < 1e-6
    True
    """

    def __init__(
        self,
        groups: Sequence[Any],
        config: PoolConfig | None = None,
        *,
        units: Standardisation,
        seed: int = 0,
        augment: Augmentation | AugmentationConfig | None = None,
    ) -> None:
        super().__init__(groups, config, seed=seed, augment=augment)
        self.units = units

    def _look_up(self, pool: PoolChoice) -> Tensor:
        return torch.from_numpy(self.units.scale(self._groups[pool.group].items[pool.indices]))
