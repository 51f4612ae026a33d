"""Attention-Based Clustering: learn a kernel from context, then cluster sets of classes never seen.

A set of items goes in. A Transformer lets every item look at the whole set, a similarity head turns every
pair into the probability that the two belong together, and that kernel goes to a clustering method.

Everything is imported on first use, so ``import abclust`` costs nothing that is not asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abclust.version import __version__

if TYPE_CHECKING:
    from abclust import datasets, evaluation, theory
    from abclust.clustering.backends import cluster_kernel, partition_kernel
    from abclust.clustering.number_of_clusters import estimate_n_clusters
    from abclust.datasets.instance_sampler import InstanceSampler, sample_instance
    from abclust.estimator.attention_clustering import AttentionClustering
    from abclust.learn import train
    from abclust.model.config import ContextKernelConfig
    from abclust.model.context_kernel_network import ContextKernelNetwork
    from abclust.zoo.loading import load

_HOMES = {
    "AttentionClustering": "abclust.estimator.attention_clustering",
    "ContextKernelConfig": "abclust.model.config",
    "ContextKernelNetwork": "abclust.model.context_kernel_network",
    "InstanceSampler": "abclust.datasets.instance_sampler",
    "cluster_kernel": "abclust.clustering.backends",
    "estimate_n_clusters": "abclust.clustering.number_of_clusters",
    "load": "abclust.zoo.loading",
    "partition_kernel": "abclust.clustering.backends",
    "sample_instance": "abclust.datasets.instance_sampler",
    "train": "abclust.learn",
}
_ROOMS = ("datasets", "evaluation", "theory")

__all__ = [
    "AttentionClustering",
    "ContextKernelConfig",
    "ContextKernelNetwork",
    "InstanceSampler",
    "__version__",
    "cluster_kernel",
    "datasets",
    "estimate_n_clusters",
    "evaluation",
    "load",
    "partition_kernel",
    "sample_instance",
    "theory",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"abclust.{name}")
    else:
        raise AttributeError(f"module 'abclust' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
