"""The systems of the comparison on vectors: all of them partition, and each is told what its row says."""

import numpy as np
import pytest

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.experiments.vector_systems import OURS, VectorSystem, our_systems, rival_systems, standardise
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
RIVALS = rival_systems(largest_number=5)


@pytest.fixture(scope="module")
def network() -> ContextKernelNetwork:
    config = ContextKernelConfig(n_features=PREPARATION.width, width=8, heads=2, n_blocks=1)
    return ContextKernelNetwork(config, {"preparation": to_dict(PREPARATION), "vector_views": {"count": 2}})


@pytest.fixture(scope="module")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    labels = np.arange(37) % 3
    return 20 * np.eye(3)[labels] + rng.normal(size=(37, 3)), labels


@pytest.mark.parametrize("system", RIVALS, ids=lambda system: f"{system.name}-{system.is_told_k}")
def test_a_rival_gives_a_partition_in_canonical_order(system: VectorSystem, blobs):
    items, true = blobs
    labels = system.cluster(items, 3 if system.is_told_k else None)
    assert labels.shape == true.shape
    assert labels[0] == 0
    assert set(labels.tolist()) == set(range(labels.max() + 1))


@pytest.mark.parametrize(
    "name", ["k-means", "Gaussian mixture", "agglomerative", "k-means, columns as they are"]
)
def test_those_who_are_told_find_plain_blobs(name: str, blobs):
    (system,) = (rival for rival in RIVALS if rival.name == name and rival.is_told_k)
    np.testing.assert_array_equal(system.cluster(blobs[0], 3), blobs[1])


def test_the_silhouette_finds_the_number_of_plain_blobs(blobs):
    np.testing.assert_array_equal(RIVALS[0].cluster(blobs[0]), blobs[1])


def test_default_numbers_are_those_of_scikit_learn(blobs):
    found = {rival.name: rival.cluster(blobs[0]).max() + 1 for rival in RIVALS if "default" in rival.name}
    assert found == {"agglomerative, default k = 2": 2, "spectral, default k = 8": 8}


def test_noise_is_one_cluster_or_many():
    rng = np.random.default_rng(3)
    items = np.concatenate([rng.normal(size=(29, 2)), rng.uniform(-40, 40, size=(7, 2))])
    together, alone = (rival.cluster(items) for rival in RIVALS if rival.name.startswith("HDBSCAN"))
    assert alone.max() > together.max()


def test_rivals_see_standard_columns_but_for_the_one_that_does_not():
    # One column carries the clusters, the other is noise in a unit a thousand times as large.
    rng = np.random.default_rng(5)
    labels = np.arange(31) % 2
    items = np.column_stack([10.0 * labels + rng.normal(size=31), 1_000 * rng.uniform(size=31)])
    scaled, raw = (rival for rival in RIVALS if rival.name.startswith("k-means") and rival.is_told_k)
    np.testing.assert_array_equal(scaled.cluster(items, 2), labels)
    assert (raw.cluster(items, 2) != labels).any()


def test_ours_comes_without_and_with_the_number(network, blobs):
    unknown, known = our_systems(network)
    assert (unknown.name, unknown.is_told_k, known.is_told_k) == (OURS, False, True)
    assert known.cluster(blobs[0], 5).max() + 1 == 5
    assert unknown.cluster(blobs[0]).shape == (37,)


def test_a_constant_column_is_standardised_to_nothing():
    assert standardise(np.array([[3, 1], [3, 2]])).tolist() == [[0.0, -1.0], [0.0, 1.0]]
