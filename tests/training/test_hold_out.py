import numpy as np
import pytest

from abclust.datasets.labelled_set import LabelledSet
from abclust.training.hold_out import hold_out, instances


def set_of(n, k, group="", name=""):
    return LabelledSet(np.arange(2.0 * n).reshape(n, 2), np.arange(n) % k, name, group)


def test_groups_are_held_out_whole():
    sets = [set_of(7, 3, group=letter) for letter in "abcdefg" for _ in range(3)]
    learnt, held = hold_out(sets, share=0.3)
    assert len({each.group for each in held}) == 2
    assert {each.group for each in learnt}.isdisjoint({each.group for each in held})
    assert len(learnt) + len(held) == 21


def test_sets_are_held_out_where_groups_have_no_names():
    sets = [set_of(n, 2) for n in (5, 7, 11, 13, 17)]
    learnt, held = hold_out(sets)
    assert (len(learnt), len(held)) == (4, 1)
    assert all(each is not other for each in learnt for other in held)


def test_classes_are_held_out_of_a_single_set():
    (learnt,), (held,) = hold_out([set_of(110, 11)])
    assert learnt.n_items + held.n_items == 110
    rows = {tuple(row) for row in learnt.items} & {tuple(row) for row in held.items}
    assert not rows
    assert held.n_clusters >= 2
    assert learnt.n_clusters + held.n_clusters == 11


def test_little_data_is_all_learnt_from():
    sets = [set_of(7, 3)]
    assert hold_out(sets) == (sets, [])


def test_the_choice_is_the_seeds():
    sets = [set_of(n, 2) for n in range(3, 40)]
    assert hold_out(sets, seed=1) == hold_out(sets, seed=1) != hold_out(sets, seed=2)


def test_small_sets_are_judged_whole_and_large_ones_by_drawn_sets():
    drawn = instances([set_of(11, 3), set_of(500, 13, group="large")], n_instances=10, max_items=53)
    assert [each.n_items for each in drawn] == [11] + [53] * 5
    assert {each.group for each in drawn[1:]} == {"large"}


@pytest.mark.parametrize("count", [3, 97])
def test_about_as_many_instances_are_judged_as_asked(count):
    assert len(instances([set_of(7, 3)] * count, n_instances=10)) == min(count, 10)
