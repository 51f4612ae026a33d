"""The residual encoder: what it computes, what it keeps of an image, and what it refuses."""

import pytest
import torch
from torch.nn import functional as F

from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.residual_encoder import ResidualEncoder, ResidualUnit


def test_it_is_the_formula_stage_by_stage():
    encoder = ResidualEncoder(28, (3, 5), (1, 2)).eval()
    images = torch.rand(7, 28, 28)

    def plain(layers, maps):
        convolution, norm, _ = layers
        maps = F.conv2d(maps, convolution.weight, padding=1)
        gain = norm.weight / (norm.running_var + norm.eps).sqrt()
        return torch.relu(
            (maps - norm.running_mean[:, None, None]) * gain[:, None, None] + norm.bias[:, None, None]
        )

    first, unit, _, second, *units = encoder.stages
    maps = plain(first, F.pixel_unshuffle(images[:, None], 2))
    maps = maps + plain(unit.branch, maps)
    maps = plain(second, F.max_pool2d(maps, 2))
    for each in units:
        maps = maps + plain(each.branch, maps)
    torch.testing.assert_close(encoder(images), maps.flatten(1))


@pytest.mark.parametrize(("image_size", "side"), [(28, 4), (20, 3), (32, 4), (16, 2)])
def test_an_odd_side_is_halved_upwards_so_that_the_last_row_counts(image_size, side):
    encoder = ResidualEncoder(image_size, (3, 5, 7)).eval()
    assert encoder.out_features == 7 * side * side
    moved = torch.autograd.functional.jacobian(encoder, torch.rand(1, image_size, image_size))
    assert (moved.abs().sum(dim=(0, 1, 2)) > 0).all(), "a pixel that changes nothing"


def test_a_unit_whose_norm_says_zero_is_the_identity():
    unit = ResidualUnit(5)
    torch.nn.init.zeros_(unit.branch[1].weight)
    maps = torch.rand(2, 5, 7, 7)
    torch.testing.assert_close(unit(maps), maps)


def test_a_network_takes_it_by_name_and_round_trips_through_its_file(tmp_path):
    config = ContextKernelConfig(
        image_size=28, encoder="residual-cnn", encoder_channels=(5, 7, 11), encoder_units=(1, 0, 2), width=16
    )
    network = ContextKernelNetwork(config).eval()
    images = torch.rand(13, 28, 28).numpy()
    network.save(tmp_path / "network.safetensors")
    again = ContextKernelNetwork.from_file(tmp_path / "network.safetensors")
    assert again.config == config
    torch.testing.assert_close(
        torch.from_numpy(again.kernel(images)), torch.from_numpy(network.kernel(images))
    )


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidInputError, match="one entry for each stage"):
        ResidualEncoder(28, (3, 5), (1,))
    with pytest.raises(InvalidInputError, match="must be even"):
        ResidualEncoder(27, (3, 5), (1, 1))
    with pytest.raises(InvalidInputError, match="encoder_units must be None"):
        ContextKernelConfig(image_size=28, encoder="fast-cnn", encoder_units=(1, 1, 1))
