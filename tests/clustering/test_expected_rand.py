"""The level of the tree that the kernel expects to score best, by the adjusted Rand score."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import adjusted_rand_score

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.expected_rand import expected_rand_scores, union_sums
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import MergeTree, merge_tree
from abclust.foundations.errors import InvalidInputError


def tree_of(kernel: np.ndarray) -> MergeTree:
    return merge_tree(log_odds(kernel))


def test_with_certain_pairs_it_is_the_adjusted_rand_score(planted_kernel):
    labels, kernel = planted_kernel(5, 23, 4)
    tree = replace(tree_of(kernel), mean_log_odds=np.full(22, -np.inf))  # it cannot be one cluster
    certain = (labels[:, None] == labels).astype(float)
    scores = expected_rand_scores(tree, certain)

    for n_unions in range(1, 22):
        assert scores[n_unions] == pytest.approx(adjusted_rand_score(labels, tree.cut(23 - n_unions)))


@pytest.mark.parametrize("one", [0.06, 0.3, 0.45])
@pytest.mark.parametrize("sure", [0.1, 0.5, 1.0])
def test_one_cluster_is_weighed_against_the_best_of_what_else_it_may_be(one, sure):
    """With probability `one` all are together, otherwise two clusters, whose pairs are so sure."""
    labels = np.repeat([0, 1], [7, 4])
    otherwise = np.where(labels[:, None] == labels, sure, 0.0)
    kernel = one + (1 - one) * otherwise

    # Of 55 pairs 27 stand together in the two clusters; all counts are expectations.
    chance = 27 * 27 * sure / 55
    best = (27 * sure - chance) / ((27 + 27 * sure) / 2 - chance)
    expected = 1 if one >= (1 - one) * best else 2
    assert cluster_kernel(kernel, method="expected-rand").max() + 1 == expected


def test_one_cluster_is_taken_below_even_odds_where_nothing_better_is_in_sight():
    labels = np.repeat([0, 1], [13, 10])
    faint = np.where(labels[:, None] == labels, 0.5, 0.4)
    clear = np.where(labels[:, None] == labels, 0.9, 0.4)
    assert cluster_kernel(faint, method="expected-rand").max() == 0
    assert cluster_kernel(clear, method="expected-rand").tolist() == labels.tolist()


def test_sums_of_unions_are_sums_of_blocks(noise_kernel):
    kernel = noise_kernel(2, 29)
    tree = tree_of(kernel)
    sums = union_sums(tree, kernel)

    before = tree.cut(29)
    for n_unions, found in enumerate(sums, start=1):
        after = tree.cut(29 - n_unions)
        is_joined = (after[:, None] == after) & (before[:, None] != before)
        assert found == pytest.approx(kernel[is_joined].sum() / 2)
        before = after


def test_the_score_does_not_depend_on_the_diagonal_or_the_order(noise_kernel):
    kernel = noise_kernel(3, 17)
    other = kernel.copy()
    np.fill_diagonal(other, 0.3)
    order = np.random.default_rng(0).permutation(17)

    scores = expected_rand_scores(tree_of(kernel), kernel)
    np.testing.assert_allclose(expected_rand_scores(tree_of(other), other), scores)
    moved = kernel[np.ix_(order, order)]
    np.testing.assert_allclose(expected_rand_scores(tree_of(moved), moved), scores)


def test_doubt_about_every_pair_does_not_break_a_set_into_pieces():
    labels = np.repeat([0, 1, 2], [11, 7, 5])
    kernel = np.where(labels[:, None] == labels, 0.45, 0.1)

    assert cluster_kernel(kernel, method="expected-rand").tolist() == labels.tolist()
    assert cluster_kernel(kernel, method="log-odds").max() + 1 == 23


@pytest.mark.parametrize("together", [0.6, 0.99])
def test_pairs_that_are_all_likely_are_one_cluster(together):
    rng = np.random.default_rng(1)
    noise = np.triu(rng.uniform(-0.05, 0.0, (31, 31)), 1)
    assert cluster_kernel(together + noise + noise.T, method="expected-rand").max() == 0


def test_pairs_that_are_all_unlikely_are_single_items():
    noise = np.triu(np.random.default_rng(1).uniform(0.0, 0.004, (13, 13)), 1)
    assert cluster_kernel(noise + noise.T, method="expected-rand").max() == 12


def test_a_level_that_breaks_no_constraint_is_taken():
    labels = np.repeat([0, 1, 2], [7, 5, 3])
    kernel = np.where(labels[:, None] == labels, 0.9, 0.05)
    found = cluster_kernel(kernel, method="expected-rand", must_link=[(0, 14)], cannot_link=[(7, 8)])

    assert found[0] == found[14]
    assert found[7] != found[8]
    assert (found[:7] == found[0]).all()


def test_lower_odds_of_one_cluster_cut_what_would_be_one():
    labels = np.repeat([0, 1], 17)
    kernel = np.where(labels[:, None] == labels, 0.6, 0.4)
    found = [cluster_kernel(kernel, method="expected-rand", one_cluster_odds=odds) for odds in (1.0, 0.3)]
    assert found[0].max() == 0
    assert found[1].tolist() == labels.tolist()


def test_many_kernels_have_odds_of_their_own_or_the_same():
    kernel = np.where(np.eye(2, dtype=bool).repeat(17, 0).repeat(17, 1), 0.6, 0.4)
    many = [kernel] * 3
    found = cluster_kernel(many, method="expected-rand", one_cluster_odds=[1.0, 0.3, 1.0])
    assert [labels.max() + 1 for labels in found] == [1, 2, 1]
    found = cluster_kernel(many, method="expected-rand", one_cluster_odds=0.3)
    assert [labels.max() + 1 for labels in found] == [2, 2, 2]


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf"), "few", [1.0, 2.0]])
def test_odds_that_are_no_positive_number_are_refused(wrong):
    with pytest.raises(InvalidInputError, match="one_cluster_odds must be a positive number"):
        cluster_kernel(np.eye(3), method="expected-rand", one_cluster_odds=wrong)
    with pytest.raises(InvalidInputError, match="one_cluster_odds must be"):
        cluster_kernel([np.eye(3)] * 3, method="expected-rand", one_cluster_odds=wrong)


@given(odds=st.floats(0.01, 100.0), seed=st.integers(0, 1000))
def test_pairs_of_other_odds_are_a_mixture_of_one_cluster_and_the_same_rest(odds, seed, noise_kernel):
    """With odds of 1 on the kernel that other odds make, every level has the same score."""
    kernel = np.clip(noise_kernel(seed, 13), 0.05, 0.95)
    tree = tree_of(kernel)
    one = expit(tree.mean_log_odds.min())
    other = one * odds / (1 - one + one * odds)
    rest = np.maximum(kernel - one, 0) / (1 - one)
    scores = expected_rand_scores(tree, kernel, odds)
    same = expected_rand_scores(tree, other + (1 - other) * rest)
    np.testing.assert_allclose(scores[:-1], same[:-1], atol=1e-12)
