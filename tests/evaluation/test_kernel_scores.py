"""Honesty of a kernel's probabilities, over pairs i < j."""

import itertools

import numpy as np
import pytest
from scipy.special import expit
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from abclust.evaluation import reliability_curve, score_kernels
from abclust.evaluation.kernel_scores import labelled_pairs
from abclust.foundations.errors import InvalidInputError


def noisy_kernel(n_items, seed, shift=0.0):
    generator = np.random.default_rng(seed)
    labels = generator.integers(5, size=n_items)
    noise = generator.normal(size=(n_items, n_items))
    together = labels[:, None] == labels[None, :]
    return expit(np.where(together, 1.0, -1.0) + noise + noise.T + shift), labels


SETS = [noisy_kernel(n_items, seed) for seed, n_items in enumerate([2, 13, 31, 1])]


def test_pairs_are_those_above_the_diagonal_of_every_set():
    probabilities, together = labelled_pairs(SETS)
    expected = [
        (kernel[i, j], labels[i] == labels[j])
        for kernel, labels in SETS
        for i, j in itertools.combinations(range(len(labels)), 2)
    ]
    np.testing.assert_array_equal(probabilities, [pair[0] for pair in expected])
    np.testing.assert_array_equal(together, [pair[1] for pair in expected])


def test_the_diagonal_does_not_count():
    kernel, labels = SETS[1]
    emptied = kernel.copy()
    np.fill_diagonal(emptied, 0.0)
    assert score_kernels([(emptied, labels)]) == score_kernels([(kernel, labels)])


def test_brier_score_is_scikit_learns():
    probabilities, together = labelled_pairs(SETS)
    assert score_kernels(SETS).pair_brier == pytest.approx(
        brier_score_loss(together, probabilities), abs=1e-14
    )
    assert score_kernels(SETS).n_pairs == 1 + 13 * 12 // 2 + 31 * 30 // 2


@pytest.mark.parametrize("n_bins", [1, 7, 15])
def test_reliability_curve_is_scikit_learns(n_bins):
    probabilities, together = labelled_pairs(SETS)
    observed, predicted = calibration_curve(together, probabilities, n_bins=n_bins)
    curve = reliability_curve(probabilities, together, n_bins)
    np.testing.assert_allclose(curve.observed, observed, atol=1e-14)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-14)
    assert curve.counts.sum() == len(together)


def test_expected_calibration_error_worked_by_hand():
    probabilities = np.array([0.1, 0.3, 0.8, 0.8, 0.8])
    together = np.array([False, True, True, True, False])
    curve = reliability_curve(probabilities, together, n_bins=2)
    # Lower bin: 2 pairs, mean .2, half together. Upper bin: 3 pairs at .8, two thirds together.
    expected = 2 / 5 * abs(0.5 - 0.2) + 3 / 5 * abs(2 / 3 - 0.8)
    assert curve.expected_calibration_error == pytest.approx(expected, abs=1e-14)


def test_probabilities_of_exactly_zero_and_one_have_a_bin():
    curve = reliability_curve(np.array([0.0, 1.0]), np.array([False, True]))
    np.testing.assert_array_equal(curve.counts, [1, 1])
    assert curve.expected_calibration_error == 0


def test_an_honest_kernel_has_a_smaller_error_than_a_shifted_one():
    generator = np.random.default_rng(3)
    honest = generator.random(20_011)
    together = generator.random(20_011) < honest
    shifted = expit(np.log(honest / (1 - honest)) + 1)
    errors = [reliability_curve(given, together).expected_calibration_error for given in (honest, shifted)]
    assert errors[0] < 0.02
    assert errors[1] > 0.1


@pytest.mark.parametrize(
    ("kernel", "labels", "message"),
    [
        (np.ones((3, 2)), [0, 0, 1], "square"),
        (np.ones((3, 3)), [0, 1], "square"),
        (np.full((2, 2), 1.5), [0, 1], "between 0 and 1"),
        (np.full((2, 2), np.nan), [0, 1], "between 0 and 1"),
        (np.ones((1, 1)), [0], "at least one pair"),
    ],
)
def test_kernels_that_cannot_be_scored_are_refused(kernel, labels, message):
    with pytest.raises(InvalidInputError, match=message):
        score_kernels([(kernel, labels)])


def test_a_curve_without_bins_is_refused():
    with pytest.raises(InvalidInputError, match="n_bins must be at least 1"):
        reliability_curve(np.array([0.5]), np.array([True]), n_bins=0)
