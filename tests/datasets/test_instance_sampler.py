"""Algorithm 1: what every drawn set must obey, and that the same seed gives the same sets to everybody."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abclust
from abclust.datasets.instance_sampler import InstanceSampler, sample_instance
from abclust.foundations.errors import InvalidInputError


def alphabets(n_groups=3, n_classes=7, n_items=5):
    """Items that carry their own group, class and number, so that a set can be checked by looking at it."""
    group, label, item = np.meshgrid(*map(np.arange, (n_groups, n_classes, n_items)), indexing="ij")
    items = np.stack([group.ravel(), label.ravel(), item.ravel()], axis=1).astype(float)
    return items, label.ravel(), np.array(["alpha", "beta", "gamma"])[group.ravel()]


ITEMS, LABELS, GROUPS = alphabets()


@given(st.integers(1, 35), st.sampled_from(["authors", "uniform"]), st.integers(0, 99))
def test_a_set_obeys_algorithm_1(length, sizes, seed):
    drawn = sample_instance((ITEMS, LABELS), length, groups=GROUPS, sizes=sizes, seed=seed)
    assert drawn.n_items == length
    assert len(np.unique(drawn.items, axis=0)) == length  # without replacement
    assert len(set(drawn.items[:, 0])) == 1  # one group
    assert drawn.group == ["alpha", "beta", "gamma"][int(drawn.items[0, 0])]
    same_class = drawn.items[:, None, 1] == drawn.items[None, :, 1]
    assert (drawn.true_kernel == same_class).all()
    assert drawn.n_clusters == len(set(drawn.items[:, 1]))


def test_k_is_uniform_over_the_feasible_values():
    sampler = InstanceSampler((ITEMS, LABELS), 11, groups=GROUPS, seed=1)
    counts = Counter(sampler.indices(i).n_clusters for i in range(600))
    assert set(counts) == {3, 4, 5, 6, 7}  # two classes of 5 items cannot give 11, and there are 7 classes
    assert max(abs(count - 120) for count in counts.values()) < 4 * np.sqrt(120)


def test_groups_and_classes_are_uniform():
    sampler = InstanceSampler((ITEMS, LABELS), 5, n_clusters=1, groups=GROUPS)
    counts = Counter((i.group, int(LABELS[i.places[0]])) for i in map(sampler.indices, range(420)))
    assert len(counts) == 21
    assert max(abs(count - 20) for count in counts.values()) < 4 * np.sqrt(20)


def test_n_clusters_and_group_can_be_chosen():
    sampler = InstanceSampler(
        (ITEMS, LABELS), 13, n_clusters=(4, 5), groups=GROUPS, group="beta", n_instances=50
    )
    assert {each.n_clusters for each in sampler} == {4, 5}
    assert sampler.groups == ("beta",)
    assert {each.group for each in sampler} == {"beta"}


def test_a_single_group_keeps_its_name():
    only = sample_instance((ITEMS, LABELS), 7, groups=["alpha"] * len(ITEMS), group="alpha", seed=0)
    assert only.group == "alpha"


def test_lengths_may_vary_and_stop_at_what_a_group_holds():
    with pytest.warns(UserWarning, match="left out: tiny"):
        sampler = InstanceSampler(
            (np.arange(31.0)[:, None], np.repeat([0, 1, 2, 3], [5, 11, 2, 13])),
            length=(7, 99),
            groups=np.repeat(["tiny", "one", "two"], [5, 13, 13]),
        )
    drawn = [sampler.indices(i) for i in range(300)]
    assert {len(each.labels) for each in drawn} == set(range(7, 14))
    assert {each.group for each in drawn} == {"one", "two"}


def test_instance_i_does_not_depend_on_who_asks():
    sampler = InstanceSampler((ITEMS, LABELS), 11, groups=GROUPS, n_instances=13, seed=4)
    alone = [each.items.tolist() for each in sampler]
    assert [
        each.items.tolist() for each in InstanceSampler((ITEMS, LABELS), 11, groups=GROUPS, seed=4)[:13]
    ] == alone
    for n_workers in (2, 3, 5):
        shares = [[each.items.tolist() for each in sampler.shard(w, n_workers)] for w in range(n_workers)]
        assert [shares[i % n_workers][i // n_workers] for i in range(13)] == alone
    assert sampler[7].items.tolist() == alone[7]
    assert ITEMS[sampler.indices(7).places].tolist() == alone[7]


def test_another_seed_gives_other_sets_and_sets_differ():
    first, second = (InstanceSampler((ITEMS, LABELS), 11, groups=GROUPS, seed=seed) for seed in (0, 1))
    assert first[0].items.tolist() != second[0].items.tolist()
    assert first[0].items.tolist() != first[1].items.tolist()


def test_items_come_in_random_order():
    ups = [
        np.all(np.diff(each.labels) >= 0)
        for each in InstanceSampler((ITEMS, LABELS), 31, n_clusters=(4, 7))[:20]
    ]
    assert not any(ups)


def test_a_sampler_without_end_iterates_without_end_and_has_no_length():
    sampler = InstanceSampler((ITEMS, LABELS), 7)
    assert len(list(islice(sampler, 23))) == 23
    with pytest.raises(TypeError, match="no length"):
        len(sampler)
    with pytest.raises(InvalidInputError, match="must have an end"):
        sampler[3:]


def test_a_sampler_with_an_end_has_a_length_and_ends():
    sampler = InstanceSampler((ITEMS, LABELS), 7, n_instances=5)
    assert len(sampler) == len(list(sampler)) == len(sampler[:]) == 5
    for outside in (5, -1):
        with pytest.raises(IndexError):
            sampler[outside]


@pytest.mark.parametrize(
    "options",
    [
        {"length": 36},
        {"length": 11, "n_clusters": 2},
        {"length": 11, "n_clusters": 8},
        {"length": 0},
        {"length": (7, 5)},
        {"length": 7, "sizes": "even"},
        {"length": 7, "group": "delta"},
        {"length": 7, "n_clusters": (0, 3)},
        {"length": 7, "seed": -1},
    ],
)
def test_sets_that_cannot_be_drawn_are_refused_before_the_first(options):
    with pytest.raises(InvalidInputError):
        InstanceSampler((ITEMS, LABELS), groups=GROUPS, **options)


def test_the_public_names_are_these_functions():
    assert abclust.sample_instance is sample_instance
    assert abclust.InstanceSampler is InstanceSampler
