"""Confidence falls where an item sits between clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.log_odds.confidence import item_confidence
from abclust.clustering.log_odds.objective import objective
from abclust.clustering.log_odds.weights import log_odds


@given(seed=st.integers(0, 999))
def test_confidence_is_the_loss_of_the_next_best_move_a_pair(noise_kernel, seed):
    weights = log_odds(noise_kernel(seed, 7))
    labels = cluster_kernel(noise_kernel(seed, 7))
    confidence = item_confidence(weights, labels)
    stay = objective(weights, labels)
    for item in range(7):
        alternatives = []
        for target in range(labels.max() + 2):
            moved = labels.copy()
            moved[item] = target
            is_new_alone = target == labels.max() + 1 and (labels == labels[item]).sum() == 1
            if target != labels[item] and not is_new_alone:
                n_pairs = (labels == labels[item]).sum() - 1 + (labels == target).sum()
                alternatives.append((objective(weights, moved), n_pairs))
        best, n_pairs = max(alternatives)
        assert confidence[item] == pytest.approx(1 / (1 + np.exp(-(stay - best) / n_pairs)))


def test_an_item_between_two_clusters_is_the_least_sure(block_kernel):
    kernel = 0.05 + 0.9 * block_kernel(5, 5, 1)
    kernel[10, :10] = kernel[:10, 10] = 0.5
    kernel[10, 0] = kernel[0, 10] = 0.6
    partition = partition_kernel(kernel, random_state=0)
    assert partition.confidence.argmin() == 10
    assert 0.5 <= partition.confidence[10] < 0.6
    assert (partition.confidence[:10] > 0.8).all()


def test_a_badly_placed_item_has_less_than_one_half(block_kernel):
    weights = log_odds(0.05 + 0.9 * block_kernel(3, 3))
    confidence = item_confidence(weights, np.array([0, 0, 1, 1, 1, 1]))
    assert confidence[2] < 0.5
    assert confidence[0] > 0.5


def test_wrong_items_are_less_sure_than_right_ones(planted_kernel):
    right, wrong = [], []
    for seed in range(11):
        labels, kernel = planted_kernel(seed, 61, 6, signal=0.7, noise=1.5)
        partition = partition_kernel(kernel, n_samples=0)
        majority = {
            cluster: np.bincount(labels[partition.labels == cluster]).argmax()
            for cluster in range(partition.n_clusters)
        }
        is_right = labels == np.array([majority[cluster] for cluster in partition.labels])
        right += partition.confidence[is_right].tolist()
        wrong += partition.confidence[~is_right].tolist()
    assert len(wrong) > 20
    assert np.mean(right) > np.mean(wrong) + 0.05


@pytest.mark.parametrize("method", ["log-odds", "spectral", "agglomerative", "louvain"])
def test_every_method_comes_with_a_confidence_in_range(noise_kernel, method):
    confidence = partition_kernel(noise_kernel(1, 13), method=method, random_state=0).confidence
    assert ((confidence >= 0) & (confidence <= 1)).all()


def test_a_single_item_is_certain():
    assert partition_kernel(np.ones((1, 1))).confidence.tolist() == [1.0]
