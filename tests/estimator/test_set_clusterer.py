"""One set or thousands: the same clusters, in order, and a bad set does not stop the others."""

import copy

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from tests.estimator.handmade_networks import blobs, strokes

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.default_method import PLAIN_METHOD
from abclust.datasets.circle_sets import circles
from abclust.datasets.labelled_set import UnlabelledSet
from abclust.estimator.set_clusterer import ClusteredSet, SetClusterer, SetFailure
from abclust.estimator.set_stream import PAIRS_IN_A_WINDOW, Job, windows
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.kernel.calibration_table import CalibrationTable
from abclust.kernel.one_cluster_odds import OneClusterOdds
from abclust.model.raw_kernels import raw_kernels
from abclust.zoo.loading import load


@pytest.fixture
def sets():
    return [circles(n_points=n, n_circles=min(n, 3), seed=n)[0] for n in (23, 1, 37, 23, 2, 41)]


def test_a_set_gets_the_partition_of_its_calibrated_kernel(circle_network, sets):
    found = SetClusterer(circle_network, random_state=3).cluster(sets[0].items)
    table = CalibrationTable.from_dict(circle_network.metadata["calibration"])
    expected = table.apply(raw_kernels(circle_network, [sets[0].items])[0], PLAIN_METHOD)
    np.testing.assert_allclose(found.kernel, expected, atol=1e-6)
    partition = partition_kernel(found.kernel, method=PLAIN_METHOD, random_state=3)
    np.testing.assert_array_equal(found.labels, partition.labels)
    np.testing.assert_array_equal(found.partition.confidence, partition.confidence)
    np.testing.assert_array_equal(found.prepared, sets[0].items)


def test_a_network_is_clustered_by_the_method_that_its_header_names(circle_network, sets):
    network = copy.deepcopy(circle_network)
    network.metadata["method"] = "agglomerative"
    found = SetClusterer(network).cluster(sets[2].items)
    asked = SetClusterer(circle_network, method="agglomerative").cluster(sets[2].items)
    np.testing.assert_array_equal(found.kernel, asked.kernel)
    np.testing.assert_array_equal(found.labels, asked.labels)
    assert SetClusterer(network, method="spectral").method == "spectral"


def test_a_header_may_know_more_of_one_cluster_than_kernels_do():
    network = copy.deepcopy(load("vectors"))
    tables = [blobs(np.random.default_rng(n), n, 3)[0] for n in (37, 61)]
    # Of fewer than 49 rows all tables are one cluster, of more none is: odds of 1e48 and 1e-38.
    network.metadata["one_cluster_odds"] = to_dict(OneClusterOdds(49, 3, items_power=400, columns_power=0.5))
    clusterer = SetClusterer(network)
    assert [clusterer.cluster(each).n_clusters for each in tables] == [1, 3]
    assert [labels.max() + 1 for labels in clusterer.label_many(tables)] == [1, 3]
    odds = clusterer.one_cluster_odds(clusterer.cluster(tables[1]).prepared)
    assert odds == pytest.approx((49 / 61) ** 400)


def test_each_method_gets_its_own_calibration(circle_network, sets):
    kernels = {
        method: SetClusterer(circle_network, method=method).cluster(sets[2].items).kernel
        for method in ("expected-rand", "log-odds", "spectral", "agglomerative")
    }
    table = CalibrationTable.from_dict(circle_network.metadata["calibration"])
    raw = raw_kernels(circle_network, [sets[2].items])[0]
    np.testing.assert_allclose(kernels["spectral"], table.at("spectral", 37).apply(raw), atol=1e-6)
    np.testing.assert_allclose(kernels["agglomerative"], table.at("likelihood", 37).apply(raw), atol=1e-6)


def test_a_scikit_learn_clusterer_may_be_the_method(table_network):
    table, labels = blobs(np.random.default_rng(1), 29, 3)
    method = SpectralClustering(n_clusters=3, affinity="precomputed")
    np.testing.assert_array_equal(SetClusterer(table_network, method=method).cluster(table).labels, labels)


def test_many_sets_get_what_each_gets_alone_in_their_order(circle_network, sets):
    clusterer = SetClusterer(circle_network, random_state=0)
    together = list(clusterer.cluster_many(sets))
    for each, found in zip(sets, together):
        alone = clusterer.cluster(each.items)
        assert isinstance(found, ClusteredSet)
        np.testing.assert_allclose(found.kernel, alone.kernel, atol=1e-4)
        np.testing.assert_array_equal(found.labels, alone.labels)
        np.testing.assert_array_equal(found.partition.n_clusters_samples, alone.partition.n_clusters_samples)
    for labels, found in zip(clusterer.label_many(sets), together):
        np.testing.assert_array_equal(labels, found.labels)


def test_many_sets_are_a_stream_that_is_read_as_far_as_needed(table_network, monkeypatch):
    monkeypatch.setattr("abclust.estimator.set_stream.SETS_IN_A_WINDOW", 3)
    read = []

    def source():
        for seed in range(11):
            read.append(seed)
            yield blobs(np.random.default_rng(seed), 7, 2)[0]

    stream = SetClusterer(table_network).label_many(source())
    next(stream)
    assert read == [0, 1, 2]
    assert len(list(stream)) == 10


def test_a_window_holds_no_more_pairs_than_shall_be_in_memory():
    large = Job(0, "", np.zeros((int(PAIRS_IN_A_WINDOW**0.5), 1)), None, None, None)
    small = Job(1, "", np.zeros((7, 1)), None, None, None)
    assert [len(window) for window in windows([large, small, small, large, small])] == [1, 3, 1]


def test_one_bad_set_is_a_failure_with_its_place_and_name_and_the_rest_go_on(circle_network, sets):
    bad = UnlabelledSet(np.zeros((5, 3)), name="three coordinates")
    overflowing = UnlabelledSet(np.full((5, 2), 1e300), name="too large")
    with np.errstate(over="ignore"):
        found = list(
            SetClusterer(circle_network, n_samples=0).cluster_many([sets[0], bad, overflowing, sets[2]])
        )
    kinds = [type(each) for each in found]
    assert kinds == [ClusteredSet, SetFailure, SetFailure, ClusteredSet]
    assert (found[1].index, found[1].name) == (1, "three coordinates")
    assert "points of the plane" in str(found[1].error)
    assert "must be finite" in str(found[2].error)


def test_an_impossible_number_of_clusters_fails_only_its_own_set(circle_network, sets):
    found = list(SetClusterer(circle_network).label_many(sets[:3], n_clusters=[2, 3, 5]))
    assert isinstance(found[1], SetFailure)
    assert [labels.max() + 1 for labels in (found[0], found[2])] == [2, 5]


def test_the_number_of_clusters_of_the_clusterer_holds_for_all_sets_unless_given(table_network):
    sets = [blobs(np.random.default_rng(seed), 13, 3)[0] for seed in range(2)]
    clusterer = SetClusterer(table_network, n_clusters=2)
    assert [labels.max() for labels in clusterer.label_many(sets)] == [1, 1]
    assert [labels.max() for labels in clusterer.label_many(sets, n_clusters=(4, 7))] == [3, 3]


def test_every_set_may_have_its_own_constraints_as_a_pair_or_a_mapping(table_network):
    table, labels = blobs(np.random.default_rng(1), 13, 3)
    rules = [None, ([(0, 1)], None), {"cannot_link": [(0, 3)]}, {"must": []}, "both"]
    found = list(SetClusterer(table_network).label_many([table] * 5, rules))
    np.testing.assert_array_equal(found[0], labels)
    assert found[1][0] == found[1][1]
    assert found[2][0] != found[2][3]
    assert "must_link and cannot_link. Got must" in str(found[3].error)
    assert "a pair" in str(found[4].error)


def test_too_few_entries_are_failures_that_say_so(table_network):
    tables = [blobs(np.random.default_rng(seed), 7, 2)[0] for seed in range(3)]
    found = list(SetClusterer(table_network).label_many(tables, [None, None]))
    assert "one entry for each set. Got 2" in str(found[2].error)


def test_a_sparse_set_is_a_failure_and_not_the_end(table_network):
    from scipy.sparse import csr_array

    found = list(SetClusterer(table_network).label_many([csr_array(np.eye(3)), np.eye(3)]))
    assert isinstance(found[0], SetFailure)
    assert len(found[1]) == 3


def test_samples_of_the_number_of_clusters_can_be_left_out(circle_network, sets):
    assert (
        len(SetClusterer(circle_network, n_samples=0).cluster(sets[0].items).partition.n_clusters_samples)
        == 0
    )


def test_images_are_clustered_as_tables_are(image_network):
    images = strokes(np.random.default_rng(4), 3)[[0, 1, 2, 0, 1, 2, 0]]
    found = SetClusterer(image_network).cluster(images)
    np.testing.assert_array_equal(found.labels, [0, 1, 2, 0, 1, 2, 0])
    np.testing.assert_array_equal(found.labels, cluster_kernel(found.kernel))


def test_a_device_that_is_not_there_is_refused(circle_network):
    with pytest.raises(InvalidInputError, match="device must be one that torch can use"):
        SetClusterer(circle_network, device="abacus")
