"""What a network is judged by while it learns: groups, sets or classes that it does not learn from."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool

from abclust.datasets.instance_sampler import InstanceSampler
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.spooled_sets import SpooledSets
from abclust.foundations.random_state import stream

_FEWEST_TO_SPLIT = 5
_FEWEST_CLASSES = 10


def hold_out(
    sets: Sequence[LabelledSet], share: float = 0.15, seed: int = 0
) -> tuple[Sequence[LabelledSet], Sequence[LabelledSet]]:
    """Split sets into those to learn from and those to be judged by.

    Whole groups are held out where there are at least five named ones, whole sets where there are at least
    five, and otherwise classes of each set that has at least ten: the network is meant for classes it has not
    seen. With less than that nothing is held out. What lies on the disk stays there.

    Parameters
    ----------
    sets
        All labelled sets.
    share
        Which part to hold out, at least one.
    seed
        Of the choice.

    Examples
    --------
    >>> sets = [LabelledSet(np.zeros((3, 2)), [0, 1, 1], group=group) for group in "aabbccddee"]
    >>> learnt, held = hold_out(sets)
    >>> len(learnt), len(held), {each.group for each in learnt} & {each.group for each in held}
    (8, 2, set())
    """
    rng = stream(seed, 0)
    groups = sorted({each.group for each in sets} - {""})
    if len(groups) >= _FEWEST_TO_SPLIT:
        chosen = {groups[place] for place in np.flatnonzero(_choose(len(groups), share, rng))}
        return _divided(sets, [each.group in chosen for each in sets])
    if len(sets) >= _FEWEST_TO_SPLIT:
        return _divided(sets, _choose(len(sets), share, rng).tolist())
    if max(each.n_clusters for each in sets) >= _FEWEST_CLASSES:
        return _divided_classes(sets, share, rng)
    return sets, []


def instances(
    sets: Sequence[LabelledSet], n_instances: int = 48, max_items: int = 128, seed: int = 0
) -> list[LabelledSet]:
    """Sets of a size that can be clustered again and again: small ones whole, others by Algorithm 1.

    Parameters
    ----------
    sets
        Held-out sets.
    n_instances
        About how many to give; small sets are taken once each.
    max_items
        Larger sets are not taken whole.
    seed
        Of what is drawn.
    """
    if len(sets) > n_instances:
        sets = [sets[place] for place in np.linspace(0, len(sets) - 1, n_instances).astype(int).tolist()]
    each_gives = max(n_instances // max(len(sets), 1), 1)
    found: list[LabelledSet] = []
    for number, each in enumerate(sets):
        if each.n_items <= max_items:
            # From the disk into memory: these are looked at again and again.
            found.append(replace(each, items=np.array(each.items)))
            continue
        sampler = InstanceSampler(each, max_items, seed=seed + number)
        found += [replace(sampler[place], group=each.group or each.name) for place in range(each_gives)]
    return found


def _choose(count: int, share: float, rng: np.random.Generator) -> Bool[np.ndarray, " count"]:
    held = np.zeros(count, dtype=bool)
    held[rng.choice(count, max(round(share * count), 1), replace=False)] = True
    return held


def _divided(
    sets: Sequence[LabelledSet], held: Sequence[bool]
) -> tuple[Sequence[LabelledSet], Sequence[LabelledSet]]:
    learnt, judged = ([number for number, out in enumerate(held) if out is side] for side in (False, True))
    if isinstance(sets, SpooledSets):
        return sets.at(learnt), sets.at(judged)
    return [sets[number] for number in learnt], [sets[number] for number in judged]


def _divided_classes(
    sets: Sequence[LabelledSet], share: float, rng: np.random.Generator
) -> tuple[Sequence[LabelledSet], Sequence[LabelledSet]]:
    held_rows = [_rows_of_held_classes(each, share, rng) for each in sets]
    is_held = [side for rows in held_rows for side in ((False, True) if rows.any() else (False,))]
    parts = _parts(sets, held_rows)
    if isinstance(sets, SpooledSets):
        return _divided(SpooledSets.written(parts, sets.folder), is_held)
    return _divided(list(parts), is_held)


def _rows_of_held_classes(
    each: LabelledSet, share: float, rng: np.random.Generator
) -> Bool[np.ndarray, " n"]:
    if each.n_clusters < _FEWEST_CLASSES:
        return np.zeros(each.n_items, dtype=bool)
    held = _choose(each.n_clusters, share, rng)
    # One class alone would be a set without a question.
    held[rng.choice(each.n_clusters, 2, replace=False)] = True
    return held[each.labels]


def _parts(sets: Sequence[LabelledSet], held_rows: Sequence[Bool[np.ndarray, " _"]]) -> Iterator[LabelledSet]:
    """What is learnt of each set, and behind it what is held out of it, if anything."""
    for each, held in zip(sets, held_rows):
        if not held.any():
            yield each
            continue
        for rows in (~held, held):
            yield LabelledSet(each.items[rows], each.labels[rows], each.name, each.group)
