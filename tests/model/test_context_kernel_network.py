"""The network as a whole: a set in, its kernel out."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from abclust.attention import Compatibility, register_compatibility
from abclust.model import PAPER_CIRCLES, PAPER_OMNIGLOT, ContextKernelConfig, ContextKernelNetwork

SMALL = {"width": 6, "heads": 2, "feed_forward_width": 5}


def network_of(dtype: torch.dtype = torch.float64, **options) -> ContextKernelNetwork:
    return ContextKernelNetwork(ContextKernelConfig(**{"n_features": 3, **SMALL, **options})).to(dtype)


def items(n: int, features: int = 3) -> np.ndarray:
    return np.random.default_rng(n).normal(size=(n, features))


@pytest.mark.parametrize("config", [PAPER_CIRCLES, PAPER_OMNIGLOT], ids=["circles", "omniglot"])
@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_the_published_networks_give_a_symmetric_kernel_of_probabilities(config, compatibility, n):
    network = ContextKernelNetwork(dataclasses.replace(config, compatibility=compatibility))
    X = np.random.default_rng(n).random((n, *config.item_shape))
    kernel = network.kernel(X)
    assert kernel.shape == (n, n)
    assert kernel.dtype == np.float32
    assert np.array_equal(kernel, kernel.T)
    assert bool(((kernel >= 0) & (kernel <= 1)).all())


@given(st.integers(1, 11), st.booleans(), st.sampled_from(["multiplicative", "additive", "siamese"]))
def test_the_kernel_does_not_depend_on_the_order_of_items(n, pre_norm, compatibility):
    network, X = network_of(pre_norm=pre_norm, compatibility=compatibility), items(n)
    order = np.random.default_rng(n + 1).permutation(n)
    np.testing.assert_allclose(
        network.kernel(X[order]), network.kernel(X)[np.ix_(order, order)], rtol=1e-11, atol=1e-12
    )


def test_duplicates_are_as_similar_to_each_other_as_to_themselves():
    X = np.repeat(items(3), 2, axis=0)
    kernel = network_of().kernel(X)
    np.testing.assert_allclose(kernel[::2], kernel[1::2], rtol=1e-12)
    np.testing.assert_allclose(np.diag(kernel)[::2], kernel[::2, 1::2].diagonal(), rtol=1e-12)


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_without_blocks_the_kernel_depends_only_on_the_pair_and_with_blocks_on_the_set(compatibility):
    """N = 0 is the paper's pairwise ablation."""
    X = items(7)
    for n_blocks, alone in ((0, True), (1, False)):
        network = network_of(n_blocks=n_blocks, compatibility=compatibility)
        unchanged = np.allclose(network.kernel(X)[:5, :5], network.kernel(X[:5]), rtol=1e-12)
        assert unchanged is alone


def test_the_kernel_is_the_sigmoid_of_the_logits_of_the_forward_pass():
    network, X = network_of(direct_path=True, similarity_bias=True), items(5)
    logits = network(torch.as_tensor(X)[None])[0]
    assert torch.equal(logits, logits.mT)
    np.testing.assert_allclose(network.kernel(X), logits.sigmoid().detach().numpy(), rtol=1e-12)


def test_forward_is_encode_then_blocks_then_head():
    network, X = network_of(), torch.as_tensor(items(5))
    embeddings = network.encode(X)[None]
    contextual = network.blocks[1](network.blocks[0](embeddings))
    torch.testing.assert_close(network(X[None]), network.head(contextual))
    torch.testing.assert_close(network.relate(embeddings), network.head(contextual))


def test_float32_and_float64_agree():
    single, X = network_of(torch.float32), items(11).astype(np.float32)
    double = network_of()
    double.load_state_dict(single.state_dict())
    assert single.kernel(X).dtype == np.float32
    assert double.kernel(X).dtype == np.float64
    np.testing.assert_allclose(single.kernel(X), double.kernel(X), atol=1e-5)


@pytest.mark.parametrize("block_rows", [1, 2, 3, 11, 100])
def test_blocks_of_rows_make_up_the_same_kernel(block_rows):
    network, X = network_of(direct_path=True, similarity_bias=True), items(11)
    blocks = list(network.kernel_blocks(X, block_rows=block_rows))
    assert [start for start, _ in blocks] == list(range(0, 11, block_rows))
    np.testing.assert_allclose(np.concatenate([block for _, block in blocks]), network.kernel(X), rtol=1e-12)


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_a_kernel_that_comes_in_several_blocks_is_symmetric_to_the_last_bit(monkeypatch, compatibility):
    monkeypatch.setattr("abclust.model.context_kernel_network.ROW_BLOCK_BUDGET", 23 * 5)  # five rows a block
    network = network_of(torch.float32, direct_path=True, compatibility=compatibility)
    kernel = network.kernel(items(23))
    assert np.array_equal(kernel, kernel.T)
    monkeypatch.undo()
    np.testing.assert_allclose(kernel, network.kernel(items(23)), atol=1e-6)


def test_the_kernel_is_taken_in_evaluation_mode_and_the_mode_comes_back():
    config = ContextKernelConfig(image_size=16, encoder="fast-cnn", encoder_channels=(2, 3, 5), **SMALL)
    network = ContextKernelNetwork(config).train()
    before = {name: buffer.clone() for name, buffer in network.named_buffers()}
    X = np.random.default_rng(0).random((3, 16, 16))
    kernel = network.kernel(X)
    assert network.training
    for name, buffer in network.named_buffers():
        assert torch.equal(buffer, before[name]), name
    np.testing.assert_array_equal(network.eval().kernel(X), kernel)


def test_images_of_bytes_are_scaled_to_the_unit_interval():
    config = ContextKernelConfig(image_size=16, encoder="fast-cnn", encoder_channels=(2, 3, 5), **SMALL)
    network = ContextKernelNetwork(config)
    images = np.random.default_rng(0).integers(0, 256, (3, 16, 16), dtype=np.uint8)
    scaled = network.kernel(images / np.float32(255))
    np.testing.assert_array_equal(network.kernel(images), scaled)
    np.testing.assert_array_equal(network.kernel(torch.as_tensor(images)), scaled)


@pytest.mark.parametrize(
    "kind", [list, torch.as_tensor, np.asfortranarray, lambda X: torch.as_tensor(X).bfloat16().double()]
)
def test_a_set_may_come_as_a_list_a_tensor_or_any_array(kind):
    network, X = network_of(), np.array([[0.5, 1.0, -2.0], [4.0, 0.25, 0.0]])
    np.testing.assert_array_equal(network.kernel(kind(X)), network.kernel(X))
    np.testing.assert_array_equal(network.kernel(torch.as_tensor(X).bfloat16()), network.kernel(X))


def test_a_compatibility_of_the_user_s_own_works_in_a_configuration():
    class Distance(Compatibility):
        def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
            return -torch.cdist(queries, keys)

    register_compatibility("test-distance", lambda width, heads, scale, activation: Distance())
    network = network_of(compatibility="test-distance", similarity_projections=False)
    kernel = network.kernel(items(5))
    np.testing.assert_allclose(np.diag(kernel), 0.5, atol=1e-6)  # distance zero is a logit of zero
    assert np.array_equal(kernel, kernel.T)


def test_every_parameter_learns():
    for compatibility in ("multiplicative", "additive", "siamese"):
        network = network_of(
            compatibility=compatibility, skip="gated", direct_path=True, similarity_bias=True
        )
        (network(torch.as_tensor(items(7))[None]).triu() ** 2).sum().backward()
        for name, parameter in network.named_parameters():
            assert parameter.grad is not None, name
            assert float(parameter.grad.abs().max()) > 0, name


def test_the_network_exports_to_a_graph_with_a_free_number_of_items():
    network = network_of(torch.float32).eval()
    n = torch.export.Dim("n", min=2, max=64)
    batch, mask = torch.randn(2, 5, 3), torch.ones(2, 5, dtype=torch.bool)
    program = torch.export.export(network, (batch, mask), dynamic_shapes=({1: n}, {1: n}))
    batch, mask = torch.randn(2, 11, 3), torch.arange(11) < torch.tensor([[11], [7]])
    torch.testing.assert_close(program.module()(batch, mask), network(batch, mask))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device on this machine")
def test_a_network_on_a_cuda_device_gives_the_kernel_of_the_cpu():
    network, X = network_of(torch.float32), items(11)
    on_cpu = network.kernel(X)
    on_cuda = network.to("cuda").kernel(X)
    assert isinstance(on_cuda, np.ndarray)
    np.testing.assert_allclose(on_cuda, on_cpu, atol=1e-4)


def test_logits_stay_finite_for_items_far_away():
    kernel = network_of(torch.float32).kernel(items(5) * 1e8)
    assert bool(np.isfinite(kernel).all())
    assert math.isclose(float(kernel[0, 1]), float(kernel[1, 0]))
