"""Kernels without training: the battery of all kernels, their formulas, and what they refuse."""

import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from tests.kernel.kernel_battery import BATTERY

from abclust.foundations.errors import InvalidInputError
from abclust.kernel.fixed_kernels import CosineKernel, LocalScalingKernel, RBFKernel

KERNELS = [RBFKernel(), RBFKernel(gamma=0.3), CosineKernel(), LocalScalingKernel(), LocalScalingKernel(2)]
ITEMS = np.random.default_rng(0).normal(size=(13, 3))


@pytest.mark.parametrize("check", BATTERY, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_fixed_kernel_keeps_the_promises_of_all_kernels(kernel, check):
    check(kernel, ITEMS)


def test_rbf_is_scikit_learns_with_the_same_default_gamma():
    np.testing.assert_allclose(RBFKernel().kernel(ITEMS), rbf_kernel(ITEMS), atol=1e-14)
    np.testing.assert_allclose(RBFKernel(0.7).kernel(ITEMS), rbf_kernel(ITEMS, gamma=0.7), atol=1e-14)


def test_cosine_is_scikit_learns_brought_to_the_unit_interval():
    np.testing.assert_allclose(CosineKernel().kernel(ITEMS), (1 + cosine_similarity(ITEMS)) / 2, atol=1e-14)


def test_cosine_of_opposite_items_is_zero_and_of_nothing_is_one_half():
    matrix = CosineKernel().kernel([[1.0, 1.0], [-2.0, -2.0], [0.0, 0.0]])
    np.testing.assert_allclose(matrix, [[1, 0, 0.5], [0, 1, 0.5], [0.5, 0.5, 0.5]], atol=1e-15)


def test_local_scaling_equals_its_formula_in_plain_loops():
    n_neighbors = 3
    distances = [[math.dist(first, second) for second in ITEMS] for first in ITEMS]
    scales = [sorted(row)[n_neighbors] for row in distances]
    expected = [
        [math.exp(-(distances[i][j] ** 2) / (scales[i] * scales[j])) for j in range(len(ITEMS))]
        for i in range(len(ITEMS))
    ]
    np.testing.assert_allclose(LocalScalingKernel(n_neighbors).kernel(ITEMS), expected, atol=1e-12)


def test_local_scaling_does_not_depend_on_the_unit_of_length():
    kernel = LocalScalingKernel(5)
    np.testing.assert_allclose(kernel.kernel(1000 * ITEMS), kernel.kernel(ITEMS), atol=1e-12)


def test_local_scaling_keeps_a_crowd_of_duplicates_to_itself():
    matrix = LocalScalingKernel(2).kernel([[0.0], [0.0], [0.0], [5.0]])
    np.testing.assert_array_equal(matrix, np.kron(np.eye(2), np.ones((3, 3)))[[0, 1, 2, 3]][:, [0, 1, 2, 3]])


def test_images_are_flattened():
    images = np.random.default_rng(1).random((5, 3, 7))
    np.testing.assert_array_equal(RBFKernel().kernel(images), RBFKernel().kernel(images.reshape(5, 21)))


@pytest.mark.parametrize("items", [[], [1.0, 2.0], np.zeros((3, 0)), [[np.nan]], [[np.inf]]])
def test_items_that_are_none_are_refused(items):
    with pytest.raises(InvalidInputError, match="X must hold"):
        RBFKernel().kernel(items)


def test_impossible_settings_are_refused():
    with pytest.raises(InvalidInputError, match="gamma must be positive"):
        RBFKernel(gamma=0.0)
    with pytest.raises(InvalidInputError, match="n_neighbors must be at least 1"):
        LocalScalingKernel(0)
