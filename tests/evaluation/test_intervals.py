"""Intervals of a mean: the textbook's, and what groups change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from abclust.evaluation import interval
from abclust.foundations.errors import InvalidInputError

VALUES = np.random.default_rng(0).beta(5, 2, size=37)


def test_normal_interval_is_students():
    expected = stats.t.interval(0.95, len(VALUES) - 1, loc=VALUES.mean(), scale=stats.sem(VALUES))
    found = interval(VALUES)
    assert (found.low, found.high) == pytest.approx(expected)
    assert (found.mean, found.count) == (pytest.approx(VALUES.mean()), 37)


def test_bootstrap_agrees_with_the_normal_interval_on_well_behaved_values():
    normal, bootstrap = interval(VALUES), interval(VALUES, method="bootstrap")
    assert bootstrap.low == pytest.approx(normal.low, abs=0.01)
    assert bootstrap.high == pytest.approx(normal.high, abs=0.01)


def test_bootstrap_stays_within_the_values_where_the_normal_interval_does_not():
    nearly_perfect = [1.0] * 11 + [0.2]
    assert interval(nearly_perfect).high > 1
    assert interval(nearly_perfect, method="bootstrap").high <= 1


def test_bootstrap_of_many_values_goes_block_by_block():
    found = interval(np.tile(VALUES, 331), method="bootstrap")
    assert found.low < VALUES.mean() < found.high
    assert found.high - found.low < 0.01


def test_sets_that_repeat_their_group_add_no_certainty():
    repeated, groups = np.repeat(VALUES, 5), np.repeat(np.arange(len(VALUES)), 5).tolist()
    alone, together = interval(VALUES), interval(repeated, groups=groups)
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high))
    assert interval(repeated).high - interval(repeated).low < together.high - together.low


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_intervals_hold_the_true_mean_as_often_as_they_say(method):
    generator = np.random.default_rng(0)
    draws = generator.normal(0.5, 0.1, size=(400, 41))
    found = [
        interval(row, method=method, confidence=0.8) for row in draws[: 400 if method == "normal" else 150]
    ]
    assert 0.72 < np.mean([entry.low < 0.5 < entry.high for entry in found]) < 0.88


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=19))
def test_the_mean_lies_inside(values):
    found = interval(values)
    assert found.low <= found.mean <= found.high


def test_one_value_or_one_group_gives_no_interval():
    assert interval([0.5]).bounds() is None
    assert interval([0.5, 0.6, 0.7], groups=["Greek"] * 3).bounds() is None
    assert interval([0.5, 0.5]).bounds() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ([], {}, "at least one finite number"),
        ([[0.5]], {}, "flat list"),
        ([0.5, np.nan], {}, "finite"),
        ([0.5, 0.6], {"groups": ["a"]}, "as many as values"),
        ([0.5, 0.6], {"confidence": 1.0}, "between 0 and 1"),
        ([0.5, 0.6], {"method": "guess"}, "'bootstrap', 'normal'"),
    ],
)
def test_values_without_an_interval_are_refused(values, settings, message):
    with pytest.raises(InvalidInputError, match=message):
        interval(values, **settings)
