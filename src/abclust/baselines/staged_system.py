"""What every system is made of: each item encoded alone, the set described, then labels for a number.

The first stage knows one item and the second one set, so an experiment encodes the items of an alphabet once
for the thousand sets that are drawn from it, and describes a set once whether or not its number of clusters
is known.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped
from torch import nn

from abclust.baselines.interface import Background, SystemCard, checked_labels, flat_items


class StagedSystem(ABC):
    """A :class:`~abclust.baselines.interface.Baseline` in three stages.

    ``encode(items)[places]`` and ``encode(items[places])`` are the same, up to rounding and to what a system
    draws for each item.

    Examples
    --------
    >>> class Signs(StagedSystem):
    ...     card = SystemCard("signs", "Signs", "no learning", reference="")
    ...     def label(self, described, n_clusters):
    ...         return described[:, 0] > 0
    >>> Signs().cluster(np.array([[1.0], [-1.0], [2.0]])).tolist()
    [0, 1, 0]
    """

    card: SystemCard
    """What a table says about it."""
    _image_passes = 0

    @property
    def image_passes(self) -> int:
        """Items that learning encoded, each time one was; 0 before learning and for systems without any."""
        return self._image_passes

    def learn(self, background: Background, folder: str | Path | None = None) -> None:  # noqa: B027
        """Learn from labelled groups; nothing, unless a system says otherwise."""

    def learned_modules(self) -> tuple[nn.Module, ...]:
        """What learning changed: the networks whose weights decide how sets are clustered."""
        return ()

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Shaped[np.ndarray, "n ..."]:
        """Each item alone; the items as rows of numbers, unless a system says otherwise."""
        return flat_items(items)

    def describe(self, encoded: Shaped[np.ndarray, "n ..."]) -> Any:
        """What there is to know about a set before its number of clusters: a kernel, a metric."""
        return encoded

    @abstractmethod
    def label(self, described: Any, n_clusters: int | None) -> Shaped[np.ndarray, " n"]:
        """Labels of a described set of at least two items, in any order."""

    def label_many(
        self, described: Sequence[Any], n_clusters: Sequence[int | None]
    ) -> list[Shaped[np.ndarray, " _"]]:
        """Labels of many described sets; one by one, unless a system has a faster way."""
        return [self.label(one, number) for one, number in zip(described, n_clusters, strict=True)]

    def cluster(
        self, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set; see :class:`abclust.baselines.interface.Baseline`."""
        return checked_labels(
            self.card,
            items,
            n_clusters,
            lambda given, number: self.label(self.describe(self.encode(given)), number),
        )
