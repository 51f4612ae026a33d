"""The estimator: what it learns, what it takes, what it refuses."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits
from tests.estimator.handmade_networks import blobs, strokes

from abclust.datasets.circle_sets import circles
from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.estimator.parameter_checks import LARGEST_AUTO_SET, check_size
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.scores import ari
from abclust.figures.style import render
from abclust.foundations.errors import InvalidInputError


def test_what_fit_learns_is_the_clustered_set(circle_network):
    (points,) = circles(n_points=41, seed=2)
    fitted = AttentionClustering("circles", random_state=0).fit(points.items)
    expected = SetClusterer(circle_network, random_state=0).cluster(points.items)
    np.testing.assert_array_equal(fitted.labels_, expected.labels)
    np.testing.assert_array_equal(fitted.kernel_, expected.kernel)
    np.testing.assert_array_equal(fitted.confidence_, expected.partition.confidence)
    assert fitted.n_clusters_ == expected.n_clusters == len(np.unique(fitted.labels_))
    np.testing.assert_array_equal(fitted.partition_.n_clusters_samples, expected.partition.n_clusters_samples)
    assert fitted.network_.config == circle_network.config
    assert fitted.fit_predict(points.items) is fitted.labels_


def test_circles_are_found_though_their_number_is_unknown():
    sets = circles(11, n_points=100, seed=8)
    found = AttentionClustering("circles").fit_many(sets)
    assert np.mean([ari(each.labels, labels) for each, labels in zip(sets, found)]) > 0.75


@pytest.mark.parametrize("n_items", [1, 2])
def test_sets_of_one_and_two_items_are_clustered_predicted_and_drawn(n_items, table_network, image_network):
    images = strokes(np.random.default_rng(3), 3)
    for network, items in ((table_network, np.eye(3)), (image_network, images), ("circles", np.eye(3, 2))):
        fitted = AttentionClustering(network).fit(items[:n_items])
        assert fitted.labels_.tolist() in ([0], [0, 0], [0, 1])
        assert fitted.confidence_.shape == (n_items,)
        assert len(fitted.predict(items)) == 3
        assert fitted.transform(items).shape == (3, fitted.n_clusters_)
        assert render(fitted.plot())


def test_the_number_of_clusters_can_be_given_or_bounded(table_network):
    table, _ = blobs(np.random.default_rng(0), 29, 3)
    for n_clusters, expected in ((5, 5), (1, 1), ((4, 9), 4), ((1, 2), 2), (None, 3)):
        assert AttentionClustering(table_network, n_clusters=n_clusters).fit(table).n_clusters_ == expected


def test_constraints_belong_to_fit_and_are_honoured(table_network):
    table, labels = blobs(np.random.default_rng(0), 29, 3)
    fitted = AttentionClustering(table_network)
    apart = np.flatnonzero(labels == 0)[:2]
    found = fitted.fit_predict(table, must_link=[(0, 1)], cannot_link=[tuple(apart)])
    assert found[0] == found[1]
    assert found[apart[0]] != found[apart[1]]
    np.testing.assert_array_equal(fitted.fit_predict(table), labels)
    with pytest.raises(InvalidInputError, match="contradict"):
        fitted.fit(table, must_link=[(0, 1)], cannot_link=[(1, 0)])


def test_all_forms_of_images_give_the_same_clusters(image_network, tmp_path):
    images = strokes(np.random.default_rng(4), 3)[[0, 1, 2, 0, 1, 2, 0]]
    pictures = [Image.fromarray(image) for image in images]
    for place, picture in enumerate(pictures):
        picture.save(tmp_path / f"{place}.png")
    paths = sorted(tmp_path.glob("*.png"))
    for form in (images, images / 255, 255 - images, pictures, paths, pd.Series(map(str, paths))):
        fitted = AttentionClustering(image_network).fit(form)
        assert fitted.labels_.tolist() == [0, 1, 2, 0, 1, 2, 0]
        assert not hasattr(fitted, "n_features_in_")


def test_the_default_estimator_clusters_images_of_classes_never_seen():
    digits = load_digits()
    fitted = AttentionClustering().fit(digits.images[:70] / 16)
    assert ari(digits.target[:70], fitted.labels_) > 0.4
    assert "framing" in fitted.network_.metadata


def test_a_fit_to_images_forgets_the_columns_of_an_earlier_table(table_network, image_network):
    estimator = AttentionClustering(table_network).fit(np.eye(3))
    estimator.set_params(model=image_network).fit(strokes(np.random.default_rng(4), 3))
    assert not hasattr(estimator, "n_features_in_")
    with pytest.raises(InvalidInputError, match=r"images of 28 x 28 pixels\. Got a table"):
        estimator.predict(np.eye(3))


def test_many_sets_of_any_form_get_their_labels_in_order(table_network):
    sets = [blobs(np.random.default_rng(seed), 11 + seed % 3, 2 + seed % 3) for seed in range(13)]
    forms = [
        (table, LabelledSet(table, labels), UnlabelledSet(table), pd.DataFrame(table))[place % 4]
        for place, (table, labels) in enumerate(sets)
    ]
    estimator = AttentionClustering(table_network)
    for (_, labels), found in zip(sets, estimator.fit_many(forms)):
        np.testing.assert_array_equal(found, labels)
    assert not hasattr(estimator, "labels_")
    assert estimator.fit_many([]) == []


def test_many_sets_take_constraints_and_say_which_set_is_wrong(table_network):
    table, _ = blobs(np.random.default_rng(0), 11, 2)
    estimator = AttentionClustering(table_network)
    first, second = estimator.fit_many([table, table], [None, ([(0, 1)], None)])
    assert (first[0] == first[1], second[0] == second[1]) == (False, True)
    with pytest.raises(
        InvalidInputError, match=r"set 1 \(wrong\): .*at least one item|set 1 \(wrong\): .*infin"
    ):
        estimator.fit_many([table, UnlabelledSet(np.full((3, 2), np.inf), name="wrong")])


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("model", 3, "model must be 'auto'"),
        ("n_clusters", 0, "n_clusters must be None"),
        ("n_clusters", (5, 2), "n_clusters must be None"),
        ("n_clusters", "three", "n_clusters must be None"),
        ("n_clusters", 2.0, "n_clusters must be None"),
        ("n_clusters", True, "n_clusters must be None"),
        ("n_clusters", 29, "from 1 to the number of items"),
        ("method", "guess", "method must be one of"),
        ("method", object(), "method must be one of"),
        ("scale", "huge", "scale must be one of"),
        ("device", "abacus", "device must be one"),
        ("random_state", -1, "seed must be"),
    ],
)
def test_parameters_are_checked_when_fit_is_called_and_not_before(parameter, value, message):
    estimator = AttentionClustering(**{"model": "circles", parameter: value})
    with pytest.raises(InvalidInputError, match=message):
        estimator.fit(np.eye(5, 2))
    assert not hasattr(estimator, "labels_")


def test_a_scikit_learn_clusterer_may_be_the_method(table_network):
    table, labels = blobs(np.random.default_rng(0), 29, 3)
    method = SpectralClustering(n_clusters=3, affinity="precomputed", random_state=0)
    fitted = AttentionClustering(table_network, method=method).fit(table)
    np.testing.assert_array_equal(fitted.labels_, labels)
    np.testing.assert_array_equal(fitted.predict(table + 1e-9), labels)


def test_a_random_state_repeats_the_samples_and_never_changes_labels(table_network):
    table = np.random.default_rng(0).normal(size=(29, 3))
    states = [3, 3, np.random.RandomState(3), None]
    fits = [AttentionClustering(table_network, random_state=state).fit(table) for state in states]
    assert len({tuple(fitted.labels_) for fitted in fits}) == 1
    first, second = (fitted.partition_.n_clusters_samples for fitted in fits[:2])
    np.testing.assert_array_equal(first, second)


def test_sets_too_large_for_their_kernel_are_refused_unless_the_caller_insists():
    with pytest.raises(InvalidInputError, match=r"20,001, whose kernel alone would take 3\.2 GB"):
        check_size(LARGEST_AUTO_SET + 1, "auto")
    check_size(LARGEST_AUTO_SET + 1, "full")
    check_size(LARGEST_AUTO_SET, "auto")


def test_a_given_network_is_left_as_it_came(table_network):
    was = {name: tensor.clone() for name, tensor in table_network.state_dict().items()}
    AttentionClustering(table_network).fit(np.eye(5)).predict(np.ones((2, 5)))
    assert all(bool((tensor == was[name]).all()) for name, tensor in table_network.state_dict().items())


def test_the_picture_has_a_tree_a_kernel_and_the_choice_of_k(table_network):
    figure = (
        AttentionClustering(table_network, random_state=0)
        .fit(blobs(np.random.default_rng(0), 29, 3)[0])
        .plot()
    )
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:2] == ["Merge tree", "Kernel, ordered by cluster"]
    assert {"Why k = 3", "How sure k is"} <= set(titles)
