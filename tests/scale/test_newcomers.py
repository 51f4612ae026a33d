"""New items among the clusters of a large set: they join what draws them, or open clusters of their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.kernel.fixed_kernels import RBFKernel
from abclust.scale.config import LocalContextConfig
from abclust.scale.evidence import KernelEvidence
from abclust.scale.large_set import cluster_large_set
from abclust.scale.neighbours import nearest_neighbours
from abclust.scale.newcomers import place_newcomers

CONFIG = LocalContextConfig(set_size=31, n_far=5, n_near=7, n_neighbors=13, n_representatives=3)


def rbf_evidence(points: np.ndarray) -> KernelEvidence:
    return KernelEvidence(points, lambda sets: [RBFKernel(0.1).kernel(each) for each in sets])


def knots(places: list[float], size: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.repeat(places, size)[:, None] + rng.normal(size=(len(places) * size, 1)) * 0.3


@pytest.mark.parametrize("sizes", [(7, 101), (499, 3)], ids=["by neighbourhoods", "through a sample"])
def test_newcomers_join_the_cluster_they_lie_in_and_others_open_new_ones(sizes: tuple[int, int]) -> None:
    size, count = sizes
    old = knots([60.0 * place for place in range(count)], size)
    fitted = cluster_large_set(rbf_evidence(old), old, CONFIG)
    assert (fitted.sample is not None) == (count == 3)
    new = np.concatenate([knots([0.0, 60.0], 2, seed=1), knots([-600.0, -900.0], 3, seed=2)])
    joint = np.concatenate([old, new])
    found = place_newcomers(rbf_evidence(joint), joint, fitted.labels, CONFIG, sample=fitted.sample)
    first, second = fitted.labels[0], fitted.labels[size]
    k = fitted.n_clusters
    assert found.tolist() == [first, first, second, second, k, k, k, k + 1, k + 1, k + 1]


def test_a_cluster_too_small_for_the_sample_still_draws_newcomers() -> None:
    old = np.concatenate([knots([0.0, 60.0], 499), knots([300.0], 2)])
    fitted = cluster_large_set(rbf_evidence(old), old, CONFIG)
    assert fitted.sample is not None
    joint = np.concatenate([old, [[300.1]]])
    found = place_newcomers(rbf_evidence(joint), joint, fitted.labels, CONFIG, sample=fitted.sample)
    assert found.tolist() == [fitted.labels[-1]]


@given(st.integers(1, 23), st.integers(0, 5))
def test_neighbours_of_the_last_items_are_those_that_all_items_get(n_new: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(47, 3))
    some = nearest_neighbours(points, 5, first=47 - n_new)
    assert np.array_equal(some, nearest_neighbours(points, 5)[-n_new:])
