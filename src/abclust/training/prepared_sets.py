"""Labelled tables of any width as a network for vectors sees them: prepared as wholes, then varied."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from abclust.datasets.labelled_set import PADDING_LABEL, LabelledSet, as_labelled_set
from abclust.datasets.spooled_sets import SpooledSets
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vectors
from abclust.datasets.vector_variation import vary_vectors
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.training.batch_source import TrainingBatch, whole_sets

_SHUFFLING, _PARTS, _VARYING = range(3)


def prepare_sets(sets: Iterable[LabelledSet], preparation: VectorPreparation) -> list[LabelledSet]:
    """The same sets with their items prepared, each table by itself.

    Examples
    --------
    >>> narrow, wide = (LabelledSet(np.eye(5)[:, :width], [0, 0, 1, 1, 1]) for width in (2, 4))
    >>> [each.items.shape for each in prepare_sets([narrow, wide], VectorPreparation())]
    [(5, 45), (5, 45)]
    """
    return [replace(each, items=prepare_vectors(each.items, preparation)) for each in sets]


class PreparedSetSource:
    """Several whole sets a step, every set once an epoch, prepared, with random signs and rotations.

    A table is prepared as a whole, so the rows of a step cannot be encoded once and drawn from often as those
    of other sources are.

    Parameters
    ----------
    sets
        :class:`LabelledSet` objects or (X, y) pairs; items (n, d), both may differ from set to set.
    preparation
        That of the network which learns.
    sets_per_step
        Sets in a step of one process.
    max_items
        A larger set is replaced by a new random part of it each time.
    seed
        Order of sets, parts and variations.
    rotated_share
        As in :func:`~abclust.datasets.vector_variation.vary_vectors`.

    Raises
    ------
    InvalidInputError
        If there is no set, or one is not a table.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sets = [(rng.normal(size=(7, width)), np.arange(7) % 2) for width in (2, 3, 5)]
    >>> PreparedSetSource(sets, VectorPreparation(), sets_per_step=2).batch(0, 0, 1).items.shape
    torch.Size([14, 45])
    """

    def __init__(
        self,
        sets: Sequence[Any],
        preparation: VectorPreparation,
        *,
        sets_per_step: int = 16,
        max_items: int = 256,
        seed: int = 0,
        rotated_share: float = 0.3,
    ) -> None:
        self._sets: Sequence[LabelledSet] = (
            sets if isinstance(sets, SpooledSets) else [as_labelled_set(each) for each in sets]
        )
        shapes = {each.items.shape for each in self._sets}
        if not shapes or any(len(shape) != 2 for shape in shapes):
            raise InvalidInputError(
                f"sets must hold at least one set, and tables (n, d). Got shapes {sorted(shapes)[:5]}."
            )
        self.preparation = preparation
        self.sets_per_step = sets_per_step
        self.max_items = max_items
        self.seed = seed
        self.rotated_share = rotated_share

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The share of process `rank` in step `step`."""
        first = (step * world_size + rank) * self.sets_per_step
        parts = [self._set_at(first + offset) for offset in range(self.sets_per_step)]
        longest = max(len(labels) for _, labels in parts)
        items = np.zeros((len(parts), longest, self.preparation.width), np.float32)
        labels = np.full((len(parts), longest), PADDING_LABEL)
        for place, (prepared, named) in enumerate(parts):
            items[place, : len(named)] = prepared
            labels[place, : len(named)] = named
        known = torch.from_numpy(labels.astype(np.int64))
        return whole_sets(torch.from_numpy(items), known, known != PADDING_LABEL)

    def _set_at(self, position: int) -> tuple[Float[np.ndarray, "n w"], Int[np.ndarray, " n"]]:
        epoch, place = divmod(position, len(self._sets))
        chosen = self._sets[int(stream(self.seed, _SHUFFLING, epoch).permutation(len(self._sets))[place])]
        items, labels = chosen.items, chosen.labels
        if len(items) > self.max_items:
            part = stream(self.seed, _PARTS, position).choice(len(items), self.max_items, replace=False)
            items, labels = items[part], labels[part]
        prepared = prepare_vectors(items, self.preparation)[None]
        rng = stream(self.seed, _VARYING, position)
        return vary_vectors(prepared, self.preparation, rng, self.rotated_share)[0], labels
