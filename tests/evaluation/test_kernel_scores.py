"""Honesty of a kernel's probabilities, over pairs i < j."""

import itertools

import numpy as np
import pytest
from scipy.special import expit
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from abclust.evaluation import pair_ece_interval, reliability_curve, score_kernels
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


def coin_sets(n_sets, chance, seed):
    """Sets that are one cluster by chance, and whose kernels say nothing but that chance."""
    is_one = np.random.default_rng(seed).random(n_sets) < 0.6
    return [(np.full((9, 9), chance), np.zeros(9, int) if one else np.arange(9)) for one in is_one]


def test_the_error_with_its_interval_is_the_error_without():
    found = pair_ece_interval(SETS)
    assert found.mean == pytest.approx(score_kernels(SETS).pair_ece, abs=1e-14)
    assert found.count == 3  # the set of one item has no pairs
    assert 0 <= found.low <= found.mean <= found.high <= 1


def test_sets_are_drawn_again_and_not_pairs():
    """40 sets whose pairs are right or wrong together: the deviation of the share is that of 40 coins."""
    found = pair_ece_interval(coin_sets(40, chance=0.1, seed=0))
    expected = 4 * np.sqrt(0.6 * 0.4 / 40)
    assert found.high - found.low == pytest.approx(expected, rel=0.15)


def test_few_sets_make_an_honest_kernel_look_wrong_and_many_do_not():
    few, many = (
        np.mean([pair_ece_interval(coin_sets(n_sets, chance=0.6, seed=seed)).mean for seed in range(20)])
        for n_sets in (20, 1_000)
    )
    assert few > 0.05 > 0.02 > many


def test_the_interval_covers_the_true_error():
    is_covered = []
    for seed in range(100):
        found = pair_ece_interval(coin_sets(200, chance=0.3, seed=seed))
        is_covered.append(found.low <= 0.3 <= found.high)
    assert 0.88 <= np.mean(is_covered) <= 1


def test_one_set_alone_says_nothing_of_others():
    found = pair_ece_interval(SETS[1:2])
    assert found.mean == pytest.approx(score_kernels(SETS[1:2]).pair_ece, abs=1e-14)
    assert found.bounds() is None


@pytest.mark.parametrize("wrong", [{"n_bins": 0}, {"confidence": 0.0}, {"confidence": 1.0}])
def test_impossible_intervals_are_refused(wrong):
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        pair_ece_interval(SETS, **wrong)


def test_sets_without_pairs_have_no_error():
    with pytest.raises(InvalidInputError, match="at least two items"):
        pair_ece_interval([SETS[3]])
