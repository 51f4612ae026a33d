"""Overlapping local sets: every item once in the middle of a set, its nearest neighbours around it."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class LocalSets:
    """Sets of equally many items, and which items stand in the middle of which set.

    Attributes
    ----------
    items
        The items of each set, without repetition. Shape (S, m).
    middle
        Items that stand in the middle of a set, ascending. Shape (c,).
    set_of_middle
        The set of each of these. Shape (c,).
    """

    items: Int[np.ndarray, "S m"]
    middle: Int[np.ndarray, " c"]
    set_of_middle: Int[np.ndarray, " c"]


def pack_local_sets(
    neighbours: Int[np.ndarray, "g k"],
    groups: Sequence[Int[np.ndarray, " _"]] | None,
    n_items: int,
    *,
    set_size: int,
    n_near: int,
    n_far: int = 0,
    seed: int = 0,
) -> LocalSets:
    """Cut a large set into overlapping local ones, their number linear in the number of groups.

    A set is begun at a random group that has not been in the middle yet. The groups nearest to those in its
    middle join the middle, each bringing its own `n_near` nearest groups, while there is room; the rest is
    filled with farther neighbours and with items from anywhere. One set for each item would cost `set_size`
    times the items; items in the middle of one set share many of their neighbours, and so every set but the
    last serves at least (`set_size` - `n_far`) / (`n_near` + 1) single items, rounded down. What is left over
    between sets is gathered in the end, those together whose nearest neighbours were together.

    Parameters
    ----------
    neighbours
        The nearest groups of each group, nearest first.
    groups
        The items that stand for each group; None where every item is a group of its own.
    n_items
        Number of all items, for those from anywhere.
    set_size
        m; fewer if there are not so many items.
    n_near, n_far
        As in :class:`~abclust.scale.config.LocalContextConfig`.
    seed
        Decides where sets begin and which far items they see.

    Raises
    ------
    InvalidInputError
        If not even one group and its neighbours fit into a set.

    Examples
    --------
    >>> line = np.array([[1, 2], [0, 2], [1, 3], [2, 1]])
    >>> found = pack_local_sets(line, None, 4, set_size=3, n_near=1)
    >>> found.items.shape[1], found.middle.tolist()
    (3, [0, 1, 2, 3])
    """
    size = min(set_size, n_items)
    largest = 1 if groups is None else max(len(group) for group in groups)
    if set_size - n_far < largest * (n_near + 1):
        raise InvalidInputError(
            f"set_size must hold a group and its {n_near} neighbours of up to {largest} items, beside "
            f"{n_far} far ones. Got {set_size}."
        )
    generator = np.random.default_rng(seed)
    packer = _Packer(neighbours, groups, min(size, set_size - n_far), n_near)
    sets = [fill_up(members, size, n_items, generator) for members in packer.all_sets(generator)]
    return _with_middle(np.stack(sets).astype(np.int32), groups, packer.set_of_group)


def _with_middle(
    items: Int[np.ndarray, "S m"],
    groups: Sequence[Int[np.ndarray, " _"]] | None,
    set_of_group: Int[np.ndarray, " g"],
) -> LocalSets:
    if groups is None:
        return LocalSets(items, np.arange(len(set_of_group)), set_of_group)
    middle = np.concatenate(list(groups))
    order = np.argsort(middle)
    set_of_middle = np.repeat(set_of_group, [len(group) for group in groups])
    return LocalSets(items, middle[order], set_of_middle[order])


class _Packer:
    """Gathers one set after the other; knows which groups have been in the middle."""

    def __init__(
        self,
        neighbours: Int[np.ndarray, "g k"],
        groups: Sequence[Int[np.ndarray, " _"]] | None,
        n_close: int,
        n_near: int,
    ) -> None:
        self._neighbours, self._groups = neighbours, groups
        self._n_close, self._n_near = n_close, n_near
        # With so many middles a set is worth its price; sets of super-nodes hold fewer, larger groups.
        largest = 1 if groups is None else max(map(len, groups))
        self._fewest = min(len(neighbours), max(1, n_close // (largest * (n_near + 1))))
        self.set_of_group = np.full(len(neighbours), -1, dtype=np.int32)

    def all_sets(self, generator: np.random.Generator) -> Iterator[list[int]]:
        """Sets until every group has been in the middle of one."""
        number, left = 0, []
        for start in generator.permutation(len(self.set_of_group)).tolist():
            if self.set_of_group[start] < 0:
                middle, members = self._gather(deque([start]), number)
                if len(middle) < self._fewest:
                    self.set_of_group[middle] = -1
                    left.append(start)
                else:
                    yield members
                    number += 1
        waiting = deque(self._left_over(left))
        while waiting:
            middle, members = self._gather(waiting, number)
            if middle:
                yield members
                number += 1

    def _left_over(self, left: list[int]) -> list[int]:
        """Groups that are in no middle yet, by the set of their nearest neighbour."""
        groups = np.array([group for group in left if self.set_of_group[group] < 0], dtype=np.int64)
        if self._neighbours.shape[1] == 0:
            return groups.tolist()
        return groups[np.argsort(self.set_of_group[self._neighbours[groups, 0]], kind="stable")].tolist()

    def _gather(self, starts: deque[int], number: int) -> tuple[list[int], list[int]]:
        """One set: the groups in its middle, which get its number, and its items, at most `n_close`.

        Neighbours of those in the middle come first, then the next of `starts`, from which they are taken.
        """
        seen: set[int] = set()
        members: list[int] = []
        middle: list[int] = []
        n_members, turn = 0, 0
        while turn < len(members) or starts:
            is_start = turn == len(members)
            place = starts.popleft() if is_start else members[turn]
            turn += not is_start
            if self.set_of_group[place] >= 0:
                continue
            new = [group for group in (place, *self._near(place)) if group not in seen]
            n_new = sum(map(self._n_items_of, new))
            if n_members + n_new > self._n_close:
                if is_start:
                    starts.appendleft(place)
                break
            seen.update(new)
            members += new
            n_members += n_new
            middle.append(place)
            self.set_of_group[place] = number
        return middle, self._items_of(members + self._farther(members, seen, n_members))

    def _near(self, group: int) -> list[int]:
        # The list may name a group twice where the search found too few.
        return list(dict.fromkeys(self._neighbours[group, : self._n_near].tolist()))

    def _farther(self, members: list[int], seen: set[int], n_members: int) -> list[int]:
        """More neighbours of the members, the nearest of all first, while there is room."""
        found: list[int] = []
        candidates = self._neighbours[members, self._n_near :].T.ravel().tolist()
        for group in candidates:
            if group in seen:
                continue
            n_members += self._n_items_of(group)
            if n_members > self._n_close:
                break
            seen.add(group)
            found.append(group)
        return found

    def _n_items_of(self, group: int) -> int:
        return 1 if self._groups is None else len(self._groups[group])

    def _items_of(self, groups: list[int]) -> list[int]:
        if self._groups is None:
            return groups
        return np.concatenate([self._groups[group] for group in groups]).tolist()


def fill_up(members: list[int], size: int, n_items: int, generator: np.random.Generator) -> np.ndarray:
    """The members and as many other items from anywhere as are needed for a full set."""
    missing = size - len(members)
    if missing == 0:
        return np.array(members)
    taken = set(members)
    if 2 * size >= n_items:
        others = np.array([item for item in range(n_items) if item not in taken])
        return np.concatenate([members, generator.permutation(others)[:missing]]).astype(np.int64)
    drawn: list[int] = []
    while len(drawn) < missing:
        for item in generator.integers(n_items, size=missing).tolist():
            if item not in taken and len(drawn) < missing:
                taken.add(item)
                drawn.append(item)
    return np.array(members + drawn)
