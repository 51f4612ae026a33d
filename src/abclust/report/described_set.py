"""What a section is made from: a clustered set, its items, their names and, if known, the truth; checked."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Shaped

from abclust.clustering.partition import Partition
from abclust.foundations.errors import InvalidInputError
from abclust.report.cluster_order import ClusterOrder, cluster_order


@runtime_checkable
class ClusteredItems(Protocol):
    """What a report needs to know of a clustered set.

    Attributes
    ----------
    kernel : array of shape (n, n)
        Probabilities that two items belong together.
    partition : Partition
        Labels, confidence, merge tree and samples of the number of clusters.
    prepared : array of shape (n, ...)
        The items as the network saw them.
    """

    @property
    def kernel(self) -> np.ndarray: ...

    @property
    def partition(self) -> Partition: ...

    @property
    def prepared(self) -> np.ndarray: ...


@dataclass(frozen=True)
class DescribedSet:
    """A clustered set with everything that a section tells about it; see :func:`describe_set`."""

    kernel: Float[np.ndarray, "n n"]
    partition: Partition
    prepared: np.ndarray
    items: Any
    names: tuple[str, ...]
    true_labels: Shaped[np.ndarray, " n"] | None
    order: ClusterOrder

    @property
    def n_items(self) -> int:
        return len(self.names)

    def note(self, item: int) -> str:
        """One line about an item: its name, its cluster, how sure, and its true class if known."""
        label, confidence = self.partition.labels[item], self.partition.confidence[item]
        note = f"{self.names[item]}: cluster {label}, confidence {confidence:.2f}"
        return note if self.true_labels is None else f"{note}, true class {self.true_labels[item]}"


def describe_set(
    clustered: ClusteredItems, items: Any, item_names: Any = None, true_labels: Any = None
) -> DescribedSet:
    """Check that everything speaks of the same n items, and name and order them.

    Raises
    ------
    InvalidInputError
        If the set is empty, a count differs, or the kernel holds anything but probabilities.
    """
    partition, kernel = clustered.partition, np.asarray(clustered.kernel, dtype=np.float64)
    n_items = len(partition.labels)
    if n_items == 0:
        raise InvalidInputError("a set must have at least one item. Got none.")
    if kernel.shape != (n_items, n_items) or not np.all((kernel >= 0) & (kernel <= 1)):
        raise InvalidInputError(
            f"kernel must hold probabilities of {n_items} x {n_items} pairs, one row for each label. "
            f"Got shape {kernel.shape}, or values outside 0 to 1."
        )
    names = _item_names(items, n_items) if item_names is None else tuple(map(str, item_names))
    truth = None if true_labels is None else np.asarray(true_labels)
    if truth is not None and truth.ndim != 1:
        raise InvalidInputError(f"true_labels must be a flat list. Got shape {truth.shape}.")
    counts = {"items": len(items), "prepared": len(clustered.prepared), "item_names": len(names)}
    counts["true_labels"] = n_items if truth is None else len(truth)
    for what, count in counts.items():
        if count != n_items:
            raise InvalidInputError(f"{what} must have {n_items} entries, one for each label. Got {count}.")
    order = cluster_order(partition.labels, partition.confidence)
    return DescribedSet(kernel, partition, np.asarray(clustered.prepared), items, names, truth, order)


def _item_names(items: Any, n_items: int) -> tuple[str, ...]:
    """The names of files, the index of a data frame, or plain numbers."""
    if hasattr(items, "iloc"):
        return tuple(f"row {index}" for index in items.index)
    if not isinstance(items, np.ndarray) and all(isinstance(item, str | os.PathLike) for item in items):
        return tuple(Path(item).name for item in items)
    return tuple(f"item {number}" for number in range(n_items))
