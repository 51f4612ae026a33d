"""Groups of images: selection, rotations as classes, mirror images as groups."""

from dataclasses import replace

import numpy as np
import pytest

from abclust.datasets import GroupedImages, InstanceSampler, with_mirror_images, with_rotations
from abclust.foundations.errors import InvalidInputError


@pytest.fixture
def data() -> GroupedImages:
    images = np.random.default_rng(0).integers(0, 256, (11, 5, 5), dtype=np.uint8)
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3])
    groups = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    return GroupedImages(images, labels, groups, ("a/1", "a/2", "b/1", "c/1"), ("a", "b", "c"))


def test_rotations_are_four_classes_of_the_same_group(data):
    turned = with_rotations(data)
    assert len(turned) == 44
    assert len(turned.class_names) == 16
    assert turned.group_names == data.group_names
    for quarter in range(4):
        part = slice(11 * quarter, 11 * (quarter + 1))
        assert turned.groups[part].tolist() == data.groups.tolist()
        assert turned.labels[part].tolist() == (data.labels + 4 * quarter).tolist()
        for image, original in zip(turned.images[part], data.images):
            assert image.tolist() == np.rot90(original, quarter).tolist()


def test_mirror_images_are_new_classes_of_new_groups(data):
    mirrored = with_mirror_images(data)
    assert mirrored.images[11:].tolist() == data.images[:, :, ::-1].tolist()
    assert mirrored.labels[11:].tolist() == (data.labels + 4).tolist()
    assert mirrored.groups[11:].tolist() == (data.groups + 3).tolist()
    assert mirrored.group_names[3:] == ("a mirrored", "b mirrored", "c mirrored")
    assert len(set(mirrored.class_names)) == 8


def test_the_fingerprint_tells_apart_whatever_differs(data):
    again = replace(data, images=data.images.copy())
    others = [
        replace(data, images=255 - data.images),
        replace(data, labels=data.labels[::-1].copy()),
        replace(data, groups=np.zeros_like(data.groups)),
        replace(data, group_names=("a", "b", "d")),
    ]
    assert again.fingerprint == data.fingerprint
    assert len({data.fingerprint, *(other.fingerprint for other in others)}) == 5


def test_selection_keeps_only_the_named_groups_and_numbers_them_anew(data):
    chosen = data.select(["c", "a"])
    assert chosen.group_names == ("a", "c")
    assert chosen.class_names == ("a/1", "a/2", "c/1")
    assert chosen.labels.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert chosen.groups.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert chosen.images.tolist() == np.concatenate([data.images[:5], data.images[8:]]).tolist()


@pytest.mark.parametrize("names", [["d"], []])
def test_groups_that_are_not_there_are_refused(data, names):
    with pytest.raises(InvalidInputError, match="group_names"):
        data.select(names)


def test_a_sampler_takes_groups_by_their_names(data):
    sampler = InstanceSampler(with_rotations(data), 7, n_clusters=(3, 5), group="b")
    drawn = sampler[0]
    assert drawn.group == "b"
    assert drawn.items.shape == (7, 5, 5)
