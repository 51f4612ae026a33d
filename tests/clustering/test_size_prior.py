"""Small clusters join large ones: how strongly, in which order, and what stops them."""

import numpy as np
import pytest
from scipy.special import expit

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.size_prior import gather_small
from abclust.evaluation.scores import ari


def blocks(sizes: list[int], between: float = -9.0) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return labels, np.where(labels[:, None] == labels, 5.0, between)


def gathered_one_by_one(weights: np.ndarray, labels: np.ndarray, exponent: float) -> np.ndarray:
    """The rule as it is written, without anything kept from one union to the next."""
    labels = labels.copy()
    while len(names := np.unique(labels)) > 1:
        members = [np.flatnonzero(labels == name) for name in names]
        sizes = np.array([len(each) for each in members])
        typical = np.sort(np.repeat(sizes, sizes))[(len(labels) - 1) // 2]
        best = (0.0, -1, -1)
        for first in range(len(names)):
            pulls = [
                -np.inf if second == first else weights[np.ix_(members[first], members[second])].mean()
                for second in range(len(names))
            ]
            gain = max(pulls) + exponent * np.log(typical) * np.log(typical / sizes[first])
            if sizes[first] < typical and gain > best[0]:
                best = (gain, names[first], names[int(np.argmax(pulls))])
        if best[1] < 0:
            break
        labels[labels == best[1]] = best[2]
    return np.unique(labels, return_inverse=True)[1]


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("exponent", [0.3, 1.1])
def test_the_running_tables_give_what_the_rule_gives(seed, exponent):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.zipf(1.4, 61) % 17, return_inverse=True)[1]
    weights = np.triu(rng.normal(-2.0, 3.0, (61, 61)), 1)
    weights += weights.T

    found = gather_small(weights, labels, 1, 61, exponent=exponent)
    assert found.max() < labels.max(), "something is to be gathered here"
    assert ari(gathered_one_by_one(weights, labels, exponent), found) == 1.0


@pytest.mark.parametrize(("size", "pull", "joins"), [(1, -5.3, True), (1, -5.5, False), (4, -2.6, True)])
def test_the_prior_odds_are_a_power_of_the_share_of_the_typical_size(size, pull, joins):
    labels, weights = blocks([16, 16, 16, size])
    weights[48:, :16] = weights[:16, 48:] = pull  # .7 (ln 16)² = 5.38, .7 ln 16 ln 4 = 2.69
    found = gather_small(weights, labels, 1, len(labels))

    assert found.max() + 1 == (3 if joins else 4)
    assert (found[-1] == found[0]) == joins


def test_clusters_of_the_typical_size_stay():
    labels, weights = blocks([5, 5, 5], between=-0.1)
    assert gather_small(weights, labels, 1, 15).max() == 2


def test_one_cluster_and_its_stragglers_are_one_cluster_unless_two_are_asked_for():
    labels, weights = blocks([17, 1, 1], between=-4.0)
    assert gather_small(weights, labels, 1, 19).max() == 0
    assert gather_small(weights, labels, 2, 19).max() == 1


def test_a_known_number_is_reached_by_the_best_unions_small_ones_first():
    labels, weights = blocks([9, 9, 9, 2])
    weights[27:, :9] = weights[:9, 27:] = -8.0
    weights[9:18, 18:27] = weights[18:27, 9:18] = -6.0

    assert gather_small(weights, labels, 3, 3).tolist() == [0] * 9 + [1] * 9 + [2] * 9 + [0] * 2
    assert gather_small(weights, labels, 2, 2).tolist() == [0] * 9 + [1] * 18 + [0] * 2


def test_pairs_that_must_be_apart_go_elsewhere_or_stay():
    labels, weights = blocks([7, 7, 1])
    weights[14, :7] = weights[:7, 14] = -1.0
    weights[14, 7:14] = weights[7:14, 14] = -2.0
    apart = np.zeros((15, 15), dtype=bool)
    apart[14, 3] = apart[3, 14] = True
    assert gather_small(weights, labels, 1, 15, apart)[14] == 1
    apart[14, 10] = apart[10, 14] = True
    assert gather_small(weights, labels, 1, 15, apart)[14] == 2


def test_a_straggler_of_a_set_of_large_clusters_is_found_a_home():
    labels = np.repeat([0, 1, 2], 11)
    kernel = np.where(labels[:, None] == labels, 0.95, 0.01)
    kernel[4, :11] = kernel[:11, 4] = 0.2  # an odd one, but nearer to its own than to any other
    np.fill_diagonal(kernel, 1.0)

    assert cluster_kernel(kernel, method="log-odds").max() + 1 == 4
    assert cluster_kernel(kernel, method="size-prior").tolist() == labels.tolist()


def test_where_single_items_are_the_rule_they_stay():
    noise = np.triu(np.random.default_rng(1).uniform(0.0, 0.004, (13, 13)), 1)
    assert cluster_kernel(noise + noise.T, method="size-prior").max() == 12


@pytest.mark.parametrize("n_items", [1, 2, 3])
def test_the_smallest_sets_pass(n_items):
    assert cluster_kernel(np.full((n_items, n_items), 0.9), method="size-prior").max() == 0


def test_samples_gather_small_clusters_as_the_labels_do():
    _, weights = blocks([20, 20, 20, 1, 1, 1, 1, 1])
    weights[60:, :20] = weights[:20, 60:] = -1.0  # odd ones of the first: 20 times -1 keeps them apart
    kernel = expit(weights)
    np.fill_diagonal(kernel, 1.0)

    plain = partition_kernel(kernel, random_state=0)
    assert plain.n_clusters_interval() == (8, 8)
    gathered = partition_kernel(kernel, method="size-prior", random_state=0)
    assert gathered.n_clusters_interval() == (3, 3)
    assert gathered.n_clusters == 3


def test_gathered_samples_keep_to_a_range_and_to_constraints():
    _, weights = blocks([20, 20, 20, 1, 1, 1, 1, 1])
    weights[60:, :20] = weights[:20, 60:] = -1.0
    kernel = expit(weights)
    np.fill_diagonal(kernel, 1.0)

    ranged = partition_kernel(kernel, (5, 6), "size-prior", random_state=0)
    assert set(ranged.n_clusters_samples.tolist()) <= {5, 6}
    apart = partition_kernel(
        kernel, method="size-prior", must_link=[(61, 62)], cannot_link=[(60, 0)], random_state=0
    )
    assert apart.n_clusters == 4
    assert apart.n_clusters_interval() == (4, 4)
