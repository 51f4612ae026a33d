"""Every method behind the same two doors, and any clusterer of scikit-learn."""

import numpy as np
import pytest
from sklearn.cluster import (
    DBSCAN,
    AffinityPropagation,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
)
from sklearn.metrics import adjusted_rand_score

import abclust
from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.kernel_k_means import kernel_features
from abclust.clustering.log_odds.objective import objective
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.methods import METHODS
from abclust.foundations.errors import InvalidInputError

EVERY = sorted(METHODS)
SETTABLE = sorted(name for name, method in METHODS.items() if method.takes_n_clusters)
FINDS_ITSELF = sorted(name for name, method in METHODS.items() if not method.takes_n_clusters)


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("sizes", [(1,), (2,), (5, 3), (7, 4, 3), (6,)])
def test_perfect_blocks_are_found_by_every_method(block_kernel, method, sizes):
    labels = cluster_kernel(block_kernel(*sizes), method=method, random_state=0)
    assert (labels == np.repeat(np.arange(len(sizes)), sizes)).all()


@pytest.mark.parametrize("method", EVERY)
def test_labels_are_canonical_and_many_kernels_equal_one_by_one(planted_kernel, method):
    kernels = [planted_kernel(seed, 11 + 6 * seed, 3, signal=3.0)[1] for seed in range(3)]
    together = cluster_kernel(kernels, method=method, random_state=3)
    assert isinstance(together, list)
    for kernel, labels in zip(kernels, together):
        assert (labels == canonical_labels(labels)).all()
        assert (labels == cluster_kernel(kernel, method=method, random_state=3)).all()


@pytest.mark.parametrize("method", SETTABLE)
def test_a_given_number_is_kept_to(planted_kernel, method):
    _, kernel = planted_kernel(0, 23, 4)
    for n_clusters in (1, 3, 23):
        labels = cluster_kernel(kernel, n_clusters, method, random_state=0)
        assert labels.max() + 1 == n_clusters
    assert 2 <= cluster_kernel(kernel, (2, 3), method, random_state=0).max() + 1 <= 3


@pytest.mark.parametrize("method", FINDS_ITSELF)
def test_methods_that_find_the_number_refuse_to_be_told(block_kernel, method):
    with pytest.raises(InvalidInputError, match="finds the number itself"):
        cluster_kernel(block_kernel(3, 2), 2, method)


@pytest.mark.parametrize("method", sorted(set(EVERY) - {"spectral"}))
def test_planted_clusters_are_found_by_every_method(planted_kernel, method):
    labels, kernel = planted_kernel(1, 41, 3, signal=3.0, noise=1.0)
    assert adjusted_rand_score(labels, cluster_kernel(kernel, method=method, random_state=0)) > 0.8


@pytest.mark.parametrize(
    "clusterer",
    [
        AgglomerativeClustering(n_clusters=3, metric="precomputed", linkage="average"),
        SpectralClustering(3, affinity="precomputed", random_state=0),
        DBSCAN(eps=0.5, min_samples=2, metric="precomputed"),
        AffinityPropagation(affinity="precomputed", random_state=0),
    ],
)
def test_any_scikit_learn_clusterer_is_used_as_it_is(planted_kernel, clusterer):
    labels, kernel = planted_kernel(2, 31, 3, signal=5.0, noise=0.5)
    before = str(clusterer.get_params())
    found = cluster_kernel(kernel, method=clusterer)
    assert adjusted_rand_score(labels, found) == 1.0
    assert str(clusterer.get_params()) == before
    assert not hasattr(clusterer, "labels_")
    assert isinstance(cluster_kernel([kernel, kernel], method=clusterer), list)


def test_a_number_and_a_seed_are_handed_on_to_a_clusterer(planted_kernel):
    _, kernel = planted_kernel(2, 31, 3)
    clusterer = SpectralClustering(3, affinity="precomputed")
    first, second = (cluster_kernel(kernel, 5, clusterer, random_state=7) for _ in range(2))
    assert first.max() + 1 == 5
    assert (first == second).all()


def test_noise_of_a_clusterer_becomes_singletons():
    labels = cluster_kernel(np.eye(3), method=DBSCAN(eps=0.5, min_samples=2, metric="precomputed"))
    assert labels.tolist() == [0, 1, 2]


def test_clusterers_that_cannot_do_it_are_refused(block_kernel):
    kernel = block_kernel(3, 2)
    with pytest.raises(InvalidInputError, match="Got KMeans, which has neither"):
        cluster_kernel(kernel, method=KMeans(2))
    with pytest.raises(InvalidInputError, match="n_clusters must be None with DBSCAN"):
        cluster_kernel(kernel, 2, DBSCAN(metric="precomputed"))
    with pytest.raises(InvalidInputError, match="must be None with DBSCAN"):
        cluster_kernel(kernel, method=DBSCAN(metric="precomputed"), must_link=[(0, 1)])
    with pytest.raises(InvalidInputError, match="'log-odds', 'louvain', 'size-prior', 'spectral'"):
        cluster_kernel(kernel, method="magic")
    with pytest.raises(InvalidInputError, match="method must be one of"):
        cluster_kernel(kernel, method=KMeans)


def test_leiden_does_not_beat_our_search_on_its_own_objective(noise_kernel, planted_kernel):
    kernels = [noise_kernel(seed, 43) for seed in range(3)] + [
        planted_kernel(seed, 43, 5, 1.0, 2.0)[1] for seed in range(3)
    ]
    ours = sum(objective(log_odds(kernel), cluster_kernel(kernel)) for kernel in kernels)
    leiden = sum(
        objective(log_odds(kernel), cluster_kernel(kernel, method="leiden", random_state=0))
        for kernel in kernels
    )
    assert ours >= 0.99 * leiden


def test_agglomerative_is_average_linkage_cut_at_even_odds(planted_kernel):
    _, kernel = planted_kernel(4, 29, 4, signal=1.0, noise=1.0)
    weights = log_odds(kernel)
    reference = AgglomerativeClustering(
        n_clusters=None, distance_threshold=weights.max(), metric="precomputed", linkage="average"
    ).fit_predict(weights.max() - weights)
    assert (cluster_kernel(kernel, method="agglomerative") == canonical_labels(reference)).all()


def test_kernel_features_have_the_kernel_as_inner_products_up_to_the_diagonal(noise_kernel):
    kernel = noise_kernel(0, 11)
    assert np.linalg.eigvalsh(kernel)[0] < 0
    features = kernel_features(kernel)
    difference = features @ features.T - kernel
    np.testing.assert_allclose(difference, difference[0, 0] * np.eye(11), atol=1e-9)


def test_a_partition_tells_all_and_many_give_a_list(planted_kernel):
    labels, kernel = planted_kernel(0, 23, 4, signal=3.0, noise=1.0)
    partition = partition_kernel(kernel, random_state=0)
    assert (partition.labels == canonical_labels(labels)).all()
    assert partition.n_clusters == 4
    assert partition.confidence.shape == (23,)
    assert partition.merge_tree.n_items == 23
    assert len(partition.n_clusters_samples) == 256
    assert [one.n_clusters for one in partition_kernel([kernel, np.eye(2)], random_state=0)] == [4, 2]
    repeated = partition_kernel(kernel, random_state=0)
    assert (repeated.n_clusters_samples == partition.n_clusters_samples).all()


def test_each_kernel_of_a_list_may_have_its_own_number(block_kernel):
    kernels = [block_kernel(3, 2), block_kernel(2, 5)]
    assert [labels.max() + 1 for labels in cluster_kernel(kernels, [1, 4])] == [1, 4]
    assert [labels.max() + 1 for labels in cluster_kernel(kernels, (3, 4))] == [3, 3]
    with pytest.raises(InvalidInputError, match="one entry for each of the 2 kernels"):
        cluster_kernel(kernels, [1, 2, 3])
    assert cluster_kernel([]) == []


def test_the_doors_are_public():
    assert abclust.cluster_kernel is cluster_kernel
    assert abclust.partition_kernel is partition_kernel
