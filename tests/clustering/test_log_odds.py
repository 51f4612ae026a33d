"""The best partition by log-odds: equal to brute force, locally optimal, within bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.checks import Bounds
from abclust.clustering.log_odds.contraction import contract_greedily
from abclust.clustering.log_odds.kernighan_lin import refine_splits
from abclust.clustering.log_odds.objective import objective
from abclust.clustering.log_odds.solve import best_partitions, linkage_start
from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND, WeightBatch, log_odds, weight_batches


def _share_of_optima(kernels, labels, partitions, n_clusters=None):
    n_best = 0
    for kernel, found in zip(kernels, labels):
        weights = log_odds(kernel)
        rows = partitions[len(kernel)]
        if n_clusters is not None:
            rows = rows[rows.max(axis=1) + 1 == n_clusters]
        best = ((rows[:, :, None] == rows[:, None, :]) * weights).sum(axis=(1, 2)).max() / 2
        n_best += objective(weights, found) == pytest.approx(best, abs=1e-9)
    return n_best / len(kernels)


@pytest.fixture(scope="module")
def small_kernels(noise_kernel, planted_kernel):
    """100 of pure noise and 100 with a plan, of 3 to 8 items."""
    noise = [noise_kernel(seed, 3 + seed % 6) for seed in range(100)]
    planted = [planted_kernel(seed, 3 + seed % 6, 2, signal=1.0, noise=2.0)[1] for seed in range(100)]
    return noise + planted


@pytest.fixture(scope="module")
def partitions_by_size(set_partitions):
    return {n_items: set_partitions(n_items) for n_items in range(3, 9)}


def test_the_partition_equals_brute_force_on_95_in_100_small_kernels(small_kernels, partitions_by_size):
    assert _share_of_optima(small_kernels, cluster_kernel(small_kernels), partitions_by_size) >= 0.95


def test_the_partition_equals_brute_force_on_noise_of_eight_items(noise_kernel, partitions_by_size):
    kernels = [noise_kernel(seed, 8) for seed in range(1000, 1097)]
    assert _share_of_optima(kernels, cluster_kernel(kernels), partitions_by_size) >= 0.95


def test_a_given_number_of_clusters_equals_brute_force_too(small_kernels, partitions_by_size):
    assert _share_of_optima(small_kernels, cluster_kernel(small_kernels, 3), partitions_by_size, 3) >= 0.95


@pytest.mark.parametrize("kind", ["noise", "planted"])
def test_no_move_no_union_and_no_split_off_improves_the_result(noise_kernel, planted_kernel, kind):
    for seed in range(3):
        kernel = noise_kernel(seed, 41) if kind == "noise" else planted_kernel(seed, 41, 5)[1]
        weights, labels = log_odds(kernel), cluster_kernel(kernel)
        reached = objective(weights, labels) + 1e-8
        n_clusters = labels.max() + 1
        for item in range(41):
            for target in range(n_clusters + 1):
                moved = labels.copy()
                moved[item] = target
                assert objective(weights, moved) <= reached
        for first in range(n_clusters):
            for second in range(first):
                assert objective(weights, np.where(labels == first, second, labels)) <= reached


@given(seed=st.integers(0, 999), lower=st.integers(1, 13), more=st.integers(0, 12))
def test_a_range_is_honoured_exactly(noise_kernel, seed, lower, more):
    upper = min(lower + more, 13)
    labels = cluster_kernel(noise_kernel(seed, 13), (lower, upper))
    assert lower <= len(np.unique(labels)) <= upper


@pytest.mark.parametrize("n_clusters", [1, 2, 17, 36, 37])
def test_a_number_is_honoured_exactly(noise_kernel, planted_kernel, n_clusters):
    for kernel in (noise_kernel(0, 37), planted_kernel(1, 37, 5)[1], np.ones((37, 37)), np.zeros((37, 37))):
        labels = cluster_kernel(kernel, n_clusters)
        assert len(np.unique(labels)) == n_clusters


def test_a_range_that_holds_the_free_optimum_changes_nothing(planted_kernel):
    _, kernel = planted_kernel(3, 41, 5, signal=3.0, noise=1.0)
    assert (cluster_kernel(kernel, (2, 30)) == cluster_kernel(kernel)).all()


@settings(max_examples=11)
@given(seed=st.integers(0, 999), order_seed=st.integers(0, 99))
def test_the_partition_does_not_depend_on_the_order_of_items(planted_kernel, seed, order_seed):
    _, kernel = planted_kernel(seed, 19, 3)
    order = np.random.default_rng(order_seed).permutation(19)
    shuffled = cluster_kernel(kernel[np.ix_(order, order)])
    assert (shuffled == canonical_labels(cluster_kernel(kernel)[order])).all()


def test_many_kernels_in_one_call_equal_one_by_one(noise_kernel, planted_kernel):
    kernels = [planted_kernel(seed, 5 + 7 * seed, 2 + seed)[1] for seed in range(8)]
    kernels += [noise_kernel(seed, 2 + 5 * seed) for seed in range(8)]
    together = cluster_kernel(kernels)
    for kernel, labels in zip(kernels, together):
        assert (cluster_kernel(kernel) == labels).all()


def test_results_repeat(noise_kernel):
    assert (cluster_kernel(noise_kernel(0, 53)) == cluster_kernel(noise_kernel(0, 53))).all()


def test_one_cluster_and_singletons_come_for_free():
    assert set(cluster_kernel(np.full((7, 7), 0.6)).tolist()) == {0}
    assert cluster_kernel(np.full((7, 7), 0.4)).tolist() == list(range(7))
    assert cluster_kernel(np.array([[1.0]])).tolist() == [0]
    assert cluster_kernel(np.array([[0.0]])).tolist() == [0]


def test_probabilities_of_exactly_0_and_1_are_legal(block_kernel):
    assert cluster_kernel(block_kernel(3, 1, 2)).tolist() == [0, 0, 0, 1, 2, 2]
    weights = log_odds(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert weights.tolist() == [[0.0, LOG_ODDS_BOUND], [LOG_ODDS_BOUND, 0.0]]


def test_the_diagonal_is_ignored(planted_kernel):
    _, kernel = planted_kernel(0, 23, 4)
    other = kernel.copy()
    np.fill_diagonal(other, 0.01)
    assert (cluster_kernel(kernel) == cluster_kernel(other)).all()


@given(seed=st.integers(0, 999))
def test_the_objective_equals_a_double_loop(noise_kernel, seed):
    weights = log_odds(noise_kernel(seed, 7))
    labels = np.random.default_rng(seed).integers(3, size=7)
    expected = sum(weights[i, j] for i in range(7) for j in range(i) if labels[i] == labels[j])
    assert objective(weights, labels) == pytest.approx(expected)


def _contract_by_loop(weights):
    """Greedy additive edge contraction as it is written in a book."""
    clusters = [[item] for item in range(len(weights))]
    while len(clusters) > 1:
        gain, first, second = max(
            (weights[np.ix_(clusters[i], clusters[j])].sum(), i, j)
            for i in range(len(clusters))
            for j in range(i)
        )
        if gain <= 0:
            break
        clusters[second] += clusters.pop(first)
    labels = np.empty(len(weights), dtype=int)
    for number, items in enumerate(clusters):
        labels[items] = number
    return canonical_labels(labels)


def test_greedy_contraction_equals_a_plain_loop(noise_kernel):
    weights = [log_odds(noise_kernel(seed, 5 + 3 * seed)) for seed in range(7)]
    for positions, batch in weight_batches(weights):
        labels = contract_greedily(batch, np.ones(len(positions), dtype=int), batch.n_items)
        for row, position in enumerate(positions):
            found = canonical_labels(labels[row, : batch.n_items[row]])
            assert (found == _contract_by_loop(weights[position])).all()
            assert (labels[row, batch.n_items[row] :] == -1).all()


def test_both_greedy_starts_keep_to_the_bounds(noise_kernel):
    batch = WeightBatch(log_odds(np.stack([noise_kernel(seed, 11) for seed in range(5)])), np.full(5, 11))
    lower, upper = np.array([1, 2, 5, 11, 3]), np.array([1, 3, 5, 11, 4])
    for start in (contract_greedily, linkage_start):
        n_clusters = np.array([len(np.unique(row)) for row in start(batch, lower, upper)])
        assert ((lower <= n_clusters) & (n_clusters <= upper)).all()


@given(seed=st.integers(0, 999))
def test_a_refined_split_gains_what_it_says_and_has_two_sides(noise_kernel, seed):
    weights = log_odds(noise_kernel(seed, 7))
    padded = np.zeros((1, 9, 9))
    padded[0, :7, :7] = weights
    start = np.array([[1, 1, 1, 1, 1, 1, 1, 0, 0]])
    sides, gains = refine_splits(padded, start)
    assert set(sides[0, :7].tolist()) == {1, -1}
    assert (sides[0, 7:] == 0).all()
    cut = weights[np.ix_(sides[0, :7] == 1, sides[0, :7] == -1)].sum()
    assert gains[0] == pytest.approx(-cut)


def test_large_sets_use_lanczos_and_find_the_plan(planted_kernel):
    labels, kernel = planted_kernel(0, 1201, 3, signal=1.0, noise=2.0)
    assert (cluster_kernel(kernel) == canonical_labels(labels)).all()
    # One cluster made of two: only a split can find it, and its matrix is large.
    start = best_partitions([log_odds(kernel)], [Bounds(1, 1)])[0]
    assert start.max() == 0
