"""The kernel figure: ordered by cluster, framed, with the truth beside it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.figures.kernel_figures import draw_kernel, order_by_cluster
from abclust.figures.style import render
from abclust.foundations.errors import InvalidInputError

LABELS = np.array([2, 0, 0, 1, 0, 2, 0])
KERNEL = (LABELS[:, None] == LABELS[None, :]).astype(float)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=29))
def test_order_is_a_permutation_that_keeps_clusters_together_large_ones_first(labels):
    labels = np.array(labels)
    order = order_by_cluster(labels)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(labels)))
    ordered = labels[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    assert len(starts) == len(np.unique(labels))
    sizes = np.diff(np.append(starts, len(labels)))
    assert np.all(sizes[1:] <= sizes[:-1])


def test_inside_a_cluster_items_of_one_true_cluster_stand_together():
    order = order_by_cluster(np.zeros(5, dtype=int), np.array([7, 8, 7, 8, 7]))
    np.testing.assert_array_equal(order, [0, 2, 4, 1, 3])


def test_the_picture_is_the_reordered_kernel_with_a_frame_for_each_cluster():
    axes = draw_kernel(KERNEL, LABELS, title="kernel").axes[0]
    expected = np.zeros((7, 7))
    expected[:4, :4] = expected[4:6, 4:6] = expected[6:, 6:] = 1
    np.testing.assert_array_equal(axes.images[0].get_array(), expected)
    assert [line.get_xdata()[:2].tolist() for line in axes.lines] == [[-0.5, 3.5], [3.5, 5.5], [5.5, 6.5]]
    assert axes.get_xlabel() == "7 items in 3 clusters"


def test_the_strip_shows_one_colour_for_each_true_cluster():
    true_labels = np.array([0, 1, 1, 2, 1, 0, 0])
    axes = draw_kernel(KERNEL, LABELS, true_labels).axes[0]
    (strip,) = axes.child_axes
    colours = np.asarray(strip.images[0].get_array())[:, 0]
    ordered = true_labels[order_by_cluster(LABELS, true_labels)]
    for first in range(7):
        for second in range(7):
            assert np.array_equal(colours[first], colours[second]) == (ordered[first] == ordered[second])


def test_without_the_truth_there_is_no_strip():
    assert draw_kernel(KERNEL, LABELS).axes[0].child_axes == []


@pytest.mark.parametrize("n_items", [1, 2, 53])
def test_sets_of_any_size_render(n_items):
    figure = draw_kernel(np.ones((n_items, n_items)), np.arange(n_items), np.arange(n_items))
    assert render(figure).startswith(b"\x89PNG")


def test_one_item_is_spoken_of_in_the_singular():
    assert draw_kernel(np.ones((1, 1)), np.zeros(1, dtype=int)).axes[0].get_xlabel() == "1 item in 1 cluster"


@pytest.mark.parametrize("kernel", [np.zeros((0, 0)), np.full((2, 2), 1.5), np.full((2, 2), np.nan)])
def test_what_is_no_kernel_is_refused(kernel):
    with pytest.raises(InvalidInputError, match="kernel must hold probabilities"):
        draw_kernel(kernel, np.zeros(len(kernel), dtype=int))
