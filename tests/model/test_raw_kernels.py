"""Many sets through the network: the same kernels as one by one, in any order of sets and of items."""

from hashlib import blake2b

import numpy as np
import pytest
import torch
from tests.estimator.handmade_networks import blobs, image_network_by_hand, strokes, table_network_by_hand

from abclust.datasets.circle_sets import circles
from abclust.estimator.item_preparation import prepare_items
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.point_views import PointViewConfig, point_view_kernels
from abclust.model.raw_kernels import raw_kernels
from abclust.model.vector_views import VectorViewConfig, vector_view_kernel
from abclust.model.view_averaging import ViewConfig, encode_views
from abclust.zoo.loading import load


@pytest.fixture(scope="module")
def circle_network():
    """The shipped weights without their header, which may ask for views."""
    shipped = load("circles")
    bare = ContextKernelNetwork(shipped.config)
    bare.load_state_dict(shipped.state_dict())
    return bare


@pytest.fixture(scope="module")
def table_network():
    return table_network_by_hand()


@pytest.fixture(scope="module")
def image_network():
    return image_network_by_hand()


@pytest.fixture
def prepared_sets(circle_network, table_network, image_network):
    """For each network, prepared sets of sizes that partly agree."""
    rng = np.random.default_rng(5)
    sizes = (7, 1, 13, 7, 2, 13, 7)
    return [
        (circle_network, [circles(n_points=n, n_circles=1, seed=n)[0].items for n in sizes]),
        (table_network, [prepare_items(table_network, rng.normal(size=(n, 4))) for n in sizes]),
        (image_network, [prepare_items(image_network, strokes(rng, n)) for n in sizes]),
    ]


def test_together_sets_get_the_kernels_that_they_get_alone(prepared_sets):
    for network, sets in prepared_sets:
        for items, kernel in zip(sets, raw_kernels(network, sets)):
            np.testing.assert_allclose(kernel, raw_kernels(network, [items])[0], atol=1e-5)


def test_kernels_are_symmetric_to_the_last_bit_and_in_double_precision(prepared_sets):
    for network, sets in prepared_sets:
        for kernel in raw_kernels(network, sets):
            np.testing.assert_array_equal(kernel, kernel.T)
            assert kernel.dtype == np.float64
            assert kernel.min() >= 0
            assert kernel.max() <= 1


def test_kernels_do_not_depend_on_the_order_of_items_whatever_the_views(prepared_sets):
    rng = np.random.default_rng(9)
    for network, sets in prepared_sets:
        items = sets[2]
        order = rng.permutation(len(items))
        (kernel,), (permuted,) = raw_kernels(network, [items]), raw_kernels(network, [items[order]])
        np.testing.assert_allclose(permuted, kernel[np.ix_(order, order)], atol=1e-5)


def test_points_are_looked_at_from_as_many_sides_as_the_header_asks_for(circle_network):
    sets = [each.items for each in circles(3, n_points=11, seed=2)]
    several_sides = ContextKernelNetwork(circle_network.config, {"point_views": {"count": 4}})
    several_sides.load_state_dict(circle_network.state_dict())
    found = raw_kernels(several_sides, sets)
    expected = point_view_kernels(circle_network, np.stack(sets), PointViewConfig(count=4))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not np.allclose(found, raw_kernels(circle_network, sets), atol=1e-3)


def test_without_views_the_kernel_is_the_networks_own(circle_network):
    (points,) = circles(n_points=31, seed=1)
    (kernel,) = raw_kernels(circle_network, [points.items])
    np.testing.assert_allclose(kernel, circle_network.kernel(points.items), atol=1e-7)


def test_views_of_images_are_averaged_as_logits(image_network):
    images = prepare_items(image_network, strokes(np.random.default_rng(2), 5))
    order = sorted(range(5), key=lambda place: blake2b(images[place].tobytes(), digest_size=16).hexdigest())
    encoded = encode_views(image_network, images[order], ViewConfig(count=3))
    with torch.no_grad():
        logits = torch.stack([image_network.relate(view[None])[0] for view in encoded]).mean(0)
    (kernel,) = raw_kernels(image_network, [images])
    np.testing.assert_allclose(kernel[np.ix_(order, order)], logits.sigmoid().numpy(), atol=1e-6)


def test_equal_images_stay_equal_in_every_view(image_network):
    images = prepare_items(image_network, strokes(np.random.default_rng(2), 3)[[0, 1, 0, 2]])
    (kernel,) = raw_kernels(image_network, [images])
    np.testing.assert_allclose(kernel[0], kernel[2], atol=1e-6)


def test_views_of_vectors_are_those_of_the_header(table_network):
    prepared = prepare_items(table_network, blobs(np.random.default_rng(2), 11, 3)[0])
    views = from_dict(VectorViewConfig, table_network.metadata["vector_views"])
    (kernel,) = raw_kernels(table_network, [prepared])
    np.testing.assert_allclose(kernel, vector_view_kernel(table_network, prepared, views), atol=1e-6)


def test_a_network_in_training_is_used_in_evaluation_mode_and_comes_back_in_training():
    network = image_network_by_hand()
    images = [prepare_items(network, strokes(np.random.default_rng(2), 5))] * 2
    expected = raw_kernels(network, images)
    network.train()
    np.testing.assert_array_equal(raw_kernels(network, images), expected)
    assert network.training


def test_items_that_overflow_the_networks_precision_are_refused(circle_network):
    sets = [np.zeros((3, 2)), np.full((3, 2), 1e300)]
    with np.errstate(over="ignore"), pytest.raises(InvalidInputError, match="must be finite"):
        raw_kernels(circle_network, sets)
