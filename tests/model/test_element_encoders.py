"""Encoders: shapes of the paper's CNN, batch norm without padding, features against plain loops."""

import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.conv_blocks import IMAGES_AT_ONCE
from abclust.model.element_encoders import FourierFeatures, ImageEncoder, build_encoder


def test_the_paper_s_cnn_is_four_blocks_of_64_filters_and_gives_64_features():
    encoder = ImageEncoder(28, (64, 64, 64, 64), unshuffle=False)
    sides = []
    for block in encoder.blocks:
        block.register_forward_hook(lambda module, given, result: sides.append(tuple(result.shape[1:])))
    assert encoder(torch.rand(3, 28, 28)).shape == (3, 64)
    assert sides == [(64, 14, 14), (64, 7, 7), (64, 3, 3), (64, 1, 1)]
    kinds = [[type(layer) for layer in block] for block in encoder.blocks]
    assert kinds == [[nn.Conv2d, nn.BatchNorm2d, nn.MaxPool2d, nn.ReLU]] * 4


def naive_cnn(channels: tuple[int, ...]) -> nn.Sequential:
    """Figure 3 as drawn: convolution, batch norm, ReLU, max pooling, in torch's default memory layout."""
    layers: list[nn.Module] = [nn.Unflatten(1, (1, -1))]
    for before, after in pairwise((1, *channels)):
        convolution = nn.Conv2d(before, after, 3, padding=1, bias=False)
        layers += [convolution, nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten())


@pytest.mark.parametrize("n_images", [1, 3, IMAGES_AT_ONCE + 2])
def test_the_fast_order_of_things_is_figure_3_as_drawn_in_training_and_evaluation(n_images):
    """Values, the gradient of every parameter and of the images, and the running statistics."""
    channels = (7, 5, 3)
    ours, naive = ImageEncoder(16, channels, unshuffle=False).double(), naive_cnn(channels).double()
    for parameter in ours.parameters():  # signs of both kinds, also in batch norm
        nn.init.normal_(parameter)
    names = ["values", "images", *dict(ours.named_parameters()), *ours.state_dict()]
    naive.load_state_dict(dict(zip(naive.state_dict(), ours.state_dict().values(), strict=True)))
    for step in range(2):
        images = torch.rand(n_images, 16, 16, dtype=torch.float64, requires_grad=True)
        upstream = torch.randn(n_images, ours.out_features, dtype=torch.float64)
        results = []
        for module in (ours, naive):
            found = module(images)
            gradients = torch.autograd.grad(found, (images, *module.parameters()), upstream)
            results.append([found, *gradients, *module.state_dict().values()])
        for name, one, other in zip(names, *results, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-9, msg=f"{name} in step {step}")
    torch.testing.assert_close(ours.eval()(images), naive.eval()(images))


def test_blank_images_have_no_variance_and_no_nan():
    encoder = ImageEncoder(16, (7, 5), unshuffle=False)
    encoder(torch.zeros(3, 16, 16)).sum().backward()
    for name, parameter in encoder.named_parameters():
        assert bool(parameter.grad.isfinite().all()), name


def test_a_batch_without_images_changes_no_statistics():
    encoder = ImageEncoder(16, (7, 5), unshuffle=False)
    assert encoder(torch.zeros(0, 16, 16)).shape == (0, encoder.out_features)
    for name, buffer in encoder.named_buffers():
        assert bool(buffer.isfinite().all()), name


def test_weights_and_maps_are_kept_channels_last():
    encoder = ImageEncoder(28, (8, 16), unshuffle=True)
    layouts = []
    for block in encoder.blocks:
        assert block[0].weight.is_contiguous(memory_format=torch.channels_last)
        block.register_forward_hook(
            lambda module, given, result: layouts.append(
                result.is_contiguous(memory_format=torch.channels_last)
            )
        )
    encoder(torch.rand(3, 28, 28))
    assert layouts == [True, True]


def test_the_fast_cnn_never_convolves_at_full_resolution():
    encoder = build_encoder(ContextKernelConfig(image_size=28, encoder="fast-cnn", width=12, heads=2))
    seen = []
    encoder[0].blocks[0].register_forward_hook(lambda module, given, result: seen.append(given[0].shape))
    assert encoder(torch.rand(3, 28, 28)).shape == (3, 12)
    assert seen == [(3, 4, 14, 14)]


@pytest.mark.parametrize("size", [16, 28, 31, 105])
def test_images_of_other_sizes_fit(size):
    for name, channels in (("paper-cnn", (2, 3, 5, 7)), ("fast-cnn", (2, 3, 5))):
        if name == "fast-cnn" and size % 2:
            continue
        config = ContextKernelConfig(
            image_size=size, encoder=name, encoder_channels=channels, width=6, heads=2
        )
        assert build_encoder(config)(torch.rand(2, size, size)).shape == (2, 6)


@pytest.mark.parametrize("encoder", ["paper-cnn", "fast-cnn"])
def test_batch_norm_never_mixes_padding_in(encoder):
    """Values and running statistics of a padded batch are those of its real images alone."""
    config = ContextKernelConfig(
        image_size=16, encoder=encoder, encoder_channels=(2, 3, 5), width=6, heads=2, n_blocks=1
    )
    padded, alone = ContextKernelNetwork(config).double(), ContextKernelNetwork(config).double()
    alone.load_state_dict(padded.state_dict())
    batch = torch.rand(3, 7, 16, 16, dtype=torch.float64)
    mask = torch.arange(7) < torch.tensor([[7], [2], [5]])
    batch[~mask] = 1e6
    encoded = []
    padded.encoder.register_forward_hook(lambda module, given, result: encoded.append(result))
    padded(batch, mask)
    torch.testing.assert_close(encoded[0], alone.encode(batch[mask]))
    for (name, one), other in zip(padded.named_buffers(), alone.buffers()):
        torch.testing.assert_close(one, other, msg=name)


def test_fourier_features_are_sines_and_cosines_of_octaves():
    octaves, features = 3, 2
    item = [0.25, -0.7]
    found = FourierFeatures(octaves)(torch.tensor([item], dtype=torch.float64))[0].tolist()
    expected = list(item)
    for wave in (math.sin, math.cos):
        for x in item:
            expected += [wave(2**j * math.pi * x) for j in range(octaves)]
    assert found == pytest.approx(expected)
    assert FourierFeatures(octaves).out_features(features) == len(expected)


def test_the_identity_encoder_changes_nothing():
    encoder = build_encoder(ContextKernelConfig(n_features=6, encoder="identity", width=6, heads=2))
    items = torch.randn(5, 6)
    assert torch.equal(encoder(items), items)


def test_the_mlp_is_linear_tanh_linear():
    encoder = build_encoder(ContextKernelConfig(n_features=3, width=6, heads=2))
    items = torch.randn(5, 3)
    first, last = encoder[0], encoder[-1]
    torch.testing.assert_close(encoder(items), last(torch.tanh(items @ first.weight.T + first.bias)))
    assert [type(layer) for layer in encoder] == [nn.Linear, nn.Tanh, nn.Linear]
