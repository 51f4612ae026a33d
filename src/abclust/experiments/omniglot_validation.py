"""How good a network is on alphabets held out from its training: cheap, and the same sets every time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int
from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.instance_sampler import Instance, InstanceSampler
from abclust.evaluation.scores import nmi
from abclust.experiments.omniglot_split import check_no_evaluation_alphabet
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import encode_views, view_kernels

VALIDATION_SEED = 2_010_01041  # the same sets whatever the seed of the training, and none of its streams
N_CLUSTERS = (5, 47)
"""(authors' code) Clusters of an evaluation instance, as far as the alphabet has characters."""


@dataclass(frozen=True)
class ValidationConfig:
    """How many sets a validation scores."""

    sets_per_alphabet: int = 10
    set_size: int = 100


def draw_instances(
    data: GroupedImages,
    alphabet: str,
    n_instances: int,
    seed: int,
    *,
    length: int = 100,
    n_clusters: tuple[int, int] = N_CLUSTERS,
) -> list[Instance]:
    """Sets of one alphabet by Algorithm 1, sizes by the authors' law, as places in `data`.

    An alphabet with fewer images or characters than asked for gives what it has.

    Parameters
    ----------
    data
        Where the alphabet is.
    alphabet
        Its name.
    n_instances
        How many sets.
    seed
        Set i is a function of the seed, the alphabet's name, the range of clusters and i alone.
    length
        Images of a set.
    n_clusters
        Fewest and most characters in a set.

    Raises
    ------
    InvalidInputError
        If there is no such alphabet, or it cannot give such a set.
    """
    sampler = InstanceSampler(data, length, n_clusters=n_clusters, sizes="authors", group=alphabet)
    path = (*alphabet.encode(), length, *n_clusters)
    return [sampler.draw(stream(seed, *path, i)) for i in range(n_instances)]


def held_out_validation(
    data: GroupedImages, config: ValidationConfig | None = None, prefix: str = ""
) -> Callable[[nn.Module], Mapping[str, float]]:
    """A validation: NMI on sets of held-out alphabets, the number of characters unknown and known.

    Parameters
    ----------
    data
        Alphabets that the training does not see.
    config
        How many sets.
    prefix
        Before each score's name: ``"seen_"`` where the training does see them.

    Returns
    -------
    callable
        Network to ``nmi_k_unknown`` and ``nmi_k_known`` (log-odds), ``nmi_spectral_k_unknown`` (eigengap) and
        ``nmi_spectral_k_known``: means over all sets of raw kernels, one view.

    Raises
    ------
    InvalidInputError
        If an evaluation alphabet is among the groups.
    """
    check_no_evaluation_alphabet(data.group_names)
    config = config or ValidationConfig()
    instances = [
        instance
        for alphabet in data.group_names
        for instance in draw_instances(
            data, alphabet, config.sets_per_alphabet, VALIDATION_SEED, length=config.set_size
        )
    ]
    places = np.stack([instance.places for instance in instances])
    truth = [instance.labels for instance in instances]
    n_clusters = [instance.n_clusters for instance in instances]

    def validate(network: nn.Module) -> dict[str, float]:
        assert isinstance(network, ContextKernelNetwork)  # what the training hands over
        kernels = view_kernels(network, encode_views(network, data.images), places)
        partitions = {
            "nmi_k_unknown": cluster_kernel(kernels),
            "nmi_k_known": cluster_kernel(kernels, n_clusters),
            "nmi_spectral_k_unknown": cluster_kernel(kernels, method="spectral"),
            "nmi_spectral_k_known": cluster_kernel(kernels, n_clusters, "spectral"),
        }
        return {f"{prefix}{name}": _mean_nmi(truth, list(found)) for name, found in partitions.items()}

    return validate


def _mean_nmi(truth: Sequence[Int[np.ndarray, " _"]], found: Sequence[Int[np.ndarray, " _"]]) -> float:
    return float(np.mean([nmi(true, labels) for true, labels in zip(truth, found, strict=True)]))
