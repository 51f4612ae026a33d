"""Batches from a generator of labelled sets, which never repeats itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from abclust.foundations.random_state import stream
from abclust.training.batch_source import TrainingBatch, whole_sets

SetGenerator = Callable[[np.random.Generator, int], tuple[Any, ...]]
"""(rng, step) in, items (B, n, d) and labels (B, n) out; -1 labels padding. A third part, if there is
one, are targets (B, n, t): what else the generator knows of its items."""


class GeneratedSource:
    """Every step asks `generate` for new sets, with a random stream of its own.

    Parameters
    ----------
    generate
        ``generate(rng, step) -> (items (B, n, d), labels (B, n))``, arrays or tensors, and targets (B, n, t)
        as a third where there are any. It may change the size of sets with the step (a curriculum). Labels of
        -1 mark padding.
    seed
        Seed of the streams.

    Examples
    --------
    >>> def two_lines(rng, step):
    ...     labels = rng.integers(2, size=(3, 7))
    ...     return rng.normal(size=(3, 7, 2)) + 5 * labels[..., None], labels
    >>> GeneratedSource(two_lines, seed=1).batch(step=0, rank=0, world_size=1).sets.shape
    torch.Size([3, 7])
    """

    def __init__(self, generate: SetGenerator, *, seed: int = 0) -> None:
        self.generate = generate
        self.seed = seed

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The sets of process `rank` in step `step`; each process has its own stream."""
        items, labels, *rest = self.generate(stream(self.seed, step, rank), step)
        labels = torch.as_tensor(labels).to(torch.int64)
        targets = torch.as_tensor(rest[0]).to(torch.float32) if rest else None
        return whole_sets(torch.as_tensor(items).to(torch.float32), labels, labels >= 0, targets)
