"""Which items belong to which class of which group: the index that a sampler draws from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int, Shaped

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError


@runtime_checkable
class GroupedItems(Protocol):
    """Items, the class of each and the group of each; an Omniglot split is one.

    A class belongs to one group: equal labels in two groups are two classes.
    """

    @property
    def items(self) -> np.ndarray: ...

    @property
    def labels(self) -> np.ndarray: ...

    @property
    def groups(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class ClassIndex:
    """The classes of one group as places in the array of all items.

    Attributes
    ----------
    group
        The name of the group; empty where data have no groups.
    members
        Places of the group's items, class after class. Shape (m,).
    starts, sizes
        Where each class begins in `members`, and its number of items b_i. Shape (C,).
    """

    group: str
    members: Int[np.ndarray, " m"]
    starts: Int[np.ndarray, " C"]
    sizes: Int[np.ndarray, " C"]

    @property
    def n_classes(self) -> int:
        return len(self.sizes)

    def feasible_n_clusters(self, length: int) -> tuple[int, int]:
        """The smallest and the largest k for which some k classes hold `length` items, and k <= `length`."""
        held = np.cumsum(np.sort(self.sizes)[::-1])
        return int(np.searchsorted(held, length)) + 1, min(self.n_classes, length)

    def draw_classes(self, k: int, length: int, generator: np.random.Generator) -> Int[np.ndarray, " k"]:
        """k different classes that hold `length` items together, drawn one after the other.

        Each is uniform among the classes not yet chosen with which the k can still reach `length`; where any
        k classes suffice, as on Omniglot, this is the uniform law over all choices.
        """
        if np.sort(self.sizes)[:k].sum() >= length:
            return generator.choice(self.n_classes, k, replace=False)
        left = np.argsort(-self.sizes, kind="stable")
        chosen = np.empty(k, dtype=np.int64)
        for turn in range(k):
            n_later = k - turn - 1
            largest = self.sizes[left[:n_later]].sum()
            # One of the `n_later` largest is counted twice, to no harm: with it the set can always be filled.
            reach = self.sizes[left] + largest
            place = generator.choice(np.flatnonzero(reach >= length))
            chosen[turn] = left[place]
            length -= int(self.sizes[left[place]])
            left = np.delete(left, place)
        return chosen

    def draw_items(
        self, classes: Int[np.ndarray, " k"], counts: Int[np.ndarray, " k"], generator: np.random.Generator
    ) -> Int[np.ndarray, " L"]:
        """Uniformly and without replacement `counts[i]` items of `classes[i]`, class after class."""
        sizes = self.sizes[classes]
        if sizes.sum() > 64 * counts.sum():  # a key for each item of huge classes would cost more than draws
            offsets = [generator.choice(b, n, replace=False, shuffle=False) for b, n in zip(sizes, counts)]
            return self.members[np.repeat(self.starts[classes], counts) + np.concatenate(offsets)]
        # One sort for all classes: an item is taken if its random key is among the first n_i of its class.
        begins = np.cumsum(sizes) - sizes
        owner = np.repeat(np.arange(len(classes)), sizes)
        order = np.lexsort((generator.random(len(owner)), owner))
        is_taken = np.arange(len(owner)) - begins[owner] < counts[owner]
        offsets = order[is_taken] - np.repeat(begins, counts)
        return self.members[np.repeat(self.starts[classes], counts) + offsets]


def split_data(data: Any, groups: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read whatever a sampler accepts as (items, labels, groups), three arrays of one length N.

    Parameters
    ----------
    data
        A tuple ``(items, labels)``; a :class:`LabelledSet`; a mapping from class to its items, or a list with
        one array for each class; or anything with `items`, `labels` and `groups`, such as an Omniglot split.
    groups
        The group of each item, or None: all items are one group (or `data` knows its groups).

    Raises
    ------
    InvalidInputError
        If lengths differ or `data` is of none of these kinds.
    """
    if isinstance(data, LabelledSet):
        items, labels = data.items, data.labels
    elif isinstance(data, GroupedItems):
        items, labels = data.items, data.labels
        groups = data.groups if groups is None else groups
    elif isinstance(data, tuple) and len(data) == 2:
        items, labels = np.asarray(data[0]), np.asarray(data[1])
    elif isinstance(data, Mapping | list) and len(data) > 0:
        items, labels = _from_classes(data)
    else:
        raise InvalidInputError(
            "data must be a tuple (items, labels), a mapping or list of items by class, a LabelledSet or "
            f"grouped images. Got {type(data).__name__}."
        )
    groups = np.full(len(items), "") if groups is None else np.asarray(groups)
    if (
        not len(items) == len(labels) == len(groups)
        or len(items) == 0
        or labels.ndim != 1
        or groups.ndim != 1
    ):
        raise InvalidInputError(
            "items, labels and groups must be equally many, and at least one. "
            f"Got {len(items)} items, labels of shape {labels.shape} and groups of shape {groups.shape}."
        )
    return items, labels, groups


def index_classes(
    labels: Shaped[np.ndarray, " N"], groups: Shaped[np.ndarray, " N"], group_names: tuple[str, ...] = ()
) -> tuple[ClassIndex, ...]:
    """One :class:`ClassIndex` for each group, in the order of the groups' values.

    With `group_names`, groups are places in it; without, a group's value is its name.

    Examples
    --------
    >>> greek, latin = index_classes(np.array([0, 1, 0, 0]), np.array(["greek", "greek", "latin", "latin"]))
    >>> greek.group, greek.sizes.tolist(), latin.members.tolist()
    ('greek', [1, 1], [2, 3])
    """
    group_values, group_codes = np.unique(groups, return_inverse=True)
    indices = []
    for code, value in enumerate(group_values):
        name = group_names[int(value)] if group_names else str(value)
        places = np.flatnonzero(group_codes == code)
        _, class_codes, sizes = np.unique(labels[places], return_inverse=True, return_counts=True)
        members = places[np.argsort(class_codes, kind="stable")]
        indices.append(ClassIndex(name, members, np.cumsum(sizes) - sizes, sizes))
    return tuple(indices)


def _from_classes(data: Any) -> tuple[np.ndarray, np.ndarray]:
    classes = [np.asarray(items) for items in (data.values() if isinstance(data, Mapping) else data)]
    shapes = sorted({items.shape[1:] for items in classes})
    if len(shapes) > 1:
        raise InvalidInputError(f"items of all classes must have one shape. Got {shapes}.")
    return np.concatenate(classes), np.repeat(np.arange(len(classes)), [len(items) for items in classes])
