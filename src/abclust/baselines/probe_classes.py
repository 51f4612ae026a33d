"""How many clusters a set has, by clustering it together with classes that are known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from abclust.baselines.interface import MAXIMUM
from abclust.baselines.semi_supervised_k_means import semi_supervised_k_means
from abclust.datasets.labelled_set import LabelledSet, canonical_labels
from abclust.evaluation.scores import accuracy
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ProbeConfig:
    """How the number of clusters is looked for."""

    n_groups: int = 3
    """Groups of the background that serve as probes and are kept from the encoder (authors' code: 5). 0: the
    groups that it learned from serve, for backgrounds of a single group (ours)."""
    n_classes: int = 20
    """Classes of each, at most (authors' code: all)."""
    anchored: float = 0.7
    """Share of them whose items keep their class; the rest are clustered with the set (authors' code)."""
    maximum: int = MAXIMUM
    """The largest number of clusters of the set (authors' code)."""
    step: int = 2
    """Every so many numbers are tried (authors' code: every one)."""
    smallest: float = 0.01
    """A cluster smaller than this share of the set's largest does not count (authors' code)."""

    def __post_init__(self) -> None:
        if self.n_groups < 0 or min(self.step, self.maximum) < 1 or self.n_classes < 2:
            raise InvalidInputError(
                "n_groups must not be negative, step and maximum at least 1, n_classes at least 2. "
                f"Got {self.n_groups}, {self.step}, {self.maximum} and {self.n_classes}."
            )


def estimate_by_probes(
    rows: Float[np.ndarray, "n d"],
    probes: Sequence[LabelledSet],
    config: ProbeConfig,
    generator: np.random.Generator,
) -> int:
    r"""The number of clusters that serves known classes best, averaged over the probes.

    With each probe group, some classes are anchored and the others are clustered together with the set by
    semi-supervised k-means with C + j clusters, C being the classes of the group. Two numbers j are noted:
    where the clustered probe classes are recovered best (accuracy), and where the silhouette of all that is
    clustered is largest. At their mean, rounded up, the clusters of the set that are not tiny are counted.

    Parameters
    ----------
    rows
        The set, encoded.
    probes
        Encoded items of known classes, one labelled set a group.
    config
        What is tried.
    generator
        Draws classes and first centres.

    References
    ----------
    Han, Vedaldi, Zisserman, "Learning to discover novel visual categories via deep transfer clustering", ICCV
    2019, Sec. 3.4. DOI 10.1109/ICCV.2019.00849
    """
    found = [_by_one_group(rows, probe, config, generator) for probe in probes]
    return min(max(1, math.ceil(np.mean(found))), len(rows))


def _by_one_group(
    rows: Float[np.ndarray, "n d"], probe: LabelledSet, config: ProbeConfig, generator: np.random.Generator
) -> int:
    anchored, free = split_classes(probe, config, generator)
    n_classes = anchored.n_clusters + free.n_clusters
    clustered = np.concatenate([free.items, rows])
    extras = range(0, min(config.maximum, len(rows)) + 1, config.step)
    labelled = [
        semi_supervised_k_means(clustered, anchored.items, anchored.labels, n_classes + extra, generator)
        for extra in extras
    ]
    recovered = [accuracy(free.labels, canonical_labels(labels[: free.n_items])) for labels in labelled]
    silhouettes = _silhouettes(clustered, labelled)
    best = math.ceil((_last_best(recovered) + _last_best(silhouettes)) / 2)
    sizes = np.bincount(labelled[best][free.n_items :])
    return int((sizes > config.smallest * sizes.max()).sum())


def split_classes(
    probe: LabelledSet, config: ProbeConfig, generator: np.random.Generator
) -> tuple[LabelledSet, LabelledSet]:
    """Two labelled sets of different classes: those that keep their class and those that are clustered."""
    classes = generator.permutation(probe.n_clusters)[: config.n_classes]
    n_anchored = min(max(1, round(config.anchored * len(classes))), len(classes) - 1)
    parts = []
    for chosen in (classes[:n_anchored], classes[n_anchored:]):
        members = np.isin(probe.labels, chosen)
        parts.append(LabelledSet(probe.items[members], probe.labels[members]))
    return parts[0], parts[1]


def _silhouettes(rows: Float[np.ndarray, "n d"], labelled: Sequence[Int[np.ndarray, " n"]]) -> list[float]:
    from sklearn.metrics import pairwise_distances, silhouette_score

    distances = pairwise_distances(rows)
    return [
        float(silhouette_score(distances, labels, metric="precomputed"))
        if 1 < len(np.unique(labels)) < len(rows)
        else -1.0
        for labels in labelled
    ]


def _last_best(values: Sequence[float]) -> int:
    """The last of the places with the largest value (authors' code)."""
    return int(np.flatnonzero(np.asarray(values) == np.max(values))[-1])
