"""Classes of groups: what is possible, which classes, which items."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.class_index import index_classes, split_data
from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError


def one_group(sizes):
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    (index,) = index_classes(labels, np.zeros(len(labels)))
    return index, labels


@given(st.lists(st.integers(1, 9), min_size=1, max_size=7), st.data())
def test_k_is_feasible_exactly_where_some_classes_can_fill_the_set(sizes, data):
    length = data.draw(st.integers(1, sum(sizes)))
    index, _ = one_group(sizes)
    possible = [
        k
        for k in range(1, len(sizes) + 1)
        if k <= length and any(sum(chosen) >= length for chosen in itertools.combinations(sizes, k))
    ]
    fewest, most = index.feasible_n_clusters(length)
    assert list(range(fewest, most + 1)) == possible


@given(st.lists(st.integers(1, 9), min_size=2, max_size=7), st.data())
def test_drawn_classes_differ_and_can_always_fill_the_set(sizes, data):
    length = data.draw(st.integers(1, sum(sizes)))
    index, _ = one_group(sizes)
    fewest, most = index.feasible_n_clusters(length)
    k = data.draw(st.integers(fewest, most))
    for seed in range(5):
        classes = index.draw_classes(k, length, np.random.default_rng(seed))
        assert len(set(classes.tolist())) == k
        assert index.sizes[classes].sum() >= length


def test_each_class_is_uniform_among_those_with_which_the_set_can_still_be_filled():
    """Sizes 2, 3, 5, 7, two classes for 8 items: first 2 (then 7), 3 (5 or 7), 5 (3 or 7), 7 (any)."""
    index, _ = one_group([2, 3, 5, 7])
    expected = {(0, 3): 1 / 4, (1, 2): 1 / 8, (1, 3): 1 / 8, (2, 1): 1 / 8, (2, 3): 1 / 8}
    expected |= {(3, 0): 1 / 12, (3, 1): 1 / 12, (3, 2): 1 / 12}
    generator = np.random.default_rng(3)
    drawn = Counter(tuple(index.draw_classes(2, 8, generator).tolist()) for _ in range(2000))
    assert set(drawn) == set(expected)
    for pair, probability in expected.items():
        assert abs(drawn[pair] / 2000 - probability) < 4 * np.sqrt(probability / 2000)


@pytest.mark.parametrize("sizes", [[7, 3, 11, 5], [2000, 3, 1100, 5]], ids=["by one sort", "class by class"])
def test_items_come_from_their_classes_without_replacement_and_uniformly(sizes):
    index, labels = one_group(sizes)
    classes, counts = np.array([2, 1, 0]), np.array([5, 3, 2])
    generator = np.random.default_rng(1)
    seen = Counter()
    for _ in range(600):
        places = index.draw_items(classes, counts, generator)
        assert labels[places].tolist() == [2] * 5 + [1] * 3 + [0] * 2
        assert len(set(places.tolist())) == 10
        seen.update(places[-2:].tolist())
    times = np.array([seen[place] for place in np.flatnonzero(labels == 0)])
    assert abs(times - 1200 / sizes[0]).max() < 5 * np.sqrt(1200 / sizes[0]) + 1


def test_every_kind_of_data_gives_the_same_arrays():
    items, labels = np.arange(10.0).reshape(5, 2), np.array([0, 0, 1, 1, 1])
    by_class = {"a": items[:2], "b": items[2:]}
    for data in [(items, labels), by_class, list(by_class.values()), LabelledSet(items, labels)]:
        got_items, got_labels, got_groups = split_data(data)
        assert got_items.tolist() == items.tolist()
        assert got_labels.tolist() == labels.tolist()
        assert set(got_groups.tolist()) == {""}


def test_classes_of_the_same_name_in_two_groups_are_two_classes():
    first, second = index_classes(np.array([0, 0, 0, 1]), np.array(["b", "a", "b", "b"]))
    assert (first.group, first.sizes.tolist(), first.members.tolist()) == ("a", [1], [1])
    assert (second.group, second.sizes.tolist(), second.members.tolist()) == ("b", [2, 1], [0, 2, 3])


@pytest.mark.parametrize(
    "data",
    [
        (np.zeros((3, 2)), np.zeros(2)),
        (np.zeros((0, 2)), np.zeros(0)),
        (np.zeros((2, 2)), np.zeros((2, 2))),
        [np.zeros((3, 2)), np.zeros((3, 5))],
        [],
        "omniglot",
    ],
)
def test_data_of_no_known_kind_are_refused(data):
    with pytest.raises(InvalidInputError):
        split_data(data)


def test_groups_must_be_one_for_each_item():
    with pytest.raises(InvalidInputError, match="equally many"):
        split_data((np.zeros((3, 2)), np.zeros(3)), groups=["a"])
