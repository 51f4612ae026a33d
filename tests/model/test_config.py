"""The frozen configuration: what it accepts, what it refuses, and the published settings."""

import dataclasses

import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.model import PAPER_CIRCLES, PAPER_OMNIGLOT, ContextKernelConfig, ContextKernelNetwork


def test_the_published_settings_are_two_blocks_four_heads_width_128():
    for config in (PAPER_CIRCLES, PAPER_OMNIGLOT):
        assert (config.n_blocks, config.heads, config.width) == (2, 4, 128)
        assert (config.skip, config.pre_norm, config.symmetrisation) == ("plain", False, "probability")
    assert PAPER_CIRCLES.item_shape == (2,)
    assert PAPER_OMNIGLOT.item_shape == (28, 28)
    assert PAPER_OMNIGLOT.encoder == "paper-cnn"


def test_every_option_beyond_the_paper_is_off_by_default():
    config = ContextKernelConfig(n_features=3)
    assert (config.pre_norm, config.similarity_bias, config.direct_path) == (False, False, False)
    assert config.fourier_octaves == 0
    assert config.log_n_reference is None
    assert (config.softmax_scale, config.similarity_scale, config.skip) == ("paper", "paper", "plain")


def test_a_config_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PAPER_CIRCLES.width = 64  # type: ignore[misc]


@pytest.mark.parametrize("config", [PAPER_CIRCLES, PAPER_OMNIGLOT])
def test_a_config_survives_the_way_to_a_dictionary_and_back(config):
    channels = (3, 5) if config.image_size else None
    changed = dataclasses.replace(config, encoder_channels=channels, compatibility="additive")
    assert from_dict(ContextKernelConfig, to_dict(changed)) == changed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one of n_features .* Got n_features=None, image_size=None"),
        ({"n_features": 2, "image_size": 28}, "exactly one of n_features"),
        ({"n_features": 0}, "n_features must be an integer of at least 1. Got 0"),
        ({"image_size": 15, "encoder": "fast-cnn"}, "image_size must be an integer of at least 16. Got 15"),
        ({"n_features": 2, "width": 0}, "width must be an integer of at least 1. Got 0"),
        ({"n_features": 2, "heads": -1}, "heads must be an integer of at least 1. Got -1"),
        ({"n_features": 2, "n_blocks": -1}, "n_blocks must be an integer of at least 0. Got -1"),
        ({"n_features": 2, "head_width": 0}, "head_width must be"),
        ({"n_features": 2, "feed_forward_width": 0}, "feed_forward_width must be"),
        ({"n_features": 2, "fourier_octaves": -3}, "fourier_octaves must be"),
        ({"n_features": 2, "log_n_reference": 1}, "log_n_reference must be an integer of at least 2. Got 1"),
        ({"n_features": 2, "encoder": "paper-cnn"}, "encoder of vectors must be one of .*Got 'paper-cnn'"),
        ({"image_size": 28, "encoder": "mlp"}, "encoder of images must be one of .*Got 'mlp'"),
        (
            {"image_size": 28, "encoder": "fast-cnn", "fourier_octaves": 2},
            "fourier_octaves must be 0 for images",
        ),
        ({"n_features": 2, "activation": "swish"}, "activation must be one of .*'tanh'. Got 'swish'"),
        ({"n_features": 2, "feed_forward_activation": "tanh"}, "feed_forward_activation must be one of"),
        ({"n_features": 2, "skip": "highway"}, "skip must be one of 'gated', 'plain'. Got 'highway'"),
        ({"n_features": 2, "softmax_scale": "none"}, "softmax_scale must be one of 'authors', 'paper'"),
        ({"n_features": 2, "similarity_scale": "authors"}, "similarity_scale must be one of 'none', 'paper'"),
        ({"n_features": 2, "symmetrisation": "mean"}, "symmetrisation must be one of 'logit', 'probability'"),
    ],
)
def test_an_option_that_makes_no_sense_is_an_error_that_says_what_arrived(options, message):
    with pytest.raises(InvalidInputError, match=message):
        ContextKernelConfig(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"compatibility": "cosine"},
            "compatibility must be one of 'additive', 'multiplicative'.* Got 'cosine'",
        ),
        ({"similarity": "cosine"}, "compatibility must be one of .* Got 'cosine'"),
        ({"width": 10, "heads": 3}, "width must be a multiple of heads .* Got width 10 and 3 heads"),
        ({"encoder": "identity"}, r"width must be the number of features \(2\) .* Got 128"),
        ({"head_width": 3, "output_projection": False}, "heads x head_width must be the width"),
    ],
)
def test_what_only_building_can_tell_is_an_error_when_the_network_is_built(options, message):
    with pytest.raises(InvalidInputError, match=message):
        ContextKernelNetwork(ContextKernelConfig(n_features=2, **options))


@pytest.mark.parametrize(
    ("size", "channels", "message"),
    [
        (16, (2, 3, 5, 7), r"image_size must allow 4 halvings after the unshuffle\. Got 16"),
        (29, (2, 3, 5), r"image_size must be even for the unshuffle\. Got 29"),
    ],
)
def test_a_size_that_cannot_be_halved_is_an_error(size, channels, message):
    config = ContextKernelConfig(image_size=size, encoder="fast-cnn", encoder_channels=channels)
    with pytest.raises(InvalidInputError, match=message):
        ContextKernelNetwork(config)
