"""Local sets: everybody once in the middle, neighbours around, a number of sets that grows with the items."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.foundations.errors import InvalidInputError
from abclust.scale.config import LocalContextConfig, local_context
from abclust.scale.local_sets import LocalSets, pack_local_sets
from abclust.scale.neighbours import nearest_neighbours
from abclust.scale.super_nodes import cluster_centres, representatives, super_sets


def packed(n_items: int, seed: int = 0, **options: int) -> tuple[LocalSets, np.ndarray]:
    points = np.random.default_rng(seed).normal(size=(n_items, 3))
    neighbours = nearest_neighbours(points, 13)
    asked = {"set_size": 29, "n_near": 5, "n_far": 3, **options}
    return pack_local_sets(neighbours, None, n_items, seed=seed, **asked), neighbours


@given(st.integers(1, 211), st.integers(0, 5))
def test_every_item_is_in_the_middle_of_one_set_with_its_nearest_neighbours(n_items: int, seed: int) -> None:
    sets, neighbours = packed(n_items, seed)
    assert sets.middle.tolist() == list(range(n_items))
    for item, number in zip(sets.middle, sets.set_of_middle):
        assert {item, *neighbours[item, :5]} <= set(sets.items[number].tolist())


@given(st.integers(1, 211), st.integers(0, 5))
def test_sets_are_of_one_size_and_hold_nobody_twice(n_items: int, seed: int) -> None:
    sets, _ = packed(n_items, seed)
    assert sets.items.shape[1] == min(29, n_items)
    assert all(len(set(each)) == len(each) for each in sets.items.tolist())


def test_there_are_not_more_sets_than_the_stated_bound() -> None:
    for n_items in (101, 1009, 4001):
        sets, _ = packed(n_items)
        assert len(sets.items) <= n_items // ((29 - 3) // (5 + 1)) + 1


def test_the_same_seed_packs_the_same_sets_and_another_packs_others() -> None:
    first, second, other = packed(199)[0], packed(199)[0], None
    assert np.array_equal(first.items, second.items)
    points = np.random.default_rng(0).normal(size=(199, 3))
    other = pack_local_sets(nearest_neighbours(points, 13), None, 199, set_size=29, n_near=5, seed=1)
    assert first.items.shape != other.items.shape or not np.array_equal(first.items, other.items)


def test_a_set_too_small_for_an_item_and_its_neighbours_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="set_size must hold"):
        packed(41, set_size=7, n_near=5, n_far=3)


def test_clusters_stand_in_sets_by_their_representatives() -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 17, size=307)
    labels[:17] = np.arange(17)
    config = LocalContextConfig(set_size=47, n_far=5, n_near=5, n_neighbors=11, n_representatives=3)
    sets = super_sets(rng.normal(size=(307, 2)) + labels[:, None], labels, config, seed=0)
    assert np.bincount(labels[sets.middle]).tolist() == np.minimum(np.bincount(labels), 3).tolist()
    for cluster in range(17):
        assert len(set(sets.set_of_middle[labels[sets.middle] == cluster])) == 1


def test_centres_are_means_and_representatives_are_members() -> None:
    rng = np.random.default_rng(5)
    labels, features = rng.integers(0, 5, size=89), rng.normal(size=(89, 3))
    centres = cluster_centres(features, labels, 5)
    drawn = representatives(labels, 5, 7, rng)
    for cluster in range(5):
        assert np.allclose(centres[cluster], features[labels == cluster].mean(axis=0), atol=1e-6)
        assert (labels[drawn[cluster]] == cluster).all()
        assert len(set(drawn[cluster].tolist())) == min(7, (labels == cluster).sum())


def test_the_header_of_weights_may_say_how_local_sets_look() -> None:
    assert local_context({}, is_for_images=True).space == "encoded"
    assert local_context({}, is_for_images=False).space == "items"
    asked = local_context({"local_context": {"set_size": 61, "space": "encoded"}}, is_for_images=False)
    assert (asked.set_size, asked.space) == (61, "encoded")


@pytest.mark.parametrize(
    "wrong",
    [
        {"set_size": 0},
        {"n_far": 190},
        {"n_near": 90},
        {"levels": -1},
        {"caution": math.nan},
        {"space": "pixels"},
    ],
)
def test_a_configuration_that_cannot_be_is_refused(wrong: dict) -> None:
    with pytest.raises(InvalidInputError):
        LocalContextConfig(**wrong)
