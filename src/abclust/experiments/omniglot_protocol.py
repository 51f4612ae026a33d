"""Two protocols on Omniglot: the paper's sets of 100 images, and whole alphabets as one set each.

Paper (Sec. 5.2, App. C): of each alphabet 1,000 instances of 100 images by Algorithm 1, at most 20 images of
a character, cluster sizes by the authors' law. Three tasks: k uniform in [5, min(47, C)] and unknown; the
same sets with k known; other sets with k = 20, known. Every evaluation alphabet has at least 20 characters
(Angelic exactly 20, so that its sets with k = 20 hold all of them): nothing is left out.

Whole alphabets, the protocol that KCL, MCL and DTC report: all 20 x C images of an alphabet are one set.

The encoder sees each image alone, so each is encoded once, whatever the number of sets it stands in.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.grouped_images import GroupedImages
from abclust.evaluation.kernel_scores import KernelScores, score_kernels
from abclust.evaluation.scores import Scores, score_partition
from abclust.experiments.omniglot_networks import calibration_of
from abclust.experiments.omniglot_paper_numbers import TASKS
from abclust.experiments.omniglot_validation import N_CLUSTERS, draw_instances
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import view_kernels

PAPER_PROTOCOL, WHOLE_PROTOCOL = "100 images", "whole alphabet"
UNKNOWN, KNOWN, FIXED = TASKS
FIXED_CLUSTERS = 20
SET_SIZE = 100
# Kernels clustered together: their eigenvectors and copies take a few times 10 MB.
SETS_AT_ONCE = 250
# Pairs of so many sets of an alphabet, a million of them, give the calibration error to three digits.
KERNEL_SCORE_SETS = 200
TRIVIAL_SETS = 20

Kernels = list[Float[np.ndarray, "n n"]]
Labels = Int[np.ndarray, " _"]


@dataclass(frozen=True)
class Approach:
    """How kernels become labels."""

    method: str
    """A method of :func:`abclust.cluster_kernel`; ``"spectral"`` finds k by the eigengap, as the paper."""
    calibrated: bool
    """Whether kernels pass through the network's calibration first; the paper's do not."""
    most_sets: int | None = None
    """Of an alphabet's sets, the first so many; None: all. What stands beside for comparison needs fewer."""


PAPER_APPROACH = Approach("spectral", calibrated=False)
CALIBRATED_SPECTRAL = Approach("spectral", calibrated=True)
SIZE_PRIOR = Approach("size-prior", calibrated=True)
APPROACHES = (
    PAPER_APPROACH,
    CALIBRATED_SPECTRAL,
    Approach("log-odds", calibrated=True),
    Approach("expected-rand", calibrated=True),
    SIZE_PRIOR,
)
"""The paper's way first, the default of the weights last."""
BESIDE_SETS = 100
"""Sets of an alphabet for approaches that only stand beside the one that counts."""


def with_headlines(headlines: Sequence[Approach]) -> tuple[Approach, ...]:
    """All approaches, those that count on all sets, the others on the first :data:`BESIDE_SETS`.

    Examples
    --------
    >>> [approach.most_sets for approach in with_headlines([SIZE_PRIOR])]
    [100, 100, 100, 100, None]
    """
    return tuple(
        approach if approach in headlines else replace(approach, most_sets=BESIDE_SETS)
        for approach in APPROACHES
    )


@dataclass(frozen=True, eq=False)
class Alphabet:
    """One alphabet, encoded: what a worker needs to score a network on it."""

    name: str
    encoded: Float[Tensor, "V m h"]
    data: GroupedImages
    """Of this alphabet alone."""


@dataclass(frozen=True)
class Scored:
    """One approach to one task on one alphabet."""

    alphabet: str
    protocol: str
    task: str
    approach: Approach
    scores: tuple[Scores, ...]
    """One entry a set."""
    truth: tuple[tuple[int, ...], ...]
    """True labels of the first sets, for the trivial partitions."""
    kernels: KernelScores
    seconds: float
    """One core's time for all sets: kernels, calibration and partitions."""


@dataclass(frozen=True, eq=False)
class _SetsOfATask:
    protocol: str
    tasks: tuple[str, ...]
    places: Sequence[Labels]
    labels: Sequence[Labels]


def encoded_alphabets(data: GroupedImages, encoded: Float[Tensor, "V N h"]) -> list[Alphabet]:
    """Encoded images by alphabet."""
    members = [np.flatnonzero(data.groups == place) for place in range(len(data.group_names))]
    return [
        Alphabet(name, encoded[:, rows], data.select([name])) for name, rows in zip(data.group_names, members)
    ]


def score_alphabet(
    network: ContextKernelNetwork,
    alphabet: Alphabet,
    n_instances: int,
    seed: int,
    approaches: Sequence[Approach] = APPROACHES,
    *,
    whole: bool = True,
) -> list[Scored]:
    """All tasks of both protocols on one alphabet.

    Parameters
    ----------
    network
        With its calibration in its header.
    alphabet
        From :func:`encoded_alphabets`.
    n_instances
        Sets of 100 images for each choice of k; the paper has 1,000.
    seed
        Of the sets.
    approaches
        How kernels become labels.
    whole
        Score the whole alphabet as one set, too.
    """
    kinds = [
        _drawn(alphabet, (UNKNOWN, KNOWN), N_CLUSTERS, n_instances, seed),
        _drawn(alphabet, (FIXED,), (FIXED_CLUSTERS, FIXED_CLUSTERS), n_instances, seed),
    ]
    if whole:
        everything = np.arange(len(alphabet.data))
        kinds.append(_SetsOfATask(WHOLE_PROTOCOL, (UNKNOWN, KNOWN), [everything], [alphabet.data.labels]))
    return [scored for kind in kinds for scored in _score_sets(network, alphabet, kind, approaches)]


def _drawn(
    alphabet: Alphabet, tasks: tuple[str, ...], n_clusters: tuple[int, int], n_instances: int, seed: int
) -> _SetsOfATask:
    instances = draw_instances(
        alphabet.data, alphabet.name, n_instances, seed, length=SET_SIZE, n_clusters=n_clusters
    )
    return _SetsOfATask(
        PAPER_PROTOCOL, tasks, [each.places for each in instances], [each.labels for each in instances]
    )


def _score_sets(
    network: ContextKernelNetwork, alphabet: Alphabet, sets: _SetsOfATask, approaches: Sequence[Approach]
) -> list[Scored]:
    found: dict[tuple[Approach, str], list[Labels]] = {(a, t): [] for a in approaches for t in sets.tasks}
    seconds = dict.fromkeys(found, 0.0)
    first: dict[Approach, Kernels] = {approach: [] for approach in approaches}
    for start in range(0, len(sets.places), SETS_AT_ONCE):
        chunk = slice(start, start + SETS_AT_ONCE)
        started = time.perf_counter()
        raw = view_kernels(network, alphabet.encoded, sets.places[chunk])
        forward = time.perf_counter() - started
        n_clusters = [len(np.unique(labels)) for labels in sets.labels[chunk]]
        for approach in approaches:
            wanted = len(raw) if approach.most_sets is None else max(0, approach.most_sets - start)
            if wanted == 0:
                continue
            started = time.perf_counter()
            kernels = _calibrated(network, raw[:wanted], approach)
            shared = forward * len(kernels) / len(raw) + time.perf_counter() - started
            first[approach] += kernels[: max(0, KERNEL_SCORE_SETS - len(first[approach]))]
            for task in sets.tasks:
                started = time.perf_counter()
                given = None if task == UNKNOWN else n_clusters[:wanted]
                found[approach, task] += list(cluster_kernel(kernels, given, approach.method))
                seconds[approach, task] += shared + time.perf_counter() - started
    honesty = {approach: score_kernels(zip(kernels, sets.labels)) for approach, kernels in first.items()}
    return [
        Scored(
            alphabet.name,
            sets.protocol,
            task,
            approach,
            tuple(
                score_partition(true, one)
                for true, one in zip(sets.labels[: len(labels)], labels, strict=True)
            ),
            tuple(tuple(each.tolist()) for each in sets.labels[:TRIVIAL_SETS]),
            honesty[approach],
            seconds[approach, task],
        )
        for (approach, task), labels in found.items()
    ]


def _calibrated(network: ContextKernelNetwork, kernels: Kernels, approach: Approach) -> Kernels:
    if not approach.calibrated:
        return kernels
    calibration = calibration_of(network)
    return [calibration.apply(kernel, approach.method) for kernel in kernels]
