"""A padded batch equals its sets one by one: values, and the gradient of every parameter."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from abclust.model import ContextKernelConfig, ContextKernelNetwork

SIZES = (7, 2, 5, 1)
LONGEST = max(SIZES)
FEATURES = 3
OPTIONS: dict[str, dict] = {
    "plain": {},
    "no context": {"n_blocks": 0},
    "linear feed-forward": {"feed_forward_width": None},
    "authors' scale": {"softmax_scale": "authors", "similarity_scale": "none", "symmetrisation": "logit"},
    "no output projection": {"output_projection": False},
    "pre-norm": {"pre_norm": True, "feed_forward_activation": "gelu"},
    "gated": {"skip": "gated"},
    "log n": {"log_n_reference": 3},
    "direct path": {"direct_path": True, "similarity_bias": True},
    "fourier": {"fourier_octaves": 2},
    "literal head": {"similarity_projections": False},
    "siamese head": {"similarity": "siamese"},
}


def network_of(compatibility: str, **options) -> ContextKernelNetwork:
    settings = {"n_features": FEATURES, "width": 6, "heads": 2, "feed_forward_width": 5, **options}
    network = ContextKernelNetwork(ContextKernelConfig(compatibility=compatibility, **settings)).double()
    for parameter in network.parameters():  # gates, biases and norms away from where they start
        torch.nn.init.normal_(parameter, std=0.5)
    return network


def padded(sets: list[Tensor], filling: float = 0.0) -> tuple[Tensor, Tensor]:
    batch = torch.full((len(sets), LONGEST, *sets[0].shape[1:]), filling, dtype=torch.float64)
    mask = torch.zeros(len(sets), LONGEST, dtype=torch.bool)
    for row, items in enumerate(sets):
        batch[row, : len(items)] = items
        mask[row, : len(items)] = True
    return batch, mask


def random_sets() -> list[Tensor]:
    return [torch.randn(size, FEATURES, dtype=torch.float64) for size in SIZES]


def gradients(network: ContextKernelNetwork, loss: Tensor) -> dict[str, Tensor]:
    names, parameters = zip(*network.named_parameters())
    return dict(zip(names, torch.autograd.grad(loss, parameters, materialize_grads=True)))


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
def test_a_padded_batch_equals_its_sets_one_by_one(compatibility, options, training):
    network, sets = network_of(compatibility, **options).train(training), random_sets()
    weights = [torch.randn(size, size, dtype=torch.float64) for size in SIZES]
    batch, mask = padded(sets, filling=17.0)
    together = network(batch, mask)
    alone = [network(items[None])[0] for items in sets]
    for row, logits in enumerate(alone):
        torch.testing.assert_close(together[row, : len(logits), : len(logits)], logits)
    loss_together = sum((weights[i] * together[i, :n, :n]).sum() for i, n in enumerate(SIZES))
    loss_alone = sum((weight * logits).sum() for weight, logits in zip(weights, alone))
    one, other = gradients(network, loss_together), gradients(network, loss_alone)
    for name in one:
        torch.testing.assert_close(one[name], other[name], rtol=1e-9, atol=1e-9, msg=name)


@pytest.mark.parametrize("encoder", ["paper-cnn", "fast-cnn"])
def test_padded_images_equal_their_sets_one_by_one_in_evaluation(encoder):
    config = ContextKernelConfig(
        image_size=16, encoder=encoder, encoder_channels=(2, 3, 5), width=6, heads=2, feed_forward_width=5
    )
    network = ContextKernelNetwork(config).double().eval()
    sets = [torch.rand(size, 16, 16, dtype=torch.float64) for size in SIZES]
    together = network(*padded(sets, filling=3.0))
    for row, items in enumerate(sets):
        torch.testing.assert_close(together[row, : len(items), : len(items)], network(items[None])[0])


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
@pytest.mark.parametrize("filling", [float("nan"), float("inf"), 1e30])
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
def test_what_stands_in_the_padding_is_never_looked_at(compatibility, filling, training):
    network, sets = network_of(compatibility, direct_path=True).train(training), random_sets()
    clean, mask = padded(sets)
    dirty, _ = padded(sets, filling)
    assert torch.equal(network(dirty, mask), network(clean, mask))
    for name, gradient in gradients(network, network(dirty, mask)[0].sum()).items():
        assert bool(gradient.isfinite().all()), name


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_a_fully_padded_set_gives_no_nan_in_value_or_gradient(compatibility, options):
    network = network_of(compatibility, **options)
    batch, mask = padded(random_sets())
    mask[1] = False
    logits = network(batch, mask)
    assert bool(logits.isfinite().all())
    for name, gradient in gradients(network, logits.sum()).items():
        assert bool(gradient.isfinite().all()), name


def test_padding_may_stand_anywhere():
    network = network_of("multiplicative")
    items = torch.randn(1, 5, FEATURES, dtype=torch.float64)
    mask = torch.tensor([[False, True, True, False, True]])
    kept = mask[0].nonzero().flatten()
    torch.testing.assert_close(network(items, mask)[:, kept][:, :, kept], network(items[:, kept]))


@given(st.lists(st.integers(1, LONGEST), min_size=1, max_size=5))
def test_any_mixture_of_sizes_equals_its_sets_one_by_one(sizes):
    network = network_of("multiplicative", skip="gated", log_n_reference=3)
    sets = [torch.randn(size, FEATURES, dtype=torch.float64) for size in sizes]
    together = network(*padded(sets))
    for row, items in enumerate(sets):
        torch.testing.assert_close(together[row, : len(items), : len(items)], network(items[None])[0])
