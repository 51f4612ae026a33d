"""Batches from labelled sets: the user's (X, y) pairs, in shuffled epochs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.datasets.labelled_set import LabelledSet, as_float_items, as_labelled_set
from abclust.datasets.spooled_sets import SpooledSets
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.training.augmentation import Augmentation, as_augmentation, torch_generator
from abclust.training.batch_source import TrainingBatch
from abclust.training.standardisation import Standardisation

_SHUFFLING, _SETS, _AUGMENTING = range(3)


class LabelledSetSource:
    """Several whole sets a step, every set once an epoch, in an order that is new in each epoch.

    Two processes with `sets_per_step` b see in each step what one process with 2 b sees.

    Parameters
    ----------
    sets
        :class:`LabelledSet` objects or (X, y) pairs; items (n, d) or (n, H, W), n may differ.
    sets_per_step
        Sets in a step of one process.
    max_items
        A larger set is replaced by a new random part of it each time; None takes sets whole.
    seed
        Order of sets and parts.
    augment
        Batched change of the items of a step: ``augment(items, generator) -> items``, or a configuration.
    units
        Standard units for vectors; None takes items as they are. Made of a step's items alone, as everything
        here: sets that lie on the disk stay there.

    Raises
    ------
    InvalidInputError
        If there is no set, or items of different sets differ in shape.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sets = [(rng.normal(size=(n, 3)), np.arange(n) % 2) for n in (5, 7, 11)]
    >>> batch = LabelledSetSource(sets, sets_per_step=2).batch(step=0, rank=0, world_size=1)
    >>> batch.sets.shape[0], batch.items.shape[1]
    (2, 3)
    """

    def __init__(
        self,
        sets: Sequence[Any],
        *,
        sets_per_step: int = 16,
        max_items: int | None = None,
        seed: int = 0,
        augment: Augmentation | AugmentationConfig | None = None,
        units: Standardisation | None = None,
    ) -> None:
        labelled = sets if isinstance(sets, SpooledSets) else [as_labelled_set(each) for each in sets]
        shapes = {each.items.shape[1:] for each in labelled}
        if len(shapes) != 1:
            raise InvalidInputError(
                f"sets must hold at least one set, and items of one shape. Got {len(labelled)} sets with "
                f"item shapes {sorted(shapes)}."
            )
        self._sets: Sequence[LabelledSet] = labelled
        self.sets_per_step = sets_per_step
        self.max_items = max_items
        self.seed = seed
        self.augment = as_augmentation(augment)
        self.units = units
        self._order: tuple[int, Int[np.ndarray, " S"]] = (-1, np.arange(0))

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The share of process `rank` in step `step`."""
        first = (step * world_size + rank) * self.sets_per_step
        parts = [self._set_at(first + offset) for offset in range(self.sets_per_step)]
        items = torch.from_numpy(np.concatenate([items for items, _ in parts]))
        if self.augment is not None:
            items = self.augment(items, torch_generator(self.seed, _AUGMENTING, step, rank))
        return _stacked(items, [labels for _, labels in parts])

    def _set_at(self, position: int) -> tuple[Float[np.ndarray, "n ..."], Int[np.ndarray, " n"]]:
        epoch, place = divmod(position, len(self._sets))
        chosen = self._sets[int(self._epoch_order(epoch)[place])]
        items, labels = chosen.items, chosen.labels
        if self.max_items is not None and len(items) > self.max_items:
            part = stream(self.seed, _SETS, position).choice(len(items), self.max_items, replace=False)
            items, labels = items[part], labels[part]
        return as_float_items(items) if self.units is None else self.units.scale(items), labels

    def _epoch_order(self, epoch: int) -> Int[np.ndarray, " S"]:
        if self._order[0] != epoch:
            self._order = (epoch, stream(self.seed, _SHUFFLING, epoch).permutation(len(self._sets)))
        return self._order[1]


def _stacked(items: Tensor, labels: list[Int[np.ndarray, " _"]]) -> TrainingBatch:
    """Sets one after the other in one pool of items."""
    lengths = np.array([len(each) for each in labels])
    starts = np.cumsum(lengths) - lengths
    places = np.arange(lengths.max())
    mask = places[None, :] < lengths[:, None]
    return TrainingBatch(
        items=items,
        labels=torch.from_numpy(np.concatenate(labels).astype(np.int64)),
        sets=torch.from_numpy(np.where(mask, starts[:, None] + places[None, :], 0).astype(np.int64)),
        mask=torch.from_numpy(mask),
        # Labels of different sets mean different things: each set is a pool of its own.
        pools=torch.from_numpy(np.repeat(np.arange(len(labels)), lengths)),
    )
