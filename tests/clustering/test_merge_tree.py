"""The merge tree holds every resolution and passes through the partition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import squareform

from abclust.clustering.backends import partition_kernel
from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.log_odds.objective import objective
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import merge_tree
from abclust.foundations.errors import InvalidInputError


@settings(max_examples=11)
@given(seed=st.integers(0, 999))
def test_the_tree_passes_through_the_partition(noise_kernel, seed):
    partition = partition_kernel(noise_kernel(seed, 13), n_samples=0)
    assert (partition.merge_tree.cut(partition.n_clusters) == partition.labels).all()


@settings(max_examples=11)
@given(seed=st.integers(0, 999))
def test_levels_are_nested_and_have_the_number_asked_for(noise_kernel, seed):
    tree = partition_kernel(noise_kernel(seed, 11), n_samples=0).merge_tree
    finer = tree.cut(11)
    assert finer.tolist() == list(range(11))
    for n_clusters in range(10, 0, -1):
        coarser = tree.cut(n_clusters)
        assert len(np.unique(coarser)) == n_clusters
        assert len(np.unique(np.stack([finer, coarser]), axis=1).T) == n_clusters + 1
        finer = coarser


def test_scipy_accepts_the_tree_and_cuts_it_alike(noise_kernel):
    weights = log_odds(noise_kernel(3, 23))
    tree = merge_tree(weights)
    assert is_valid_linkage(tree.linkage)
    expected = linkage(squareform(weights.max() - weights, checks=False), method="average")
    np.testing.assert_allclose(tree.linkage, expected)
    cut = fcluster(expected, weights.max() - 1e-12, criterion="distance")
    assert (tree.cut_at(0.0) == canonical_labels(cut.astype(np.int64))).all()
    through = merge_tree(weights, through=canonical_labels(np.arange(23) % 5))
    assert is_valid_linkage(through.linkage)
    assert (np.diff(through.linkage[:, 2]) >= 0).all()


@given(seed=st.integers(0, 999), n_clusters=st.integers(1, 11))
def test_gains_of_unions_add_up_to_the_objective(noise_kernel, seed, n_clusters):
    weights = log_odds(noise_kernel(seed, 11))
    labels = canonical_labels(np.random.default_rng(seed).integers(4, size=11))
    tree = merge_tree(weights, through=labels)
    assert tree.union_gains[: 11 - n_clusters].sum() == pytest.approx(
        objective(weights, tree.cut(n_clusters))
    )


def test_mean_log_odds_equal_plain_means(noise_kernel):
    weights = log_odds(noise_kernel(2, 7))
    tree = merge_tree(weights, through=np.array([0, 1, 0, 2, 1, 0, 2]))
    members = {item: [item] for item in range(7)}
    for row, (first, second, _, size) in enumerate(tree.linkage):
        pairs = np.ix_(members[int(first)], members[int(second)])
        assert tree.mean_log_odds[row] == pytest.approx(weights[pairs].mean())
        members[7 + row] = members[int(first)] + members[int(second)]
        assert len(members[7 + row]) == size


def test_one_item_has_an_empty_tree():
    tree = merge_tree(np.zeros((1, 1)))
    assert tree.linkage.shape == (0, 4)
    assert tree.cut(1).tolist() == [0]


def test_a_level_that_does_not_exist_is_refused(noise_kernel):
    tree = merge_tree(log_odds(noise_kernel(0, 5)))
    for n_clusters in (0, 6):
        with pytest.raises(InvalidInputError, match="from 1 to 5"):
            tree.cut(n_clusters)
