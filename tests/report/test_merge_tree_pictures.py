"""The merge tree on the page: drawn whole, cut where it was cut, and what other cuts would give."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.clustered_samples import clustered, labels_of_sizes

from abclust.clustering.canonical_labels import canonical_labels
from abclust.evaluation.scores import score_partition
from abclust.report import ReportLimits, dendrogram
from abclust.report.cluster_order import cluster_order
from abclust.report.other_cuts import other_cuts
from abclust.report.tree_nodes import items_below, leaves_below, node_size

partitions = st.builds(
    lambda labels, seed: clustered(canonical_labels(np.array(labels)), seed=seed).partition,
    st.lists(st.integers(0, 4), min_size=2, max_size=23),
    st.integers(0, 99),
)


def drawn(partition, **limits):
    order = cluster_order(partition.labels, partition.confidence)
    return dendrogram.dendrogram(partition, order, ReportLimits(**limits))


def corners(branch):
    """Left x, left y, top, right x, right y of a union."""
    return [float(number) for number in re.fullmatch(r"M(\S+) (\S+)V(\S+)H(\S+)V(\S+)", branch.path).groups()]


@given(partitions, st.data())
def test_the_groups_of_a_level_are_those_of_the_cut(partition, data):
    tree = partition.merge_tree
    n_groups = data.draw(st.integers(1, tree.n_items))
    leaves = leaves_below(tree, 2 * tree.n_items - 2, n_groups)
    labels = np.full(tree.n_items, -1)
    for number, leaf in enumerate(leaves):
        labels[items_below(tree, leaf)] = number
    np.testing.assert_array_equal(canonical_labels(labels), tree.cut(n_groups))
    assert sum(node_size(tree, leaf) for leaf in leaves) == tree.n_items


@given(partitions)
def test_each_union_is_inside_one_cluster_below_the_cut_or_above_all(partition):
    picture = drawn(partition)
    unions = [branch for branch in picture.branches if "H" in branch.path]
    assert len(unions) == len(partition.labels) - 1
    assert sum(branch.cluster is None for branch in unions) == partition.n_clusters - 1
    for branch in unions:
        left, left_y, top, right, right_y = corners(branch)
        assert left < right
        assert top <= min(left_y, right_y)
        if branch.cluster is None:
            assert top <= picture.cut_y + 0.1
        else:
            assert top >= picture.cut_y - 0.1


@given(partitions)
def test_every_cluster_has_its_number_at_its_own_foot(partition):
    picture = drawn(partition)
    assert sorted(foot.cluster.label for foot in picture.feet) == list(range(partition.n_clusters))
    strokes = [branch for branch in picture.branches if "H" not in branch.path]
    assert len(strokes) == len(partition.labels)
    for foot in picture.feet:
        own = [float(branch.path[1:].split()[0]) for branch in strokes if branch.cluster == foot.cluster]
        others = [float(branch.path[1:].split()[0]) for branch in strokes if branch.cluster != foot.cluster]
        assert len(own) == foot.cluster.size
        assert not [x for x in others if min(own) <= x <= max(own)]  # a cluster's leaves stand together


def test_a_large_tree_is_drawn_from_its_groups_upwards():
    picture = drawn(clustered(labels_of_sizes(53, 29, 1)).partition, tree_leaves=11)
    groups = [branch for branch in picture.branches if branch.is_group]
    unions = [branch for branch in picture.branches if "H" in branch.path]
    singles = [branch for branch in picture.branches if branch.note == "1 item"]
    assert (picture.n_leaves, len(unions), len(groups) + len(singles)) == (11, 10, 11)
    assert sum(int(branch.note.split()[0]) for branch in groups + singles) == 83


def test_with_more_clusters_than_can_be_drawn_the_cut_is_below_the_picture():
    picture = drawn(clustered(np.arange(31)).partition, tree_leaves=7)
    assert picture.n_leaves == 14
    assert picture.cut_y is None
    assert picture.feet == ()


def test_a_chain_of_a_thousand_unions_is_no_recursion():
    partition = clustered(labels_of_sizes(1201), noise=0.0).partition
    assert len(drawn(partition, tree_leaves=1201).branches) == 2401


def test_one_item_has_no_tree():
    assert drawn(clustered([0]).partition) is None


@given(partitions)
def test_cuts_around_the_choice_tell_step_by_step_what_changes(partition):
    truth = np.arange(len(partition.labels)) % 3
    cuts = other_cuts(partition, 2, truth)
    n_items, chosen = len(partition.labels), partition.n_clusters
    assert [cut.n_clusters for cut in cuts] == list(range(max(1, chosen - 2), min(n_items, chosen + 2) + 1))
    for cut in cuts:
        labels = partition.merge_tree.cut(cut.n_clusters)
        assert cut.scores == score_partition(truth, labels)
        assert cut.share == pytest.approx(np.mean(partition.n_clusters_samples == cut.n_clusters))
        if cut.n_clusters < chosen:
            joined = sorted(map(int, re.findall(r"\d+", cut.change)))
            together = {int(labels[np.flatnonzero(partition.labels == label)[0]]) for label in joined}
            assert cut.change.startswith("joins cluster")
            assert len(together) == 1
        elif cut.n_clusters > chosen:
            sizes = [int(size) for size in re.search(r"into (\d+) \+ (\d+) items$", cut.change).groups()]
            new = np.bincount(labels)
            assert cut.change.startswith("splits")
            assert all(size in new for size in sizes)
        else:
            assert cut.change == "chosen"
            assert cut.is_chosen


def test_without_samples_and_truth_a_cut_has_neither_share_nor_scores():
    (first, *_) = other_cuts(clustered(labels_of_sizes(3, 2), samples=()).partition, 1)
    assert first.share is None
    assert first.scores is None
