"""Algorithm 1 of the paper: sets to learn from, drawn from a labelled data set.

Three points of the printed algorithm need a decision. k = 1 with L = 100 and 20 items a class is impossible,
so k is uniform over the values that are possible (authors' code). The caps b_i belong to classes, so the
classes are drawn before the sizes (authors' code). Where classes are unequal, k is possible as soon as its
largest classes hold L items, and each class is drawn uniformly among those with which L can still be reached
(ours: the authors allow only values of k for which the smallest classes suffice, which leaves few or none of
the small k). Items come in random order (ours: the authors leave them sorted by class), so that nothing can
read the label off the position.

References
----------
Coward, Visse-Martindale, Ramesh. "Attention-Based Clustering: Learning a Kernel from Context", Appendix B.
https://arxiv.org/abs/2010.01040
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from jaxtyping import Int

from abclust.datasets.class_index import ClassIndex, index_classes, split_data
from abclust.datasets.cluster_sizes import SIZE_LAWS, size_law
from abclust.datasets.labelled_set import LabelledSet, canonical_labels
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import Seed, as_generator, stream

Range = int | tuple[int, int]


@dataclass(frozen=True, eq=False)
class Instance:
    """One draw of Algorithm 1 as places in the array of all items: what encode-once training needs.

    Attributes
    ----------
    places
        Which items, without replacement, in random order. Shape (L,).
    labels
        The cluster of each, canonical. Shape (L,).
    group
        The group that all of them come from.
    """

    places: Int[np.ndarray, " L"]
    labels: Int[np.ndarray, " L"]
    group: str

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1


class InstanceSampler:
    """An endless (or stated) number of sets, each made when it is asked for.

    Instance i is drawn from a random stream of its own, ``stream(seed, i)``: it is the same whoever asks, in
    whatever order and with however many workers. Each set comes from one group, all groups equally likely.

    Parameters
    ----------
    data
        A tuple ``(items, labels)``; a mapping or a list of items by class; a :class:`LabelledSet`; or grouped
        images such as an Omniglot split.
    length
        L, the items of a set: a number, or a range (smallest, largest) from which each set draws its own. A
        group that holds less than the largest draws up to what it holds.
    n_clusters
        None: k as the data permit. A number or a range (smallest, largest) narrows this.
    sizes
        ``"authors"`` or ``"uniform"``: the law of cluster sizes (:mod:`abclust.datasets.cluster_sizes`).
    groups
        The group of each item, shape (N,); None if `data` knows its groups or has none.
    group
        Draw from this group alone.
    n_instances
        How many sets there are; None: iteration does not end.
    seed
        A non-negative integer.

    Raises
    ------
    InvalidInputError
        If no group can give such a set.

    Warns
    -----
    UserWarning
        If some groups cannot, and are left out.

    Examples
    --------
    >>> X, y = np.arange(60.0).reshape(30, 2), np.repeat(np.arange(6), 5)
    >>> sampler = InstanceSampler((X, y), length=11, n_clusters=(2, 4), n_instances=3, seed=7)
    >>> [each.n_items for each in sampler], 3 <= sampler[0].n_clusters <= 4
    ([11, 11, 11], True)
    """

    def __init__(
        self,
        data: Any,
        length: Range = 100,
        *,
        n_clusters: Range | None = None,
        sizes: str = "authors",
        groups: Any = None,
        group: str | None = None,
        n_instances: int | None = None,
        seed: int = 0,
    ) -> None:
        self.items, labels, group_of = split_data(data, groups)
        self.length = _as_range("length", length)
        self.n_clusters = (1, self.length[1]) if n_clusters is None else _as_range("n_clusters", n_clusters)
        self.sizes = check_choice("sizes", sizes, SIZE_LAWS)
        self.n_instances = n_instances
        self.seed = seed
        if seed < 0:
            raise InvalidInputError(f"seed must be a non-negative integer. Got {seed}.")
        indices = index_classes(labels, group_of, getattr(data, "group_names", ()) if groups is None else ())
        self._indices = self._usable(_only(indices, group))

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups that sets are drawn from."""
        return tuple(index.group for index in self._indices)

    def indices(self, i: int) -> Instance:
        """Instance i as places in `items`, without touching the items."""
        return self.draw(stream(self.seed, i))

    def draw(self, generator: np.random.Generator) -> Instance:
        """One instance from the caller's own random stream."""
        index = self._indices[generator.integers(len(self._indices))]
        shortest, longest = self._lengths(index)
        length = int(generator.integers(shortest, longest + 1))
        fewest, most = index.feasible_n_clusters(length)
        k = int(generator.integers(max(fewest, self.n_clusters[0]), min(most, self.n_clusters[1]) + 1))
        classes = index.draw_classes(k, length, generator)
        counts = size_law(length, index.sizes[classes].tolist(), self.sizes).draw(generator)
        order = generator.permutation(length)
        places = index.draw_items(classes, counts, generator)[order]
        return Instance(places, canonical_labels(np.repeat(np.arange(k), counts)[order]), index.group)

    def __len__(self) -> int:
        if self.n_instances is None:
            raise TypeError("an InstanceSampler without n_instances has no length")
        return self.n_instances

    def __iter__(self) -> Iterator[LabelledSet]:
        return self.shard(0, 1)

    def shard(self, worker: int, n_workers: int) -> Iterator[LabelledSet]:
        """Instances worker, worker + n_workers, ...: the workers' shares together are the whole, in order."""
        i = worker
        while self.n_instances is None or i < self.n_instances:
            yield self[i]
            i += n_workers

    @overload
    def __getitem__(self, i: int) -> LabelledSet: ...

    @overload
    def __getitem__(self, i: slice) -> list[LabelledSet]: ...

    def __getitem__(self, i: int | slice) -> LabelledSet | list[LabelledSet]:
        if isinstance(i, slice):
            end = i.stop if self.n_instances is None else self.n_instances
            if end is None:
                raise InvalidInputError("a slice of an endless sampler must have an end. Got none.")
            return [self[j] for j in range(*i.indices(end))]
        if i < 0 or (self.n_instances is not None and i >= self.n_instances):
            raise IndexError(f"instance must lie in 0 to {self.n_instances}, the last excluded. Got {i}.")
        instance = self.indices(i)
        return LabelledSet(self.items[instance.places], instance.labels, name=str(i), group=instance.group)

    def _lengths(self, index: ClassIndex) -> tuple[int, int]:
        """The lengths that this group can give within the limits on length and k."""
        capacity = int(np.sort(index.sizes)[-self.n_clusters[1] :].sum())
        return max(self.length[0], self.n_clusters[0]), min(self.length[1], capacity)

    def _usable(self, indices: tuple[ClassIndex, ...]) -> tuple[ClassIndex, ...]:
        bounds = [(*self._lengths(index), index.n_classes >= self.n_clusters[0]) for index in indices]
        usable = tuple(index for index, (low, high, enough) in zip(indices, bounds) if enough and low <= high)
        wanted = f"sets of {self.length} items of {self.n_clusters} clusters"
        if not usable:
            raise InvalidInputError(
                f"length and n_clusters must fit the data. Got {wanted} (smallest, largest), but no "
                f"group can give one: the largest holds {max(len(index.members) for index in indices)} items."
            )
        left_out = sorted({index.group for index in indices} - {index.group for index in usable})
        if left_out:
            warnings.warn(f"groups too small for {wanted} are left out: {', '.join(left_out)}", stacklevel=3)
        return usable


def sample_instance(
    data: Any,
    length: Range = 100,
    *,
    n_clusters: Range | None = None,
    sizes: str = "authors",
    groups: Any = None,
    group: str | None = None,
    seed: Seed = None,
) -> LabelledSet:
    """Draw one set with Algorithm 1; :class:`InstanceSampler` draws many and says what each parameter means.

    Examples
    --------
    >>> letters = {"a": np.zeros((4, 2)), "b": np.ones((4, 2)), "c": np.full((4, 2), 2.0)}
    >>> drawn = sample_instance(letters, 7, n_clusters=2, seed=3)
    >>> drawn.n_clusters, sorted(np.bincount(drawn.labels).tolist())
    (2, [3, 4])
    """
    sampler = InstanceSampler(data, length, n_clusters=n_clusters, sizes=sizes, groups=groups, group=group)
    instance = sampler.draw(as_generator(seed))
    return LabelledSet(sampler.items[instance.places], instance.labels, group=instance.group)


def _only(indices: tuple[ClassIndex, ...], group: str | None) -> tuple[ClassIndex, ...]:
    if group is None:
        return indices
    check_choice("group", group, [index.group for index in indices])
    return tuple(index for index in indices if index.group == group)


def _as_range(name: str, value: Range) -> tuple[int, int]:
    low, high = value if isinstance(value, tuple) else (value, value)
    if not 1 <= low <= high:
        raise InvalidInputError(
            f"{name} must be a positive number or a range (smallest, largest) of such. Got {value!r}."
        )
    return int(low), int(high)
