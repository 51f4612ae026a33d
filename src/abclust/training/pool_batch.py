"""Chosen pools and their items become one batch."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from abclust.training.batch_source import TrainingBatch
from abclust.training.pool_drawing import PoolConfig, class_likeness, draw_sets, draw_sizes, padded


@dataclass(frozen=True)
class PoolChoice:
    """One pool: the group, which of its items, turned, mirrored and bent how, their labels."""

    group: int
    indices: Int[np.ndarray, " P"]
    turns: Int[np.ndarray, " P"]
    mirrored: bool
    labels: Int[np.ndarray, " P"]
    warp_seed: int | None = None
    """Decides how each class is bent; None leaves all as they are."""


def assemble(
    items: Tensor,
    pools: list[PoolChoice],
    config: PoolConfig,
    rngs: list[np.random.Generator],
    *,
    encoded: bool = False,
) -> TrainingBatch:
    """Draw the sets of every pool and put all into one batch."""
    lengths = np.array([len(pool.labels) for pool in pools])
    starts = np.cumsum(lengths) - lengths
    all_sizes = draw_sizes(config, config.sets_per_pool * len(pools), rngs[0]).reshape(len(pools), -1)
    sets = []
    for pool, start, sizes, rng in zip(pools, starts, all_sizes, rngs):
        likeness = None
        if config.look_alike > 0:
            likeness = class_likeness(items[start : start + len(pool.labels)], pool.labels)
        drawn = draw_sets(pool.labels, sizes, rng, likeness, config.look_alike)
        sets += [places + start for places in drawn]
    places, mask = padded(sets)
    return TrainingBatch(
        items=items,
        labels=torch.from_numpy(np.concatenate([pool.labels for pool in pools]).astype(np.int64)),
        sets=torch.from_numpy(places),
        mask=torch.from_numpy(mask),
        pools=torch.from_numpy(np.repeat(np.arange(len(pools)), lengths)),
        encoded=encoded,
    )
