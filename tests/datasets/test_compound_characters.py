"""Compound characters: what is new about them, what stays of the writers, and that nothing is cut off."""

import numpy as np
import pytest

from abclust.datasets.compound_characters import CompoundConfig, compound_alphabets
from abclust.datasets.grouped_images import GroupedImages
from abclust.foundations.errors import InvalidInputError


def dots(n_classes=7, n_writers=5, n_groups=2, side=28):
    """One square for each image, its size by class and its place by writer."""
    images = np.zeros((n_groups * n_classes * n_writers, side, side), np.uint8)
    for place in range(len(images)):
        label, writer = divmod(place, n_writers)
        size = 4 + 2 * (label % n_classes)
        images[place, writer : writer + size, writer : writer + size] = 255
    labels = np.arange(len(images)) // n_writers
    groups = labels // n_classes
    names = tuple(f"{group}/{label}" for group in range(n_groups) for label in range(n_classes))
    return GroupedImages(images, labels, groups, names, tuple("ab"[:n_groups]))


def test_new_alphabets_have_the_asked_number_of_characters_each_drawn_by_every_writer():
    config = CompoundConfig(alphabets_each=3, n_characters=11)
    new = compound_alphabets(dots(), config, image_size=14, seed=1)
    assert new.images.shape == (2 * 3 * 11 * 5, 14, 14)
    assert new.group_names == tuple(f"{old} compound {number}" for old in "ab" for number in (1, 2, 3))
    assert len(new.class_names) == 2 * 3 * 11
    for group in range(6):
        labels = new.labels[new.groups == group]
        assert len(np.unique(labels)) == 11
        assert set(np.bincount(labels)[np.unique(labels)]) == {5}


def test_the_same_seed_gives_the_same_characters_and_another_seed_others():
    one, same, other = (compound_alphabets(dots(), seed=seed).images for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_writers_differ_within_a_character():
    new = compound_alphabets(dots(), CompoundConfig(alphabets_each=1), seed=0)
    spread = [new.images[new.labels == label].std(axis=0).max() for label in np.unique(new.labels)]
    assert min(spread) > 0


def test_all_parts_are_in_the_frame_whatever_the_jitter():
    """A part that fills its sheet leaves its ink in the frame, never beyond the border."""
    full = dots(n_groups=1)
    full.images[:] = 255
    new = compound_alphabets(full, CompoundConfig(alphabets_each=2, jitter=0.5), seed=2)
    ink = new.images.astype(float).mean(axis=(1, 2)) / 255
    assert ink.min() > 0.03, "a box of a fifth of each side has a twenty-fifth of the frame"


def test_too_few_characters_are_refused():
    with pytest.raises(InvalidInputError, match="at least three characters"):
        compound_alphabets(dots(n_classes=2))
    with pytest.raises(InvalidInputError, match="n_parts at least 3"):
        CompoundConfig(n_parts=2)
