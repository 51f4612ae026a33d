"""Stage-wise training: pools of embeddings that were computed once, for what stands behind the encoder."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from abclust.training.batch_source import TrainingBatch
from abclust.training.pool_batch import PoolChoice, assemble
from abclust.training.pool_drawing import QUARTER_TURNS, PoolConfig


@runtime_checkable
class PoolChooser(Protocol):
    """What a cache must know of the source whose items it encodes."""

    config: PoolConfig

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        ...

    def streams(self, step: int, rank: int) -> list[np.random.Generator]:
        """One random stream for each pool of a step."""
        ...

    def choose_pool(self, rng: np.random.Generator) -> PoolChoice:
        """One pool."""
        ...

    def all_items(self, group: int, turns: int, mirrored: bool, view: int) -> Tensor:
        """Every item of a group, turned, mirrored and augmented."""
        ...


class CachedPoolSource:
    """The pools of a source, made of embeddings that were computed once.

    Parameters
    ----------
    source
        Chooses the pools, as it would for images.
    encode
        Items (N, ...) to embeddings (N, h), without gradient.
    views
        Augmented versions of every item, of which each pool takes one at random.
    """

    def __init__(self, source: PoolChooser, encode: Callable[[Tensor], Tensor], views: int) -> None:
        self.source = source
        self.views = views
        turns = range(QUARTER_TURNS if source.config.rotated else 1)
        mirrors = (False, True) if source.config.mirrored else (False,)
        self._embeddings = {
            (group, turn, mirrored): torch.stack(
                [encode(source.all_items(group, turn, mirrored, view)) for view in range(views)]
            )
            for group in range(source.n_groups)
            for turn in turns
            for mirrored in mirrors
        }

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The pools of process `rank` in step `step`, already encoded."""
        rngs = self.source.streams(step, rank)
        pools = [self.source.choose_pool(rng) for rng in rngs]
        items = torch.cat([self._look_up(pool, rng) for pool, rng in zip(pools, rngs)])
        return assemble(items, pools, self.source.config, rngs, encoded=True)

    def _look_up(self, pool: PoolChoice, rng: np.random.Generator) -> Tensor:
        views = torch.from_numpy(rng.integers(self.views, size=len(pool.indices)))
        rows = torch.from_numpy(pool.indices)
        first = next(iter(self._embeddings.values()))
        items = first.new_empty(len(rows), first.shape[-1])
        for turn in np.unique(pool.turns):
            here = torch.from_numpy(np.flatnonzero(pool.turns == turn))
            items[here] = self._embeddings[pool.group, int(turn), pool.mirrored][views[here], rows[here]]
        return items
