"""New items among old clusters: old ids never change, twins join their twin, a new class opens a new id."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from tests.estimator.handmade_networks import blobs, strokes, table_network_by_hand

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.canonical_labels import canonical_labels
from abclust.datasets.circle_sets import circles
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.estimator.new_items import JointSet, find_twins, links_of, memberships
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import InvalidInputError

NETWORK = table_network_by_hand()
UNSURE = table_network_by_hand(steepness=6.0)  # on noise, a few clusters that more items would change
few = settings(max_examples=7)  # each example is some clusterings
sizes = st.integers(1, 13)
seeds = st.integers(0, 10_000)


def noise(seed, n_items):
    return np.random.default_rng(seed).normal(size=(n_items, 3))


@few
@given(n_old=sizes, n_new=sizes, seed=seeds)
def test_predicting_changes_nothing_that_was_learnt(n_old, n_new, seed):
    fitted = AttentionClustering(UNSURE).fit(noise(seed, n_old))
    labels, kernel = fitted.labels_.copy(), fitted.kernel_.copy()
    fitted.predict(noise(seed + 1, n_new))
    np.testing.assert_array_equal(fitted.labels_, labels)
    np.testing.assert_array_equal(fitted.kernel_, kernel)


@few
@given(n_old=sizes, n_new=sizes, seed=seeds)
def test_the_old_items_keep_their_ids_whatever_new_ones_come(n_old, n_new, seed):
    fitted = AttentionClustering(UNSURE).fit(noise(seed, n_old))
    labels = fitted.labels_.copy()
    new_labels = fitted.predict(noise(seed + 1, n_new))
    fitted.extend(noise(seed + 1, n_new))
    np.testing.assert_array_equal(fitted.labels_[:n_old], labels)
    np.testing.assert_array_equal(fitted.labels_[n_old:], new_labels)
    np.testing.assert_array_equal(fitted.labels_, canonical_labels(fitted.labels_))


@few
@given(n_old=sizes, n_new=sizes, seed=seeds)
def test_a_duplicate_of_an_old_item_joins_its_cluster_in_any_company(n_old, n_new, seed):
    old, places = noise(seed, n_old), np.random.default_rng(seed).integers(n_old, size=7)
    fitted = AttentionClustering(UNSURE).fit(old)
    found = fitted.predict(np.concatenate([noise(seed + 1, n_new), old[places]]))
    np.testing.assert_array_equal(found[n_new:], fitted.labels_[places])
    extended = AttentionClustering(UNSURE).fit(old).extend(old[places])
    np.testing.assert_array_equal(extended.labels_[n_old:], extended.labels_[places])


@few
@given(n_old=sizes, n_new=sizes, seed=seeds)
def test_old_items_among_the_new_do_not_change_what_the_new_get(n_old, n_new, seed):
    old, new = noise(seed, n_old), noise(seed + 1, n_new)
    fitted = AttentionClustering(UNSURE).fit(old)
    np.testing.assert_array_equal(fitted.predict(np.concatenate([old, new]))[n_old:], fitted.predict(new))


@few
@given(n_old=sizes, n_new=sizes, seed=seeds)
def test_the_order_of_new_items_changes_only_the_names_of_new_clusters(n_old, n_new, seed):
    rng = np.random.default_rng(seed)
    (old, _), (new, _) = blobs(rng, n_old, 2), blobs(rng, n_new, 5)
    fitted = AttentionClustering(NETWORK).fit(old)
    order = np.random.default_rng(seed).permutation(n_new)
    found, permuted = fitted.predict(new), fitted.predict(new[order])
    is_old = found < fitted.n_clusters_
    np.testing.assert_array_equal(permuted[is_old[order]], found[order][is_old[order]])
    np.testing.assert_array_equal(
        canonical_labels(permuted[~is_old[order]]), canonical_labels(found[order][~is_old[order]])
    )


def test_new_ids_follow_the_old_ones_in_order_of_appearance():
    rng = np.random.default_rng(3)
    table, labels = blobs(rng, 37, 5)
    fitted = AttentionClustering(NETWORK).fit(table[labels < 2])
    new = table[labels >= 1]
    found = fitted.predict(new)
    assert fitted.n_clusters_ == 2
    is_old = labels[labels >= 1] == 1
    assert set(found[is_old]) == {fitted.labels_[labels[labels < 2] == 1][0]}
    np.testing.assert_array_equal(found[~is_old], 2 + canonical_labels(labels[labels >= 2]))


def test_a_class_never_seen_opens_a_new_cluster_on_circles_too():
    (points,) = circles(n_points=150, n_circles=4, seed=11)
    is_old = points.labels < 3
    fitted = AttentionClustering("circles").fit(points.items[is_old])
    found = fitted.predict(points.items[~is_old])
    assert (found >= fitted.n_clusters_).mean() > 0.7


def test_points_held_out_join_the_circles_of_the_others():
    (points,) = circles(n_points=200, n_circles=3, seed=4)
    held = np.arange(200) % 4 == 0
    fitted = AttentionClustering("circles").fit(points.items[~held])
    found = fitted.predict(points.items[held])
    majority = {
        label: np.bincount(fitted.labels_[points.labels[~held] == label]).argmax() for label in range(3)
    }
    assert np.mean([majority[label] == each for label, each in zip(points.labels[held], found)]) > 0.8


def test_the_answer_is_the_best_partition_that_keeps_the_old_clusters():
    old, new = noise(1, 11), noise(2, 7)
    fitted = AttentionClustering(UNSURE).fit(old)
    joint = JointSet.of(SetClusterer(UNSURE), old, fitted.labels_, new)
    must_link, cannot_link = links_of(fitted.labels_)
    labels = cluster_kernel(joint.kernel, must_link=must_link, cannot_link=cannot_link)
    np.testing.assert_array_equal(labels[:11], fitted.labels_)
    np.testing.assert_array_equal(fitted.predict(new), labels[11:])


def test_a_fixed_number_of_clusters_opens_none_and_a_range_only_up_to_its_end():
    table, labels = blobs(np.random.default_rng(0), 43, 5)
    old, new = table[labels < 2], table[labels >= 2]
    for n_clusters, most in ((2, 2), ((2, 3), 3), (None, 5)):
        fitted = AttentionClustering(NETWORK, n_clusters=n_clusters).fit(old)
        assert fitted.n_clusters_ == 2
        assert len({*fitted.labels_, *fitted.predict(new)}) == most


@pytest.mark.parametrize("method", ["expected-rand", "log-odds", "spectral", "agglomerative", "hdbscan"])
def test_new_items_are_placed_whatever_method_clustered_the_old(method):
    table, _ = blobs(np.random.default_rng(0), 43, 3)
    fitted = AttentionClustering(NETWORK, method=method, n_clusters=None if method == "hdbscan" else 3)
    fitted.fit(table)
    np.testing.assert_array_equal(fitted.predict(table + 1e-9), fitted.labels_)
    kernel = fitted.extend(table[:2] + 1e-9).kernel_
    assert kernel.shape == (45, 45)


def test_extending_goes_on_and_on_with_stable_ids():
    table, labels = blobs(np.random.default_rng(0), 43, 5)
    order = np.argsort(labels, kind="stable")
    fitted = AttentionClustering(NETWORK).fit(table[order[:20]])
    for start in range(20, 43, 5):
        before = fitted.labels_.copy()
        fitted.extend(table[order[start : start + 5]])
        np.testing.assert_array_equal(fitted.labels_[: len(before)], before)
    np.testing.assert_array_equal(fitted.labels_, canonical_labels(labels[order]))
    assert fitted.n_clusters_ == fitted.partition_.n_clusters == 5
    assert fitted.confidence_.shape == (43,)
    assert len(fitted.partition_.n_clusters_samples) > 0


def test_images_join_and_open_clusters_too(image_network):
    shapes = strokes(np.random.default_rng(4), 3)
    fitted = AttentionClustering(image_network).fit(shapes[[0, 1, 0, 1]])
    assert fitted.predict(shapes[[1, 2, 0, 2]]).tolist() == [1, 2, 0, 2]


def test_missing_values_and_both_zeros_are_equal_to_themselves():
    old = np.array([[0.0, np.nan], [1.0, 2.0]])
    new = np.array([[-0.0, -np.nan], [1.0, 2.0], [1.0, 2.5]])
    np.testing.assert_array_equal(find_twins(old, new), [0, 1, -1])


def test_memberships_are_means_of_log_odds_without_the_item_itself():
    rng = np.random.default_rng(0)
    labels = np.array([0, 1, 0, 2, 1, 0, 0])
    kernel = rng.uniform(0.01, 0.99, size=(7, 7))
    kernel = (kernel + kernel.T) / 2
    found = memberships(kernel, labels, np.arange(7))
    for item in range(7):
        for cluster in range(3):
            others = [other for other in range(7) if labels[other] == cluster and other != item]
            log_odds = [np.log(kernel[item, other] / (1 - kernel[item, other])) for other in others]
            expected = 1 / (1 + np.exp(-np.mean(log_odds))) if others else 1.0
            assert found[item, cluster] == pytest.approx(expected)


def test_items_are_drawn_most_to_the_cluster_that_they_join():
    table, labels = blobs(np.random.default_rng(0), 43, 3)
    fitted = AttentionClustering(NETWORK).fit(table[:30])
    np.testing.assert_array_equal(fitted.transform(table).argmax(axis=1), labels)


def test_before_fit_there_is_nothing_to_join():
    for method in ("predict", "transform", "extend"):
        with pytest.raises(NotFittedError):
            getattr(AttentionClustering(NETWORK), method)(np.eye(3))


def test_a_table_of_another_width_is_refused():
    fitted = AttentionClustering(NETWORK).fit(np.eye(3))
    with pytest.raises(ValueError, match="X has 2 features, but AttentionClustering is expecting 3"):
        fitted.predict(np.eye(2))
    with pytest.raises(InvalidInputError, match="Got images"):
        fitted.predict(np.zeros((2, 28, 28)))


def test_a_random_state_that_is_handed_in_is_not_moved_by_predicting():
    state = np.random.RandomState(3)
    fitted = AttentionClustering(NETWORK, random_state=state).fit(np.eye(3))
    before = state.get_state()[1].copy()
    fitted.predict(np.ones((2, 3)))
    np.testing.assert_array_equal(state.get_state()[1], before)


def test_what_the_caller_does_to_the_array_afterwards_does_not_matter():
    table, _ = blobs(np.random.default_rng(0), 13, 3)
    fitted = AttentionClustering(NETWORK).fit(table)
    kept, table[:] = table.copy(), 0.0
    np.testing.assert_array_equal(fitted.predict(kept), fitted.labels_)
