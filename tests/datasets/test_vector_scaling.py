"""Columns on one scale: units do not matter, tails come closer and keep their order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.vector_scaling import scale_columns


@given(seed=st.integers(0, 999), unit=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3))
def test_neither_unit_nor_origin_of_a_column_matters(seed: int, unit: float, shift: float) -> None:
    points = np.random.default_rng(seed).standard_t(2, (3, 37, 5))
    changed = points.copy()
    changed[..., 2] = unit * (points[..., 2] + shift)
    np.testing.assert_allclose(scale_columns(changed), scale_columns(points), atol=1e-6)


def test_columns_have_mean_zero_and_range_one() -> None:
    scaled = scale_columns(np.random.default_rng(0).lognormal(0, 2, (3, 41, 7)))
    np.testing.assert_allclose(scaled.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(np.ptp(scaled, axis=1), 1, atol=1e-12)


def test_without_outliers_nothing_but_the_scale_changes() -> None:
    points = np.random.default_rng(1).uniform(-3, 11, (2, 53, 3))
    expected = (points - points.mean(axis=1, keepdims=True)) / np.ptp(points, axis=1)[:, None]
    np.testing.assert_allclose(scale_columns(points), expected, atol=1e-12)


def test_an_absurd_value_comes_closer_by_the_formula_and_keeps_its_order() -> None:
    column = np.arange(101.0)  # q05 = 5, q95 = 95, r = 90: the upper fence stands at 185
    column[[99, 100]] = 1e4, 1e9
    drawn = 185 + 90 * np.log1p((np.array([1e4, 1e9]) - 185) / 90)
    expected = np.concatenate([column[:99], drawn])
    expected = (expected - expected.mean()) / np.ptp(expected)
    scaled = scale_columns(column[None, :, None])[0, :, 0]
    np.testing.assert_allclose(scaled, expected, atol=1e-12)
    assert (np.diff(scaled) > 0).all()


def test_constant_columns_become_zero_and_rare_values_survive() -> None:
    points = np.full((1, 67, 2), 1e5 + 0.1, dtype=np.float32)
    points[0, 3, 1] = 7.0  # 66 of 67 values are equal: there is no bulk to measure by
    scaled = scale_columns(points)
    assert not scaled[..., 0].any()
    assert np.ptp(scaled[..., 1]) == 1


def test_columns_of_few_values_weigh_less_by_the_formula() -> None:
    counts = np.array([2, 3, 9, 17, 40])
    points = np.stack([np.arange(101.0) % count for count in counts], axis=1)[None]
    ranges = np.ptp(scale_columns(points, values_of_full_weight=17), axis=1)[0]
    np.testing.assert_allclose(ranges, np.sqrt(np.minimum((counts - 1) / 16, 1)), atol=1e-12)
    few = np.ptp(scale_columns(points[:, :9], values_of_full_weight=17), axis=1)[0]
    np.testing.assert_allclose(few[2:], 1, atol=1e-12)  # nine items cannot have more than nine values
