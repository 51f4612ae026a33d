"""Augmentation: nothing changes where everything is off, and each kind does what it says."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from abclust.datasets.image_augmentation import (
    AUTHORS_AUGMENTATION,
    AugmentationConfig,
    augment,
    coarsen,
    embolden,
    vary_stroke_width,
)
from abclust.foundations.errors import InvalidInputError

OFF = {"rotation": 0.0, "scale": 0.0, "shear": 0.0, "shift": 0.0}


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def blobs(n=5, side=29):
    """A filled ellipse each, off the centre: wider than high."""
    y, x = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    images = [((x - 11 - i) / 7) ** 2 + ((y - 13) / 3) ** 2 <= 1 for i in range(n)]
    return torch.stack(images).float()


def test_with_everything_off_images_stay_as_they_are():
    images = torch.rand(3, 13, 13, generator=generator())
    torch.testing.assert_close(
        augment(images, AugmentationConfig(**OFF), generator()), images, atol=1e-5, rtol=0
    )


@pytest.mark.parametrize(
    "config",
    [
        AUTHORS_AUGMENTATION,
        AugmentationConfig(),
        AugmentationConfig(**OFF, elastic=1.0),
        AugmentationConfig(**OFF, stroke=0.5),
        AugmentationConfig(**OFF, ink_size=(9.0, 19.0)),
    ],
    ids=["authors", "affine", "elastic", "stroke", "framing"],
)
def test_the_seed_decides_everything_and_each_image_is_varied_on_its_own(config):
    images = blobs()[:1].repeat(7, 1, 1)
    varied = augment(images, config, generator(3))
    assert torch.equal(varied, augment(images, config, generator(3)))
    assert not torch.equal(varied, augment(images, config, generator(4)))
    assert len({image.numpy().tobytes() for image in varied}) == 7
    assert varied.min() >= 0
    assert varied.max() <= 1 + 1e-6


def test_a_rotation_keeps_the_mass_and_its_distance_from_the_centre():
    images = blobs()
    turned = augment(images, AugmentationConfig(**OFF | {"rotation": 90.0}), generator(1))
    torch.testing.assert_close(turned.sum(dim=(1, 2)), images.sum(dim=(1, 2)), rtol=0.05, atol=0)


def test_a_shift_moves_the_centre_of_mass_by_at_most_its_amount():
    images = blobs(n=1).repeat(101, 1, 1)
    moved = augment(images, AugmentationConfig(**OFF | {"shift": 0.1}), generator(2))
    axis = torch.arange(29.0)
    for dim in (1, 2):
        centre = (moved.sum(dim=3 - dim) * axis).sum(dim=1) / moved.sum(dim=(1, 2))
        original = (images.sum(dim=3 - dim) * axis).sum(dim=1) / images.sum(dim=(1, 2))
        offsets = centre - original
        assert offsets.abs().max() <= 2.9 + 0.05
        assert offsets.std() == pytest.approx(2.9 / 3**0.5, rel=0.15)


def test_framing_brings_the_ink_to_the_wanted_size_in_the_middle():
    images = torch.cat([blobs(), F.pad(blobs(n=2, side=19), (0, 10, 10, 0))])
    framed = augment(images, AugmentationConfig(**OFF, ink_size=(21.0, 21.0)), generator())
    for image in framed > 0.5:
        columns = torch.nonzero(image.any(dim=0)).flatten()
        assert abs(int(columns[-1] - columns[0]) + 1 - 21) <= 1
        assert abs(int(columns[-1] + columns[0]) - 28) <= 1


def test_framing_leaves_a_blank_image_blank():
    blank = torch.zeros(2, 11, 11)
    assert torch.equal(augment(blank, AugmentationConfig(ink_size=(5.0, 9.0)), generator()), blank)


@given(st.floats(-1, 1))
def test_stroke_width_blends_with_the_largest_or_smallest_neighbour(amount):
    images = torch.rand(2, 5, 7, generator=generator())[:, :, :5]
    varied = vary_stroke_width(images, torch.full((2,), amount))
    for place in range(2):
        for row in range(5):
            for column in range(5):
                near = images[place, max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
                target = near.max() if amount > 0 else near.min()
                expected = (1 - abs(amount)) * images[place, row, column] + abs(amount) * target
                torch.testing.assert_close(varied[place, row, column], expected)


def test_bold_strokes_are_wider_by_the_stated_pixels_and_alike_in_a_call():
    images = blobs()[:1].repeat(7, 1, 1)
    wider = embolden(images, 2.0)
    columns = [int((each[0] > 0.5).any(dim=0).sum()) for each in (images, wider)]
    assert columns[1] - columns[0] == 4
    seen = [augment(images, AugmentationConfig(**OFF, bold=3.0), generator(seed)) for seed in range(23)]
    assert all(torch.equal(each, each[:1].expand_as(each)) for each in seen)  # one pen for all
    grown = [float(each.sum() / images.sum()) for each in seen]
    assert 5 < sum(share < 1.0001 for share in grown) < 18  # half of the calls leave strokes as they are
    assert 1.5 < max(grown) < float(embolden(images, 3.0).sum() / images.sum())
    rarely = AugmentationConfig(**OFF, bold=3.0, bold_share=0.1)
    few = [float(augment(images, rarely, generator(seed)).sum() / images.sum()) for seed in range(97)]
    assert 3 < sum(share > 1.0001 for share in few) < 20
    assert max(few) > 1.5


def test_coarse_images_keep_their_mass_and_lose_what_is_finer_than_their_pixels():
    stripes = (torch.arange(28) % 2).float().repeat(3, 28, 1)
    coarse = coarsen(stripes, 14)
    assert coarse.shape == stripes.shape
    torch.testing.assert_close(coarse, torch.full_like(coarse, 0.5))
    assert torch.equal(coarsen(stripes, 28), stripes)
    config = AugmentationConfig(**OFF, coarse=0.5, coarsest=7)
    blurred = [(augment(stripes, config, generator(seed)) - stripes).abs().max() > 0.1 for seed in range(23)]
    assert 5 < sum(blurred) < 18


def test_elastic_deformation_has_the_stated_size():
    """A ramp shows where each pixel came from: its change is the horizontal displacement, in pixels."""
    side = 37
    ramp = torch.arange(float(side)).repeat(23, side, 1)
    moved = augment(ramp, AugmentationConfig(**OFF, elastic=1.0), generator(5))
    displacement = (moved - ramp)[:, 6:-6, 6:-6]  # away from the border, where samples fall outside
    assert 0.4 < float(displacement.std()) < 1.1  # interpolation between knots lowers the deviation
    roughness = (displacement[:, 1:] - displacement[:, :-1]).abs().mean()
    assert float(roughness) < 0.15


@pytest.mark.parametrize(
    "options",
    [
        {"rotation": -1.0},
        {"scale": 1.0},
        {"stroke": 1.5},
        {"elastic_cells": 1},
        {"ink_size": (9.0, 5.0)},
        {"bold": -1.0},
        {"bold_share": 0.0},
        {"coarse": 1.5},
        {"coarsest": 0},
    ],
)
def test_impossible_amounts_are_refused(options):
    with pytest.raises(InvalidInputError):
        AugmentationConfig(**options)
