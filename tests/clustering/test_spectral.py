"""Spectral clustering: the plan is found, scikit-learn agrees, batches and single kernels agree."""

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.eigenvectors import leading_eigenpairs
from abclust.clustering.label_assignment import assign_by_cluster_qr, assign_by_discretisation
from abclust.clustering.laplacian import normalised_affinity
from abclust.foundations.errors import InvalidInputError

ASSIGNMENTS = ["cluster_qr", "discretize", "kmeans"]


@pytest.mark.parametrize("assign_labels", ASSIGNMENTS)
@pytest.mark.parametrize("sizes", [(7,), (1, 1), (5, 3), (11, 2, 1), (1,) * 5])
def test_perfect_blocks_are_found_with_k_known_and_unknown(block_kernel, assign_labels, sizes):
    kernel = block_kernel(*sizes)
    expected = np.repeat(np.arange(len(sizes)), sizes)
    for n_clusters in (None, len(sizes)):
        labels = cluster_kernel(kernel, n_clusters, "spectral", assign_labels=assign_labels, random_state=0)
        assert (labels == expected).all()


@pytest.mark.parametrize("assign_labels", ASSIGNMENTS)
def test_scikit_learn_finds_the_same_clusters(planted_kernel, assign_labels):
    for seed in range(3):
        _, kernel = planted_kernel(seed, 61, 4, signal=3.0, noise=1.5)
        reference = SpectralClustering(4, affinity="precomputed", assign_labels=assign_labels, random_state=0)
        labels = cluster_kernel(kernel, 4, "spectral", assign_labels=assign_labels, random_state=0)
        assert adjusted_rand_score(reference.fit_predict(kernel), labels) == 1.0


def test_many_kernels_in_one_call_equal_one_by_one(planted_kernel):
    kernels = [planted_kernel(seed, 11 + 6 * (seed % 3), 3)[1] for seed in range(8)]
    for assign_labels in ASSIGNMENTS:
        options = {"method": "spectral", "assign_labels": assign_labels, "random_state": 5}
        together = cluster_kernel(kernels, [3] * 8, **options)
        for kernel, labels in zip(kernels, together):
            assert (cluster_kernel(kernel, 3, **options) == labels).all()


def test_a_large_kernel_uses_lanczos_and_agrees_with_the_plan(planted_kernel):
    labels, kernel = planted_kernel(2, 701, 5, signal=4.0, noise=0.5)
    for n_clusters in (None, 5, (2, 11)):
        found = cluster_kernel(kernel, n_clusters, "spectral")
        assert (found == canonical_labels(labels)).all()


def test_lanczos_and_dense_eigenvectors_span_the_same_space(planted_kernel):
    _, kernel = planted_kernel(0, 601, 3)
    affinity = normalised_affinity(kernel)
    values, vectors = leading_eigenpairs(affinity, 3)
    dense_values, dense_vectors = np.linalg.eigh(affinity)
    np.testing.assert_allclose(values, dense_values[:-4:-1], atol=1e-6)
    overlap = np.linalg.svd(vectors.T @ dense_vectors[:, -3:])[1]
    np.testing.assert_allclose(overlap, 1.0, atol=1e-5)


def test_a_range_is_searched_for_the_largest_gap(block_kernel):
    assert cluster_kernel(block_kernel(5, 3, 3), (2, 7), "spectral").max() == 2


def test_the_number_can_come_from_another_method(block_kernel):
    for n_clusters_method in ("nme", "degree", "log-odds"):
        labels = cluster_kernel(block_kernel(5, 3, 3), method="spectral", n_clusters_method=n_clusters_method)
        assert labels.max() == 2


def test_assignments_recover_a_rotated_indicator():
    truth = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2])
    indicator = np.eye(3)[truth] / np.sqrt(np.bincount(truth))[truth][:, None]
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    for assign in (assign_by_cluster_qr, assign_by_discretisation):
        assert (canonical_labels(assign(indicator @ rotation, 0)) == truth).all()


def test_an_unknown_assignment_is_answered_with_the_known_ones(block_kernel):
    with pytest.raises(InvalidInputError, match="'cluster_qr', 'discretize', 'kmeans'"):
        cluster_kernel(block_kernel(2, 2), method="spectral", assign_labels="lottery")
