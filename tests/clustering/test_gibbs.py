"""Samples of the number of clusters follow the model, and their interval covers the truth."""

from math import lgamma

import numpy as np
import pytest

from abclust.clustering.backends import partition_kernel
from abclust.clustering.checks import Bounds
from abclust.clustering.log_odds.gibbs import sample_partitions
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import merge_tree
from abclust.clustering.partition import Partition
from abclust.foundations.errors import InvalidInputError


def _exact_distribution(weights, partitions, bounds=None):
    scores = ((partitions[:, :, None] == partitions[:, None, :]) * weights).sum(axis=(1, 2)) / 2
    n_clusters = partitions.max(axis=1) + 1
    if bounds is not None:
        allowed = (n_clusters >= bounds.lower) & (n_clusters <= bounds.upper)
        scores, n_clusters = scores[allowed], n_clusters[allowed]
    mass = np.exp(scores - scores.max())
    return np.bincount(n_clusters, mass / mass.sum(), minlength=partitions.shape[1] + 1)


@pytest.mark.parametrize("bounds", [None, Bounds(2, 4)])
def test_samples_follow_the_exact_distribution_of_five_items(noise_kernel, set_partitions, bounds):
    weights = log_odds(noise_kernel(7, 5)) / 4  # weak evidence: a wide distribution
    start = np.array([0, 0, 1, 1, 1])
    samples = sample_partitions(weights, start, 20_000, bounds=bounds, random_state=0).max(axis=1) + 1
    measured = np.bincount(samples, minlength=6) / 20_000
    np.testing.assert_allclose(measured, _exact_distribution(weights, set_partitions(5), bounds), atol=0.02)


def test_a_fixed_number_of_clusters_leaves_nothing_to_sample(noise_kernel):
    partition = partition_kernel(noise_kernel(0, 11), 4, random_state=0, n_samples=7)
    assert partition.n_clusters_samples.tolist() == [4] * 7


def test_samples_keep_to_a_range(noise_kernel):
    partition = partition_kernel(noise_kernel(0, 11), (2, 3), random_state=0, n_samples=101)
    assert set(partition.n_clusters_samples.tolist()) <= {2, 3}


def test_no_samples_can_be_asked_for_and_then_there_is_no_interval(noise_kernel):
    partition = partition_kernel(noise_kernel(0, 11), n_samples=0)
    assert len(partition.n_clusters_samples) == 0
    with pytest.raises(InvalidInputError, match="n_samples > 0"):
        partition.n_clusters_interval()
    with pytest.raises(InvalidInputError, match="n_samples must be"):
        partition_kernel(noise_kernel(0, 11), n_samples=-1)


@pytest.mark.parametrize(
    ("counts", "level", "interval"),
    [
        ({4: 100}, 0.9, (4, 4)),
        ({3: 5, 4: 90, 5: 5}, 0.9, (4, 4)),
        ({3: 2, 4: 80, 5: 18}, 0.9, (4, 5)),
        ({2: 25, 3: 25, 4: 25, 5: 25}, 0.5, (2, 3)),
        ({2: 1, 7: 99}, 0.9, (7, 7)),
    ],
)
def test_the_interval_holds_most_nearly_the_level(counts, level, interval):
    samples = np.repeat(list(counts), list(counts.values()))
    tree = merge_tree(np.zeros((1, 1)))
    partition = Partition(np.zeros(1, dtype=int), 1, np.ones(1), tree, samples)
    assert partition.n_clusters_interval(level) == interval


def test_a_level_that_is_no_share_is_refused(noise_kernel):
    with pytest.raises(InvalidInputError, match=r"level must be in \(0, 1\]"):
        partition_kernel(noise_kernel(0, 3), random_state=0).n_clusters_interval(90.0)


def _uniform_partition(rng, n_items):
    """A partition drawn with equal chance from all (Stam 1983): n balls in a random number of urns."""
    urns = np.arange(1, 201)
    log_chance = n_items * np.log(urns) - np.array([lgamma(urn + 1) for urn in urns])
    chance = np.exp(log_chance - log_chance.max())
    n_urns = rng.choice(urns, p=chance / chance.sum())
    return np.unique(rng.integers(n_urns, size=n_items), return_inverse=True)[1]


@pytest.mark.slow
def test_the_90_percent_interval_covers_the_truth_on_500_kernels_drawn_from_the_model():
    rng = np.random.default_rng(11)
    n_items, n_covered = 29, 0
    for _ in range(500):
        labels = _uniform_partition(rng, n_items)
        strength = rng.uniform(0.1, 1.0)
        # Normal with mean ±m and variance 2m: exactly then a value is its own log-likelihood ratio.
        noise = np.triu(rng.normal(scale=np.sqrt(2 * strength), size=(n_items, n_items)), 1)
        values = np.where(labels[:, None] == labels, strength, -strength) + noise + noise.T
        partition = partition_kernel(1 / (1 + np.exp(-values)), random_state=rng, n_samples=256)
        lower, upper = partition.n_clusters_interval(0.9)
        n_covered += lower <= labels.max() + 1 <= upper
    assert 0.85 <= n_covered / 500 <= 0.95
