"""The picture of a fitted set: tree and kernel in one order, the choice of k beside them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection

from abclust.clustering.merge_tree import merge_tree
from abclust.figures.fitted_figures import draw_fitted_set, leaf_order
from abclust.figures.style import render
from abclust.foundations.errors import InvalidInputError

LABELS = np.array([0, 1, 0, 0, 1, 2, 0])
WEIGHTS = np.where(LABELS[:, None] == LABELS, 2.0, -3.0) * (1 - np.eye(7))
KERNEL = 1 / (1 + np.exp(-WEIGHTS))
TREE = merge_tree(WEIGHTS, through=LABELS)
SAMPLES = np.array([3, 3, 4, 3, 2])


def draw(**changed):
    arguments = {
        "kernel": KERNEL,
        "labels": LABELS,
        "linkage": TREE.linkage,
        "mean_log_odds": TREE.mean_log_odds,
        "n_clusters_samples": SAMPLES,
    }
    return draw_fitted_set(**{**arguments, **changed})


def panels(figure):
    return {axes.get_title(loc="left"): axes for axes in figure.axes}


def random_tree(n_items, seed):
    weights = np.random.default_rng(seed).normal(size=(n_items, n_items))
    weights = (weights + weights.T) * (1 - np.eye(n_items))
    return merge_tree(weights)


@given(n_items=st.integers(1, 31), seed=st.integers(0, 1000))
def test_no_branch_crosses_another_in_the_order_of_leaves(n_items, seed):
    tree = random_tree(n_items, seed)
    order = leaf_order(tree.linkage)
    np.testing.assert_array_equal(np.sort(order), np.arange(n_items))
    place = np.argsort(order)
    for n_clusters in range(1, n_items + 1):
        labels = tree.cut(n_clusters)
        for cluster in range(n_clusters):
            assert np.ptp(place[labels == cluster]) == (labels == cluster).sum() - 1


def test_larger_branches_come_first():
    np.testing.assert_array_equal(LABELS[leaf_order(TREE.linkage)], [0, 0, 0, 0, 1, 1, 2])


def test_the_kernel_is_drawn_in_the_order_of_the_leaves_with_a_frame_for_each_cluster():
    axes = panels(draw())["Kernel, ordered by cluster"]
    order = leaf_order(TREE.linkage)
    np.testing.assert_array_equal(axes.images[0].get_array(), KERNEL[np.ix_(order, order)])
    assert [patch.get_width() for patch in axes.patches] == [4, 2, 1]
    assert [text.get_text() for text in axes.texts] == ["0", "1", "2"]
    assert axes.get_xlabel() == "7 items in 3 clusters"


def test_every_union_is_a_bracket_at_its_mean_log_odds():
    axes = panels(draw())["Merge tree"]
    (lines,) = [artist for artist in axes.collections if isinstance(artist, LineCollection)]
    brackets = lines.get_segments()
    assert len(brackets) == 6
    np.testing.assert_allclose([bracket[1, 0] for bracket in brackets], TREE.mean_log_odds)


def test_brackets_reach_from_the_middle_of_one_branch_to_that_of_the_other():
    tree = random_tree(13, 5)
    figure = draw(
        kernel=np.eye(13), labels=tree.cut(3), linkage=tree.linkage, mean_log_odds=tree.mean_log_odds
    )
    place = np.argsort(leaf_order(tree.linkage))

    def middle(node):
        if node < 13:
            return place[node]
        return sum(middle(int(child)) for child in tree.linkage[node - 13, :2]) / 2

    (lines,) = panels(figure)["Merge tree"].collections
    ends = [(bracket[0, 1], bracket[-1, 1]) for bracket in lines.get_segments()]
    np.testing.assert_allclose(ends, [[middle(int(child)) for child in row[:2]] for row in tree.linkage])


def test_unions_that_were_made_and_not_made_are_told_apart():
    axes = panels(draw())["Why k = 3"]
    made, not_made = axes.containers
    assert (made.get_label(), not_made.get_label()) == ("made", "not made")
    np.testing.assert_allclose([bar.get_height() for bar in not_made], TREE.mean_log_odds[[5, 4]])
    assert all(bar.get_height() > 0 for bar in made)


def test_the_samples_of_k_are_shares():
    axes = panels(draw())["How sure k is"]
    np.testing.assert_allclose([bar.get_height() for bar in axes.patches], [0.2, 0.6, 0.2])


def test_without_samples_their_panel_is_left_out():
    assert "How sure k is" not in panels(draw(n_clusters_samples=np.array([], dtype=int)))


@pytest.mark.parametrize("n_samples", [0, 5])
def test_one_item_can_be_drawn(n_samples):
    samples = np.ones(n_samples, dtype=int)
    figure = draw_fitted_set(np.ones((1, 1)), np.zeros(1, dtype=int), np.empty((0, 4)), np.empty(0), samples)
    assert render(figure)[1:4] == b"PNG"
    assert panels(figure)["Kernel, ordered by cluster"].get_xlabel() == "1 item in 1 cluster"


def test_deep_trees_and_many_clusters_can_be_drawn():
    n_items = 1500
    children = np.column_stack([np.arange(1, n_items), np.append(0, n_items + np.arange(n_items - 2))])
    linkage = np.column_stack([children, np.arange(n_items - 1), np.arange(2, n_items + 1)]).astype(float)
    labels = np.maximum(np.arange(n_items) - 1400, 0)
    figure = draw_fitted_set(
        np.eye(n_items), labels, linkage, -np.arange(n_items - 1.0), np.array([101]), title="deep"
    )
    assert figure.get_suptitle() == "deep"


def test_a_tree_of_other_items_is_refused():
    with pytest.raises(InvalidInputError, match=r"7 items\. Got 7 and 5 rows"):
        draw(linkage=TREE.linkage[:-1], mean_log_odds=TREE.mean_log_odds[:-1])
