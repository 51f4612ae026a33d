"""A set of items and the cluster of each; batches of unequal sets with a mask."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from abclust.foundations.errors import InvalidInputError

PADDING_LABEL = -1
"""The label of a place in a batch that holds no item."""


def canonical_labels(labels: Any) -> Int[np.ndarray, " n"]:
    """Number clusters by first appearance: 0, 1, 2, ... in the order in which they are met.

    Two labellings of the same partition become the same array, whatever they were called before.

    Parameters
    ----------
    labels
        Anything one-dimensional: integers, strings, booleans. Shape (n,).

    Raises
    ------
    InvalidInputError
        If `labels` is not one-dimensional or holds NaN, which equals no cluster, not even itself.

    Examples
    --------
    >>> canonical_labels(["b", "a", "b", "c"]).tolist()
    [0, 1, 0, 2]
    """
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise InvalidInputError(f"labels must be one-dimensional. Got shape {labels.shape}.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InvalidInputError("labels must not hold NaN. Got at least one. Give unlabelled items no set.")
    _, first_seen, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first_seen), dtype=np.int64)
    rank[np.argsort(first_seen)] = np.arange(len(first_seen))
    return rank[codes]


@dataclass(frozen=True, eq=False)
class UnlabelledSet:
    """A set of items to be clustered.

    Attributes
    ----------
    items
        Shape (n, d) for vectors, (n, H, W) for grey images.
    name, group
        What the set is called, and what it was drawn from (an alphabet); empty where there is no name.
    item_names
        One name for each item (a file name, a row), or empty.
    """

    items: Shaped[np.ndarray, "n ..."]
    name: str = ""
    group: str = ""
    item_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.items.ndim < 2 or len(self.items) == 0:
            raise InvalidInputError(
                "items must have the shape (n, d) or (n, H, W) with n >= 1. "
                f"Got shape {self.items.shape}{f' in set {self.name!r}' if self.name else ''}."
            )
        if self.item_names and len(self.item_names) != len(self.items):
            raise InvalidInputError(
                "item_names must name every item or none. "
                f"Got {len(self.item_names)} for {len(self.items)} items."
            )

    @property
    def n_items(self) -> int:
        return len(self.items)


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """A set of items with the cluster of each: what a network learns from and is judged by.

    Labels of any kind come in; they are kept in canonical order (:func:`canonical_labels`).

    Attributes
    ----------
    items
        Shape (n, d) for vectors, (n, H, W) for grey images.
    labels
        The cluster of each item, 0 to k - 1 by first appearance. Shape (n,).
    name, group
        What the set is called, and what it was drawn from (an alphabet); empty where there is no name.
    item_names
        One name for each item (a file name, a row), or empty.

    Examples
    --------
    >>> tiny = LabelledSet(np.array([[0.0], [5.0], [0.1]]), ["low", "high", "low"])
    >>> tiny.n_clusters, tiny.true_kernel.tolist()
    (2, [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    """

    items: Shaped[np.ndarray, "n ..."]
    labels: Any
    name: str = ""
    group: str = ""
    item_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        UnlabelledSet(self.items, self.name, self.group, self.item_names)
        labels = canonical_labels(self.labels)
        if len(labels) != len(self.items):
            raise InvalidInputError(
                f"labels must be one for each of {len(self.items)} items. Got {len(labels)}."
            )
        object.__setattr__(self, "labels", labels)

    @property
    def n_items(self) -> int:
        return len(self.items)

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1

    @property
    def true_kernel(self) -> Float[np.ndarray, "n n"]:
        """1 where two items share their cluster, else 0: the target of training (paper Sec. 3.3)."""
        return (self.labels[:, None] == self.labels[None, :]).astype(np.float64)


def as_labelled_set(candidate: Any) -> LabelledSet:
    """Take a :class:`LabelledSet` as it is and a pair ``(X, y)`` as its items and labels."""
    if isinstance(candidate, LabelledSet):
        return candidate
    if isinstance(candidate, tuple | list) and len(candidate) == 2:
        return LabelledSet(np.asarray(candidate[0]), candidate[1])
    raise InvalidInputError(f"a set must be a LabelledSet or a pair (X, y). Got {type(candidate).__name__}.")


@dataclass(frozen=True, eq=False)
class PaddedBatch:
    """Sets of unequal size as one tensor; `mask` is True where there is an item.

    Attributes
    ----------
    items
        float32, zero on padding. Shape (B, n, d) or (B, n, H, W), n of the largest set.
    labels
        int64, -1 on padding. Shape (B, n).
    mask
        Shape (B, n).
    """

    items: Float[Tensor, "B n ..."]
    labels: Int[Tensor, "B n"]
    mask: Bool[Tensor, "B n"]

    @property
    def same_cluster(self) -> Bool[Tensor, "B n n"]:
        """True where two real items share their cluster; False wherever there is padding."""
        equal = self.labels.unsqueeze(-1) == self.labels.unsqueeze(-2)
        return equal & self.mask.unsqueeze(-1) & self.mask.unsqueeze(-2)

    def to(self, device: torch.device | str) -> "PaddedBatch":
        return PaddedBatch(self.items.to(device), self.labels.to(device), self.mask.to(device))


def pad_sets(sets: Iterable[LabelledSet]) -> PaddedBatch:
    """Stack sets of unequal size into one batch, zeros behind the shorter ones.

    Items of type uint8 are taken for images and scaled from 0-255 to 0-1, all else is only cast to float32.

    Parameters
    ----------
    sets
        At least one set; items of all sets have one shape.

    Raises
    ------
    InvalidInputError
        If there is no set, or items of different sets differ in shape.

    Examples
    --------
    >>> pair, five = LabelledSet(np.zeros((2, 3)), [0, 1]), LabelledSet(np.ones((5, 3)), [0, 0, 1, 1, 2])
    >>> batch = pad_sets([pair, five])
    >>> tuple(batch.items.shape), batch.mask.sum(1).tolist()
    ((2, 5, 3), [2, 5])
    """
    sets = list(sets)
    _check_one_item_shape(sets)
    longest = max(each.n_items for each in sets)
    items = torch.zeros(len(sets), longest, *sets[0].items.shape[1:])
    labels = torch.full((len(sets), longest), PADDING_LABEL)
    for row, each in enumerate(sets):
        items[row, : each.n_items] = torch.from_numpy(as_float_items(each.items))
        labels[row, : each.n_items] = torch.from_numpy(each.labels)
    return PaddedBatch(items, labels, labels != PADDING_LABEL)


def as_float_items(items: Shaped[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Items as float32: uint8 images from 0-255 to 0-1, anything else by value."""
    if items.dtype == np.uint8:
        return items.astype(np.float32) / np.float32(255)
    return np.ascontiguousarray(items, dtype=np.float32)


def _check_one_item_shape(sets: Sequence[LabelledSet]) -> None:
    if not sets:
        raise InvalidInputError("sets must hold at least one set. Got none.")
    shapes = sorted({each.items.shape[1:] for each in sets})
    if len(shapes) > 1:
        raise InvalidInputError(f"items of all sets in a batch must have one shape. Got {shapes}.")
