"""Classes bent each in its own way: the same for all items of a class, another for the next."""

import pytest
import torch

from abclust.datasets.class_warping import ClassWarpConfig, warp_classes
from abclust.foundations.errors import InvalidInputError


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def crosses(n, side=29):
    images = torch.zeros(n, side, side)
    images[:, 5:24, 13:16] = 1.0
    images[:, 9:12, 7:22] = 1.0
    return images


def test_items_of_a_class_are_bent_alike_and_classes_differently():
    labels = torch.arange(21) % 7
    bent = warp_classes(crosses(21), labels, ClassWarpConfig(), generator(3))
    for one in range(7):
        members = bent[labels == one]
        assert torch.equal(members, members[:1].expand_as(members))
    assert len({image.numpy().tobytes() for image in bent}) == 7
    assert torch.equal(bent, warp_classes(crosses(21), labels, ClassWarpConfig(), generator(3)))
    assert bent.min() >= 0
    assert bent.max() <= 1 + 1e-6


def test_differences_within_a_class_survive():
    images = crosses(4)
    images[1, 20:23, 5:24] = 1.0
    bent = warp_classes(images, torch.tensor([0, 0, 1, 1]), ClassWarpConfig(), generator(1))
    assert not torch.equal(bent[0], bent[1])
    assert torch.equal(bent[2], bent[3])


def test_with_everything_off_images_stay_as_they_are():
    off = ClassWarpConfig(rotation=0.0, shear=0.0, scale=0.0, elastic=0.0)
    bent = warp_classes(crosses(3), torch.tensor([0, 1, 2]), off, generator())
    torch.testing.assert_close(bent, crosses(3), atol=1e-5, rtol=0)


def test_a_bend_is_far_and_keeps_most_of_the_ink():
    images, labels = crosses(200), torch.arange(200)
    bent = warp_classes(images, labels, ClassWarpConfig(), generator(5))
    overlap = (bent * images).sum(dim=(1, 2)) / images.sum(dim=(1, 2))
    assert float(overlap.mean()) < 0.7
    ink = bent.sum(dim=(1, 2)) / images.sum(dim=(1, 2))
    assert 0.8 < float(ink.mean()) < 1.3


@pytest.mark.parametrize("options", [{"rotation": -1.0}, {"elastic": -0.1}, {"elastic_cells": 1}])
def test_impossible_amounts_are_refused(options):
    with pytest.raises(InvalidInputError):
        ClassWarpConfig(**options)
