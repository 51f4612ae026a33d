"""What is left of principal components without noise: the formula, and tables whose signal is known."""

import numpy as np
import pytest

from abclust.datasets.vector_denoising import _median_of_noise, signal_shares
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vectors
from abclust.datasets.vector_projection import principal_components
from abclust.foundations.errors import InvalidInputError


def _spiked(n_items: int, n_columns: int, deviation: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A table of one direction and noise of unit variance, and the table without the noise; both centred."""
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(n_columns)
    signal = deviation * np.outer(rng.standard_normal(n_items), direction / np.linalg.norm(direction))
    table = signal + rng.standard_normal((n_items, n_columns))
    return table - table.mean(axis=0), signal - signal.mean(axis=0)


def _squares(table: np.ndarray) -> np.ndarray:
    return np.linalg.svd(table, compute_uv=False)[None] ** 2


def test_shares_are_those_of_the_formula():
    squares = np.array([[40.0, 9.0, 1.0, 1.0, 1.0, 0.5, 0.4]])
    noise = 1.0 / _median_of_noise(7 / 10)
    found = signal_shares(squares, 11, np.array([7]))[0]
    for share, square in zip(found, squares[0]):
        y, beta = np.sqrt(square / noise), 0.7
        expected = np.sqrt((y**2 - beta - 1) ** 2 - 4 * beta) / y**2 if y > 1 + np.sqrt(beta) else 0.0
        assert share == pytest.approx(expected)
    assert found[0] > found[1] > 0 == found[2]


@pytest.mark.parametrize(("n_items", "n_columns"), [(199, 61), (101, 257), (151, 149)])
def test_the_median_of_noise_is_that_of_random_tables(n_items: int, n_columns: int):
    few, many = sorted((n_items - 1, n_columns))
    medians = [np.median(_squares(_spiked(n_items, n_columns, 0.0, seed)[0])[0, :few]) for seed in range(9)]
    assert np.mean(medians) / many == pytest.approx(_median_of_noise(few / many), rel=0.05)


@pytest.mark.parametrize(("n_items", "n_columns"), [(211, 67), (83, 311)])
@pytest.mark.parametrize("deviation", [3.0, 6.0])
def test_what_is_left_is_nearer_to_the_signal_than_any_number_of_whole_components(
    n_items: int, n_columns: int, deviation: float
):
    table, signal = _spiked(n_items, n_columns, deviation)
    left, values, right = np.linalg.svd(table, full_matrices=False)
    shares = signal_shares(values[None] ** 2, n_items, np.array([n_columns]))[0]
    error = np.linalg.norm((left * values * shares) @ right - signal)
    for number in range(len(values) + 1):
        whole = (left[:, :number] * values[:number]) @ right[:number]
        assert error < np.linalg.norm(whole - signal)


def test_units_do_not_matter_and_strong_directions_stay():
    table, _ = _spiked(97, 41, 30.0)
    shares = signal_shares(_squares(table), 97, np.array([41]))
    np.testing.assert_allclose(signal_shares(_squares(1e3 * table), 97, np.array([41])), shares)
    assert shares[0, 0] > 0.98
    assert shares[0, 1:].max() < 0.3


def test_where_nothing_stands_out_all_directions_stay():
    falling = np.linspace(1.5, 0.5, 59)[None] ** 2
    np.testing.assert_array_equal(signal_shares(falling, 60, np.array([60])), 1.0)


@pytest.mark.parametrize("n_columns", [0, 1, 5])
def test_tables_of_almost_nothing_stay_as_they_are(n_columns: int):
    squares = np.array([[7.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert np.isfinite(signal_shares(squares, 4, np.full(2, n_columns))).all()
    np.testing.assert_array_equal(signal_shares(squares, 4, np.full(2, n_columns)), 1.0)


@pytest.mark.parametrize(("n_items", "n_columns"), [(120, 40), (37, 90)])
def test_components_keep_their_direction_and_lose_their_noise(n_items: int, n_columns: int):
    table, _ = _spiked(n_items, n_columns, 6.0)
    plain, denoised = (principal_components(table[None], 5, denoised=given)[0] for given in (False, True))
    shares = signal_shares(_squares(table), n_items, np.array([n_columns]))[0, :5]
    np.testing.assert_allclose(denoised, plain * shares, rtol=1e-6, atol=1e-9)


def test_only_wide_tables_are_denoised():
    narrow, wide = (np.random.default_rng(0).standard_normal((53, width)) for width in (7, 43))
    wide[:, 0] += 20 * (np.arange(53) % 2)
    plain, denoising = VectorPreparation(), VectorPreparation(denoised_from=11)
    np.testing.assert_array_equal(prepare_vectors(narrow, plain), prepare_vectors(narrow, denoising))
    assert not np.allclose(prepare_vectors(wide, plain), prepare_vectors(wide, denoising))


def test_the_fewest_columns_of_a_wide_table_are_positive():
    with pytest.raises(InvalidInputError, match="denoised_from must be positive"):
        VectorPreparation(denoised_from=0)
