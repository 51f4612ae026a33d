"""Views: the first is the items as they are, all are repeatable, their logits are averaged."""

import numpy as np
import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig, encode_views, view_kernels

IMAGES = np.random.default_rng(0).integers(0, 256, (13, 16, 16), dtype=np.uint8)


@pytest.fixture(params=["multiplicative", "additive"])
def network(request: pytest.FixtureRequest) -> ContextKernelNetwork:
    config = ContextKernelConfig(
        image_size=16,
        encoder="fast-cnn",
        encoder_channels=(3, 5),
        width=6,
        heads=2,
        compatibility=request.param,
    )
    return ContextKernelNetwork(config)


def test_one_view_gives_the_kernel_of_the_network(network: ContextKernelNetwork) -> None:
    places = np.array([[2, 3, 5, 7, 11], [12, 0, 4, 1, 6]])
    kernels = view_kernels(network, encode_views(network, IMAGES), places)
    for kernel, rows in zip(kernels, places, strict=True):
        np.testing.assert_allclose(kernel, network.kernel(IMAGES[rows]), rtol=1e-5, atol=1e-6)


def test_logits_not_probabilities_are_averaged(network: ContextKernelNetwork) -> None:
    encoded = encode_views(network, IMAGES, ViewConfig(count=3))
    kernel = view_kernels(network, encoded, np.arange(13)[None])[0]
    with torch.no_grad():
        logits = [network.eval().relate(view[None])[0].double() for view in encoded]
    expected = (sum(logits) / 3).sigmoid()  # type: ignore[union-attr]
    np.testing.assert_allclose(kernel, expected.numpy(), rtol=1e-5)


def test_views_differ_from_each_other_and_repeat_themselves(network: ContextKernelNetwork) -> None:
    views = ViewConfig(count=3)
    first, second = (encode_views(network, IMAGES, views) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first[1], first[2])
    assert torch.equal(first[:1], encode_views(network, IMAGES))


def test_the_mode_of_the_network_is_left_alone(network: ContextKernelNetwork) -> None:
    network.train()
    view_kernels(network, encode_views(network, IMAGES), np.arange(5)[None])
    assert network.training


def test_a_configuration_survives_a_header_and_needs_a_view() -> None:
    views = ViewConfig(count=5, seed=7)
    assert from_dict(ViewConfig, to_dict(views)) == views
    with pytest.raises(InvalidInputError, match="at least 1"):
        ViewConfig(count=0)


def test_kernels_are_symmetric_to_the_last_bit_with_a_direct_path_too() -> None:
    torch.manual_seed(0)
    config = ContextKernelConfig(image_size=16, encoder="fast-cnn", width=32, heads=2, direct_path=True)
    network = ContextKernelNetwork(config)
    with torch.no_grad():
        network.direct_weight.mul_(20)  # type: ignore[union-attr]
    encoded = torch.randn(3, 67, 32)
    for kernel in view_kernels(network, encoded, np.arange(67)[None]):
        np.testing.assert_array_equal(kernel, kernel.T)
