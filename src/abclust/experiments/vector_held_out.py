"""Generated sets that no training has seen the like of: other shapes, other curves, other generators.

Choices between networks, checkpoints and calibrations are made on these, never on real data.

How a set is cut is scored on sets of several clusters, and whether one cluster is left whole on sets of one.
How honest probabilities are can be asked of neither alone: who knows that a set is one cluster knows all of
its pairs. For that each setting has sets of one cluster too, by the same generator, one in four as in the
family.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_classification, make_moons

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_sets import MixtureBatch, mixture_batch
from abclust.foundations.random_state import stream

HELD_OUT_SEED = 1_100_2010  # the same sets whatever the seed of the training, and none of its streams
_OF_ONE = 1
SIZES = (((40, 3), (100, 8), (200, 2), (200, 24)), ((40, 2), (100, 2), (200, 2), (200, 5)))
"""(items, columns) of the sets: for clusters around centres, and for curves."""
N_SHAPES = 5
"""Classic shapes of the plane, of three clusters at most."""
SINGLE = "single"
"""The setting whose sets are one cluster each."""

SEVERAL_FOR_ONE = 3
"""A setting has a third as many sets of one cluster as of several: a quarter of all."""

Draw = Callable[[int, int, int, np.random.Generator, bool], MixtureBatch]
"""(sets, items, columns, generator, whether each set is one cluster) in, sets out."""


@dataclass(frozen=True, eq=False)
class HeldOutSetting:
    """Batches of one kind of sets.

    Attributes
    ----------
    name
        What the sets are.
    batches
        One for each size; those that are scored.
    batches_of_one
        Sets of one cluster by the same generator, a quarter of all: with them a setting is as it is met. None
        where all sets are of one cluster already.
    """

    name: str
    batches: tuple[MixtureBatch, ...]
    batches_of_one: tuple[MixtureBatch, ...] = ()

    @property
    def sets(self) -> list[LabelledSet]:
        """The sets that are scored, one by one."""
        return [each for batch in self.batches for each in batch]

    @property
    def sets_as_met(self) -> list[LabelledSet]:
        """These, and those of one cluster."""
        return [*self.sets, *(each for batch in self.batches_of_one for each in batch)]


def held_out_settings(n_sets: int, seed: int = HELD_OUT_SEED) -> list[HeldOutSetting]:
    """Held-out sets of six kinds.

    Parameters
    ----------
    n_sets
        Sets of each kind, shared between four sizes.
    seed
        Other sets for another seed.

    Examples
    --------
    >>> [setting.name for setting in held_out_settings(4)]
    ['family', 'laplace', 'waves', 'hypercube', 'plane', 'single']
    """
    settings = []
    for place, (name, draw) in enumerate(_SETTINGS.items()):
        sizes = SIZES[name in ("waves", "plane")]
        of_each_size = max(1, n_sets // len(sizes))
        batches = tuple(
            draw(of_each_size, *size, stream(seed, place, which), False) for which, size in enumerate(sizes)
        )
        of_one = tuple(
            draw(max(1, of_each_size // SEVERAL_FOR_ONE), *size, stream(seed, place, which, _OF_ONE), True)
            for which, size in enumerate(sizes)
        )
        settings.append(HeldOutSetting(name, batches, () if name == SINGLE else of_one))
    return settings


def _of_family(family: MixtureFamily) -> Draw:
    of_one = replace(family, n_clusters=(1, 1))
    return lambda n_sets, n_points, n_features, rng, is_one: mixture_batch(
        n_sets, n_points, n_features, of_one if is_one else family, rng
    )


def _stacked(sets: Sequence[Any]) -> MixtureBatch:
    """Sets of scikit-learn's generators, whose annotations promise less than arrays."""
    points, labels = zip(*sets)
    return MixtureBatch(np.stack(points).astype(np.float32), np.stack(labels))


def _hypercube(
    n_sets: int, n_points: int, n_features: int, rng: np.random.Generator, is_one: bool
) -> MixtureBatch:
    """Correlated clusters at the corners of a cube, with redundant and useless columns (Guyon 2003)."""
    informative = max(1, n_features // 2)
    sets = [
        make_classification(
            n_points,
            n_features,
            n_informative=informative,
            n_redundant=(n_features - informative) // 2,
            n_classes=1 if is_one else int(rng.integers(2, min(6, 2**informative) + 1)),
            n_clusters_per_class=1,
            flip_y=0.0,
            class_sep=float(rng.uniform(1.0, 3.0)),
            random_state=int(rng.integers(2**31)),
        )
        for _ in range(n_sets)
    ]
    return _stacked(sets)


def _plane(
    n_sets: int, n_points: int, n_features: int, rng: np.random.Generator, is_one: bool
) -> MixtureBatch:
    """The shapes of scikit-learn's own comparison, in turn, in a plane among columns of slight noise."""
    sets = []
    for which in range(n_sets):
        points, labels = _classic_shape(which % N_SHAPES, n_points * (N_SHAPES if is_one else 1), rng)
        if is_one:
            points, labels = points[labels == 0][:n_points], labels[labels == 0][:n_points]
        others = rng.normal(0.0, 0.01, (n_points, n_features - 2))
        turned = np.linalg.qr(rng.standard_normal((n_features, n_features)))[0]
        sets.append((np.hstack([points, others]) @ turned, labels))
    return _stacked(sets)


def _classic_shape(which: int, n_points: int, rng: np.random.Generator) -> tuple[Any, Any]:
    seed = int(rng.integers(2**31))
    if which == 0:
        return make_moons(n_points, noise=0.06, random_state=seed)
    if which == 1:
        return make_circles(n_points, factor=0.5, noise=0.05, random_state=seed)
    deviations: Any = [1.0, 2.5, 0.5] if which == 2 else 1.0
    points, labels = make_blobs(n_points, centers=3, cluster_std=deviations, random_state=seed)[:2]
    if which == 3:
        points = points @ np.array([[0.6, -0.6], [-0.4, 0.8]])
    return points, labels


# Without what was added to the training later: scores of all networks are of the same sets.
_EVERYTHING = MixtureFamily(
    largest_inequality=0.8,
    tilted_share=0.0,
    clumped_share=0.0,
    caused_share=0.0,
    equal_share=0.0,
    redundant_share=0.0,
    curves=("moons", "rings", "spirals", "strips", "arcs", "petals"),
)
_SETTINGS: dict[str, Draw] = {
    "family": _of_family(replace(_EVERYTHING, single_share=0.0, n_clusters=(2, 50))),
    "laplace": _of_family(
        replace(_EVERYTHING, shapes=("laplace",), curve_share=0.0, single_share=0.0, n_clusters=(2, 12))
    ),
    "waves": _of_family(
        replace(_EVERYTHING, curves=("waves",), curve_share=1.0, single_share=0.0, n_clusters=(2, 5))
    ),
    "hypercube": _hypercube,
    "plane": _plane,
    SINGLE: _of_family(
        replace(
            _EVERYTHING,
            n_clusters=(1, 1),
            shapes=("gaussian", "laplace", "box", "exponential"),
            curves=("waves", "moons", "rings"),
        )
    ),
}
