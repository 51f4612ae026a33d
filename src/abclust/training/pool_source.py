"""Encode once, learn often: pools of items of one group, and many sets drawn from each."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from abclust.datasets.class_warping import ClassWarpConfig, warp_classes
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.datasets.labelled_set import LabelledSet, as_labelled_set
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.training.augmentation import Augmentation, as_augmentation, torch_generator
from abclust.training.batch_source import TrainingBatch
from abclust.training.cached_source import CachedPoolSource
from abclust.training.pool_batch import PoolChoice, assemble
from abclust.training.pool_drawing import QUARTER_TURNS, GroupSampler, PoolConfig

_AUGMENTING = 2**31
"""A branch of the tree of random streams that no pool number reaches."""


class PoolSource:
    """Each step encodes a few pools of one group each and draws many sets of mixed sizes from every pool.

    The convolutions are most of the cost of a step, and the encoder sees no context: sharing them among sets
    is what makes training on two cores possible (ours).

    Parameters
    ----------
    groups
        Grouped images such as an Omniglot split; or one :class:`LabelledSet` or (X, y) pair for each group:
        images (N, H, W) or vectors (N, d).
    config
        Sizes and numbers of pools and sets; how classes are multiplied.
    seed
        Seed of everything that is drawn.
    augment
        Batched change of a step's items: ``augment(items, generator) -> items``, or a configuration.

    Raises
    ------
    InvalidInputError
        If there is no group, or classes shall be turned that are not images.

    Examples
    --------
    >>> alphabet = LabelledSet(np.random.default_rng(0).random((60, 8, 8)), np.arange(60) % 12)
    >>> config = PoolConfig(pools_per_step=1, pool_size=30, sets_per_pool=3, smallest_set=10, largest_set=20)
    >>> batch = PoolSource([alphabet], config).batch(step=0, rank=0, world_size=1)
    >>> batch.n_items, len(batch.sets)
    (30, 3)
    """

    def __init__(
        self,
        groups: GroupedImages | Sequence[Any],
        config: PoolConfig | None = None,
        *,
        seed: int = 0,
        augment: Augmentation | AugmentationConfig | None = None,
    ) -> None:
        self.config = config or PoolConfig()
        self.seed = seed
        self.augment = as_augmentation(augment)
        self._groups: list[LabelledSet] = as_groups(groups)
        if not self._groups:
            raise InvalidInputError("groups must hold at least one group. Got none.")
        changed = self.config.rotated or self.config.mirrored or self.config.warped
        if changed and self._groups[0].items.ndim != 3:
            raise InvalidInputError(
                "rotated, mirrored and warped must be 0 unless items are images (N, H, W). "
                f"Got items of shape {self._groups[0].items.shape}."
            )
        self._samplers = [GroupSampler(group.labels, self.config) for group in self._groups]

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The pools of process `rank` in step `step`."""
        rngs = self.streams(step, rank)
        pools = [self.choose_pool(rng) for rng in rngs]
        items = torch.cat([self._look_up(pool) for pool in pools])
        if self.augment is not None:
            items = self.augment(items, torch_generator(self.seed, _AUGMENTING, step, rank))
        return assemble(items, pools, self.config, rngs)

    def streams(self, step: int, rank: int) -> list[np.random.Generator]:
        """One random stream for each pool of process `rank` in step `step`."""
        first = rank * self.config.pools_per_step
        return [stream(self.seed, step, first + pool) for pool in range(self.config.pools_per_step)]

    def choose_pool(self, rng: np.random.Generator) -> PoolChoice:
        """One pool by Algorithm 1 from a group chosen uniformly."""
        group = int(rng.integers(len(self._groups)))
        turned, mirrored = rng.random(2) < (self.config.rotated, self.config.mirrored)
        indices, turns, labels = self._samplers[group].draw(bool(turned), rng)
        is_warped = self.config.warped > 0 and rng.random() < self.config.warped
        warp_seed = int(rng.integers(2**63)) if is_warped else None
        return PoolChoice(group, indices, turns, bool(mirrored), labels, warp_seed)

    def cached(self, encode: Callable[[Tensor], Tensor], *, views: int = 2) -> CachedPoolSource:
        """The same pools from embeddings that `encode` makes now, to train what stands behind the encoder.

        Classes are shown as they are, never bent: there is no end of bends to encode.

        Parameters
        ----------
        encode
            Items (N, ...) to embeddings (N, h), without gradient.
        views
            Augmented versions of every item, of which each pool takes one at random; 1 without augmentation.
        """
        return CachedPoolSource(self, encode, views if self.augment is not None else 1)

    def all_items(self, group: int, turns: int, mirrored: bool, view: int) -> Tensor:
        """Every item of a group, turned and augmented: what a cache of embeddings is made from."""
        count = self._groups[group].n_items
        everything = PoolChoice(
            group, np.arange(count), np.full(count, turns), mirrored, self._groups[group].labels
        )
        items = self._look_up(everything)
        if self.augment is None:
            return items
        return self.augment(
            items, torch_generator(self.seed, _AUGMENTING + 1 + view, group, turns, int(mirrored))
        )

    @property
    def n_groups(self) -> int:
        """How many groups pools are drawn from."""
        return len(self._groups)

    def _look_up(self, pool: PoolChoice) -> Tensor:
        """The items of a pool as floats; uint8 images become 0 to 1."""
        chosen = torch.from_numpy(self._groups[pool.group].items[pool.indices])
        items = chosen.to(torch.float32) / 255.0 if chosen.dtype == torch.uint8 else chosen.to(torch.float32)
        for turns in range(1, QUARTER_TURNS):
            rows = torch.from_numpy(np.flatnonzero(pool.turns == turns))
            if len(rows):
                items[rows] = torch.rot90(items[rows], turns, dims=(1, 2))
        items = items.flip(2) if pool.mirrored else items
        if pool.warp_seed is None:
            return items
        generator = torch.Generator().manual_seed(pool.warp_seed)
        return warp_classes(items, torch.from_numpy(pool.labels), ClassWarpConfig(), generator)


def as_groups(groups: GroupedImages | Sequence[Any]) -> list[LabelledSet]:
    """Each group as one labelled set that holds all its items."""
    if not isinstance(groups, GroupedImages):
        return [as_labelled_set(group) for group in groups]
    members = [np.flatnonzero(groups.groups == place) for place in range(len(groups.group_names))]
    return [
        LabelledSet(groups.images[rows], groups.labels[rows], group=name)
        for rows, name in zip(members, groups.group_names)
    ]
