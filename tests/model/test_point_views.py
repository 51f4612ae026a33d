"""Turned and mirrored copies of points are looked at beside the points, and only their mean is kept."""

import numpy as np
import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.point_views import PointViewConfig, point_view_kernels

SETS, POINTS = 3, 7


@pytest.fixture(name="network")
def made_network() -> ContextKernelNetwork:
    torch.manual_seed(0)
    return ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2))


@pytest.fixture(name="points")
def drawn_points() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(SETS, POINTS, 2)).astype(np.float32)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_views_are_different_isometries_that_begin_with_the_points_themselves(count):
    maps = PointViewConfig(count).maps()
    torch.testing.assert_close(maps @ maps.mT, torch.eye(2).expand(count, 2, 2))
    torch.testing.assert_close(maps[0], torch.eye(2))
    assert len({tuple(each.flatten().mul(1e4).round().tolist()) for each in maps}) == count


def test_one_view_is_the_networks_own_kernel(network, points):
    for kernel, each in zip(point_view_kernels(network, points), points):
        np.testing.assert_allclose(kernel, network.kernel(each), atol=1e-6)


def test_logits_are_averaged_over_the_views(network, points):
    views = PointViewConfig(count=5)
    found = point_view_kernels(network, points, views)[1]
    logits = []
    for each in views.maps().numpy():
        kernel = network.kernel(np.array([each @ point for point in points[1]]))
        logits.append(np.log(kernel / (1 - kernel)))
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-np.mean(logits, axis=0))), atol=1e-5)


def test_a_set_that_is_turned_by_the_angle_between_views_has_the_same_kernel(network, points):
    views = PointViewConfig(count=8)
    turned = (points @ views.maps()[2].numpy().T).astype(np.float32)
    for plain, other in zip(
        point_view_kernels(network, points, views), point_view_kernels(network, turned, views)
    ):
        np.testing.assert_allclose(plain, other, atol=1e-5)


def test_the_size_of_a_pass_changes_nothing_and_the_mode_is_kept(network, points):
    network.train()
    views = PointViewConfig(count=3)
    together = point_view_kernels(network, points, views)
    alone = point_view_kernels(network, points, views, pairs_at_once=1)
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert network.training


def test_no_view_is_refused():
    with pytest.raises(InvalidInputError, match=r"count of views must be at least 1. Got 0"):
        PointViewConfig(count=0)
