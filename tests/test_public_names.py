"""The public names are frozen: a change here is a change for every user and belongs in the changelog."""

import pytest

import abclust

PUBLIC_NAMES = [
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


def test_the_list_of_public_names_is_frozen_and_sorted():
    assert abclust.__all__ == PUBLIC_NAMES
    assert sorted(PUBLIC_NAMES) == PUBLIC_NAMES


def test_every_public_name_is_there_and_documented():
    for name in PUBLIC_NAMES:
        value = getattr(abclust, name)
        assert name == "__version__" or value.__doc__, name
        assert name in dir(abclust)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'abclust' has no attribute 'telepathy'"):
        abclust.telepathy  # noqa: B018
