"""Any table in, a fixed number of columns out, whatever its units, order, gaps and shape."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.vector_preparation import (
    VectorPreparation,
    n_columns_of,
    prepare_vector_batch,
    prepare_vectors,
)
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict

SMALL = VectorPreparation(n_components=5, n_projected=7, n_diffusion=3)
CONNECTED = replace(SMALL, n_slow_diffusion=4, n_linkage=2)


def _table(n_items: int = 31, n_features: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(1.0, 2.0, (n_items, n_features))


@given(n_items=st.integers(1, 40), n_features=st.integers(1, 50), seed=st.integers(0, 99))
def test_every_table_of_numbers_becomes_finite_columns_of_the_stated_width(n_items, n_features, seed):
    rng = np.random.default_rng(seed)
    table = np.round(rng.standard_normal((n_items, n_features)), rng.integers(0, 3))
    table[rng.random(table.shape) < 0.2 * rng.integers(2)] = np.nan
    prepared = prepare_vectors(table, CONNECTED)
    assert prepared.shape == (n_items, CONNECTED.width)
    assert prepared.dtype == np.float32
    assert np.isfinite(prepared).all()


def test_the_order_of_rows_and_columns_and_the_units_do_not_matter():
    table, rng = _table(), np.random.default_rng(1)
    rows, columns = rng.permutation(31), rng.permutation(4)
    prepared = prepare_vectors(table)
    np.testing.assert_allclose(prepare_vectors(table[rows]), prepared[rows], atol=1e-3)
    np.testing.assert_allclose(prepare_vectors(table[:, columns]), prepared, atol=1e-3)
    np.testing.assert_allclose(
        prepare_vectors(table * [1e-9, 1.0, 1e12, -3.0] + [0, 7, 0, 1]), prepared, atol=1e-3
    )


def test_constant_and_missing_columns_change_nothing_and_gaps_become_medians():
    table = _table()
    padded = np.insert(table, [0, 2], [[np.nan, 4.0]], axis=1)
    np.testing.assert_array_equal(prepare_vectors(padded), prepare_vectors(table))
    with_gap, filled = table.copy(), table.copy()
    with_gap[5, 1] = np.nan
    filled[5, 1] = np.median(np.delete(table[:, 1], 5))
    np.testing.assert_array_equal(prepare_vectors(with_gap), prepare_vectors(filled))


def test_rows_that_are_equal_are_prepared_equally():
    table = _table()
    table[[3, 17, 30]] = table[8]
    prepared = prepare_vectors(table)
    np.testing.assert_allclose(prepared[[3, 17, 30]], prepared[[8, 8, 8]], atol=1e-4)


@pytest.mark.parametrize("table", [np.full((13, 3), 5.0), np.full((7, 2), np.nan), [[3.0, 4.0]]])
def test_a_table_in_which_nothing_varies_has_no_coordinates(table):
    prepared = prepare_vectors(table)
    assert not prepared[:, : VectorPreparation().n_signed].any()
    assert np.isfinite(prepared).all()


def test_numbers_near_the_largest_that_there_are_do_not_overflow():
    assert np.isfinite(prepare_vectors(_table() * 1e307)).all()
    assert np.isfinite(prepare_vectors(_table() * 1e-300)).all()


def test_columns_stand_in_their_places():
    n_items, width = 31, SMALL.width
    prepared = prepare_vectors(_table(n_items), SMALL)
    assert width == 5 + 5 + 3 + 3 + 2
    assert prepared[:, :4].any(axis=0).all()
    assert not prepared[:, 4].any()  # four columns have four components
    assert prepared[:, 0].std() == pytest.approx(0.5, rel=1e-4)
    np.testing.assert_allclose(prepared[:, 5:9].std(axis=0), 0.5, rtol=1e-3)
    np.testing.assert_allclose(np.median(prepared[:, 13:16], axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(prepared[:, 16], np.log(n_items / 100) / 2, rtol=1e-5)
    np.testing.assert_allclose(prepared[:, 17], np.log(4 / 8) / 2, rtol=1e-5)


def test_slow_walk_and_linkage_stand_between_the_quick_walk_and_the_densities():
    table = _table()
    prepared, plain = prepare_vectors(table, CONNECTED), prepare_vectors(table, SMALL)
    assert CONNECTED.signed_groups == ((0, 5), (5, 10), (10, 13), (13, 17), (17, 19))
    assert replace(CONNECTED, n_diffusion=0).signed_groups == ((0, 5), (5, 10), (10, 14), (14, 16))
    np.testing.assert_array_equal(prepared[:, :13], plain[:, :13])
    np.testing.assert_array_equal(prepared[:, 19:], plain[:, 13:])
    assert prepared[:, 13:19].any(axis=0).all()


def test_a_batch_is_prepared_as_its_sets_are_one_by_one():
    points = np.random.default_rng(5).gamma(1.0, 2.0, (3, 29, 6))
    batch = prepare_vector_batch(points, SMALL)
    for found, one in zip(batch, points, strict=True):
        np.testing.assert_allclose(found, prepare_vector_batch(one[None], SMALL)[0], atol=1e-5)
        np.testing.assert_allclose(found, prepare_vectors(one, SMALL), atol=2e-3)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([["a", "b"]], "real numbers"),
        ([[1.0], [2.0, 3.0]], "rectangular"),
        ([[1j]], "real numbers"),
        (np.zeros((0, 3)), "at least one row"),
        (np.zeros((3, 0)), "at least one row"),
        (np.zeros(3), "shape"),
        ([[np.inf], [1.0]], "infinite"),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(table, words):
    with pytest.raises(InvalidInputError, match=words):
        prepare_vectors(table)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_components": 0},
        {"n_projected": 3},
        {"n_diffusion": 13},
        {"n_linkage": 13},
        {"values_of_full_weight": 0},
        {"smallest_deviation": 1.0},
    ],
)
def test_a_preparation_refuses_impossible_numbers(wrong):
    with pytest.raises(InvalidInputError):
        VectorPreparation(**wrong)


def test_a_preparation_survives_a_header():
    assert from_dict(VectorPreparation, to_dict(CONNECTED)) == CONNECTED


def test_a_yes_or_no_among_measurements_has_little_say_if_few_values_weigh_less():
    rng = np.random.default_rng(0)
    measured = rng.standard_normal((101, 4))
    answers = rng.integers(2, size=(101, 1))
    says = []
    for full in (1, 17):
        preparation = replace(SMALL, values_of_full_weight=full)
        first = prepare_vectors(np.hstack([measured, answers]), preparation)[:, 0]
        says.append(abs(np.corrcoef(first, answers[:, 0])[0, 1]))
    assert says[0] > 0.9
    assert says[1] < 0.5


def test_a_column_that_others_determine_changes_little_if_directions_are_counted():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((60, 3)) + 6 * rng.integers(2, size=(60, 1))
    total = table.sum(axis=1, keepdims=True)
    counting = VectorPreparation(smallest_deviation=0.03, counts_directions=True)
    with_total = np.hstack([table, total + 0.1 * rng.standard_normal(total.shape)])
    assert n_columns_of(prepare_vectors(with_total)) == 4
    assert n_columns_of(prepare_vectors(with_total, counting)) == 3
    assert n_columns_of(prepare_vectors(table, counting)) == 3
    first, last = counting.signed_groups[1]
    np.testing.assert_allclose(prepare_vectors(with_total, counting)[:, first + 3 : last], 0.0, atol=1e-6)
    assert prepare_vectors(with_total)[:, first + 3].std() > 0.1  # rounding with the same say as data


def test_tables_of_more_columns_than_rows_and_denoised_ones_count_their_columns():
    rng = np.random.default_rng(0)
    counting = VectorPreparation(smallest_deviation=0.03, counts_directions=True, denoised_from=32)
    assert n_columns_of(prepare_vectors(rng.standard_normal((9, 20)), counting)) == 20
    assert n_columns_of(prepare_vectors(rng.standard_normal((60, 40)), counting)) == 40
