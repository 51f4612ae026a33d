"""Which items make a pool, and which sets are drawn from it."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from abclust.datasets.instance_sampler import InstanceSampler
from abclust.foundations.errors import InvalidInputError

QUARTER_TURNS = 4
_LIKENESS_SIDE = 14
_LIKENESS_NOISE = 0.03


@dataclass(frozen=True)
class PoolConfig:
    """How much a step encodes, and what it draws from it.

    Parameters
    ----------
    pools_per_step
        Pools of one process; each comes from one group (one alphabet).
    pool_size
        Items in a pool, all encoded once.
    sets_per_pool
        Sets drawn from each pool.
    smallest_set, largest_set
        Set sizes, drawn log-uniformly. Mixed sizes carry to larger sets than were trained on.
    equal_sizes
        One size for all sets of a step, instead of one for each: no padding, less mixing.
    rotated
        Probability that the four quarter turns of a class are four classes (authors' code: always).
    mirrored
        Probability that a pool is mirrored, which makes new classes of it.
    warped
        Probability that every class of a pool is bent in a way of its own, which makes new classes of them
        (:mod:`abclust.datasets.class_warping`).
    look_alike
        Probability that a set is made of classes that resemble each other, as far as the pool has such
        (:func:`class_likeness`), instead of any of its classes (ours). Characters of one set are often easy
        to tell apart; those that are not decide how good a partition is.
    size_law
        Law of the cluster sizes of a pool (Algorithm 1): ``"authors"`` or ``"uniform"``.
    n_clusters
        Smallest and largest number of clusters in a pool; None is what the group permits.
    """

    pools_per_step: int = 2
    pool_size: int = 200
    sets_per_pool: int = 4
    smallest_set: int = 100
    largest_set: int = 100
    equal_sizes: bool = False
    rotated: float = 0.5
    mirrored: float = 0.0
    warped: float = 0.0
    look_alike: float = 0.0
    size_law: str = "authors"
    n_clusters: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not 0 < self.smallest_set <= self.largest_set <= self.pool_size:
            raise InvalidInputError(
                "set sizes must obey 0 < smallest_set <= largest_set <= pool_size. "
                f"Got {self.smallest_set}, {self.largest_set}, {self.pool_size}."
            )
        for name in ("rotated", "mirrored", "warped", "look_alike"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidInputError(f"{name} must be a probability. Got {getattr(self, name)!r}.")


class GroupSampler:
    """Draws pools from one group by Algorithm 1, its classes turned or as they are.

    Parameters
    ----------
    labels
        The class of every item of the group.
    config
        Size of pools and number of clusters.
    """

    def __init__(self, labels: Int[np.ndarray, " N"], config: PoolConfig) -> None:
        self.n_items = len(labels)
        self._upright = _sampler(labels, config)
        turned = labels[None, :] * QUARTER_TURNS + np.arange(QUARTER_TURNS)[:, None]
        self._turned = _sampler(turned.reshape(-1), config) if config.rotated else self._upright

    def draw(
        self, turned: bool, rng: np.random.Generator
    ) -> tuple[Int[np.ndarray, " P"], Int[np.ndarray, " P"], Int[np.ndarray, " P"]]:
        """Which items, by how many quarter turns, and their labels."""
        instance = (self._turned if turned else self._upright).draw(rng)
        turns, indices = np.divmod(instance.places, self.n_items)
        return indices, turns, instance.labels


def _sampler(labels: Int[np.ndarray, " N"], config: PoolConfig) -> InstanceSampler:
    return InstanceSampler(
        (np.arange(len(labels))[:, None], labels),
        min(config.pool_size, len(labels)),
        n_clusters=config.n_clusters,
        sizes=config.size_law,
    )


def draw_sets(
    labels: Int[np.ndarray, " P"],
    sizes: Int[np.ndarray, " B"],
    rng: np.random.Generator,
    likeness: Float[np.ndarray, "k k"] | None = None,
    look_alike: float = 0.0,
) -> list[Int[np.ndarray, " _"]]:
    """Sets of places in a pool, one for each of `sizes`.

    Each takes a uniform number of the pool's classes, at least as many as hold enough items, and a uniform
    part of their items (ours: Algorithm 1 drew the pool's own cluster sizes, and this costs nothing). With
    probability `look_alike` the classes are those most like one of them by `likeness`, and at most twice as
    many as hold enough items.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1, 1, 2, 2])
    >>> [len(each) for each in draw_sets(labels, np.array([3, 7]), np.random.default_rng(0))]
    [3, 7]
    """
    n_classes = int(labels.max()) + 1
    counts = np.bincount(labels, minlength=n_classes)
    sets = []
    for size in np.minimum(sizes, len(labels)):
        near = likeness if likeness is not None and rng.random() < look_alike else None
        order = rng.permutation(n_classes) if near is None else _near_one(near, rng)
        fewest = int(np.searchsorted(np.cumsum(counts[order]), size)) + 1
        most = n_classes if near is None else min(2 * fewest, n_classes)
        chosen = np.zeros(n_classes, dtype=bool)
        chosen[order[: rng.integers(fewest, most + 1)]] = True
        sets.append(rng.permutation(np.flatnonzero(chosen[labels]))[:size])
    return sets


def _near_one(likeness: Float[np.ndarray, "k k"], rng: np.random.Generator) -> Int[np.ndarray, " k"]:
    """All classes, those most like a random one first; a little noise, so that sets around one differ."""
    to_one = likeness[rng.integers(len(likeness))]
    return np.argsort(-to_one - rng.normal(scale=_LIKENESS_NOISE, size=len(to_one)))


def class_likeness(items: Tensor, labels: Int[np.ndarray, " P"]) -> Float[np.ndarray, "k k"]:
    """Cosines between the means of classes; of images, the means are blurred to 14 x 14 first.

    Examples
    --------
    >>> items = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 2.0]])
    >>> class_likeness(items, np.array([0, 1, 2])).round(1)[1]
    array([0.8, 1. , 0.6], dtype=float32)
    """
    if items.ndim == 3:
        items = F.adaptive_avg_pool2d(items.unsqueeze(1), min(_LIKENESS_SIDE, items.shape[-1]))
    sums = items.new_zeros(int(labels.max()) + 1, items[0].numel())
    sums.index_add_(0, torch.from_numpy(labels.astype(np.int64)), items.flatten(1))
    directions = F.normalize(sums)
    return (directions @ directions.T).numpy()


def draw_sizes(config: PoolConfig, n_sets: int, rng: np.random.Generator) -> Int[np.ndarray, " B"]:
    """Log-uniform sizes of `n_sets` sets, both ends included."""
    low, high = np.log(config.smallest_set), np.log(config.largest_set + 1)
    sizes = np.exp(rng.uniform(low, high, size=1 if config.equal_sizes else n_sets)).astype(np.int64)
    return np.broadcast_to(np.clip(sizes, config.smallest_set, config.largest_set), (n_sets,))


def padded(sets: list[Int[np.ndarray, " _"]]) -> tuple[Int[np.ndarray, "B n"], Bool[np.ndarray, "B n"]]:
    """Sets of places as one array with a mask, 0 on padding."""
    lengths = np.array([len(each) for each in sets])
    mask = np.arange(lengths.max())[None, :] < lengths[:, None]
    places = np.zeros(mask.shape, dtype=np.int64)
    places[mask] = np.concatenate(sets)
    return places, mask
