"""Calibration of log-odds: the formula, the exact prior correction, the fit, the table in the header."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.kernel.calibration import Calibration, fit_calibration, prior_correction
from abclust.kernel.calibration_table import CalibrationPoint, CalibrationTable

temperatures = st.floats(0.1, 10)
shifts = st.floats(-5, 5)
calibrations = st.builds(Calibration, temperatures, shifts)


def simulated_pairs(calibration, n_pairs, seed=0):
    """Probabilities whose honest version is known: truth drawn from the calibrated ones."""
    generator = np.random.default_rng(seed)
    raw = expit(generator.normal(-1, 2.5, size=n_pairs))
    return raw, generator.random(n_pairs) < calibration.apply(raw)


def test_calibration_is_its_formula():
    kernel = np.random.default_rng(0).random((7, 7))
    for i, j in [(0, 0), (2, 5), (6, 1)]:
        log_odds = math.log(kernel[i, j] / (1 - kernel[i, j])) / 1.7 - 0.9
        expected = 1 / (1 + math.exp(-log_odds))
        assert Calibration(1.7, -0.9).apply(kernel)[i, j] == pytest.approx(expected, abs=1e-14)


def test_zero_and_one_are_legal_and_stay():
    np.testing.assert_array_equal(Calibration(3.0, -2.0).apply(np.array([0.0, 1.0])), [0.0, 1.0])


@given(calibrations, st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_calibration_never_changes_the_order_of_pairs(calibration, first, second):
    low, high = sorted([first, second])
    calibrated = calibration.apply(np.array([low, high]))
    assert calibrated[0] <= calibrated[1]


@given(calibrations, calibrations, st.floats(-9, 9))
def test_two_calibrations_in_a_row_are_one(first, second, log_odds):
    logits = np.array([log_odds])
    one_by_one = second.apply_to_logits(first.apply_to_logits(logits))
    np.testing.assert_allclose(first.then(second).apply_to_logits(logits), one_by_one, atol=1e-9)


def test_type_and_symmetry_of_the_kernel_are_kept():
    kernel = np.random.default_rng(0).random((11, 11), dtype=np.float32)
    kernel = (kernel + kernel.T) / 2
    calibrated = Calibration(0.7, 0.4).apply(kernel)
    assert calibrated.dtype == np.float32
    np.testing.assert_array_equal(calibrated, calibrated.T)


@pytest.mark.parametrize("value", [-0.01, 1.01, np.nan])
def test_what_is_no_probability_is_refused(value):
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        Calibration().apply(np.array([0.5, value]))


@pytest.mark.parametrize(
    "settings", [{"temperature": 0.0}, {"temperature": -1.0}, {"temperature": math.inf}, {"shift": math.nan}]
)
def test_impossible_calibrations_are_refused(settings):
    with pytest.raises(InvalidInputError, match="must be"):
        Calibration(**settings)


@given(st.floats(0.02, 0.98), st.floats(0.1, 50))
def test_prior_correction_undoes_the_weight_of_positive_pairs_exactly(truth, weight):
    def weighted_loss(log_odds):
        return -weight * truth * math.log(expit(log_odds)) - (1 - truth) * math.log(expit(-log_odds))

    trained = minimize_scalar(weighted_loss, bounds=(-15, 15), method="bounded", options={"xatol": 1e-9}).x
    corrected = prior_correction(weight).apply_to_logits(np.array([trained]))
    assert corrected[0] == pytest.approx(logit(truth), abs=1e-4)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.inf, math.nan])
def test_an_impossible_weight_is_refused(weight):
    with pytest.raises(InvalidInputError, match="positive_weight must be"):
        prior_correction(weight)


@pytest.mark.parametrize("truth", [Calibration(), Calibration(1.8, -1.3), Calibration(0.6, 2.0)])
def test_fit_finds_the_calibration_that_made_the_pairs(truth):
    fitted = fit_calibration(*simulated_pairs(truth, 200_000))
    assert fitted.temperature == pytest.approx(truth.temperature, rel=0.03)
    assert fitted.shift == pytest.approx(truth.shift, abs=0.05)


def test_fit_is_scikit_learns_logistic_regression_of_truth_on_log_odds():
    raw, together = simulated_pairs(Calibration(1.5, -0.8), 50_021)
    peer = LogisticRegression(C=1e6, tol=1e-10).fit(logit(raw)[:, None], together)
    fitted = fit_calibration(raw, together)
    assert 1 / fitted.temperature == pytest.approx(peer.coef_[0, 0], abs=1e-3)
    assert fitted.shift == pytest.approx(peer.intercept_[0], abs=1e-3)


def test_fit_of_perfect_pairs_of_exactly_zero_and_one_is_finite_and_keeps_them():
    fitted = fit_calibration(np.array([0.0, 0.0, 1.0]), np.array([False, False, True]))
    np.testing.assert_array_equal(fitted.apply(np.array([0.0, 1.0])), [0.0, 1.0])
    assert 0.02 <= fitted.temperature <= 50


@pytest.mark.parametrize("together", [True, False])
def test_fit_of_pairs_that_are_all_alike_is_finite(together):
    raw = np.full(1009, 0.5)
    fitted = fit_calibration(raw, np.full(1009, together))
    assert abs(fitted.apply(np.array([0.5]))[0] - together) < 0.01


def test_fit_of_an_inverted_kernel_still_gives_a_positive_temperature():
    raw, together = simulated_pairs(Calibration(), 5_003)
    assert fit_calibration(raw, ~together).temperature > 1


def test_fit_without_pairs_is_refused():
    with pytest.raises(InvalidInputError, match="at least one pair"):
        fit_calibration(np.empty(0), np.empty(0, dtype=bool))


TABLE = CalibrationTable(
    {
        "spectral": [
            CalibrationPoint(50, Calibration(1.0, 0.0)),
            CalibrationPoint(200, Calibration(3.0, -4.0)),
        ],
        "likelihood": [CalibrationPoint(100, Calibration(1.3, 0.5))],
    }
)


def test_table_interpolates_linearly_in_the_logarithm_of_the_size():
    halfway = TABLE.at("spectral", 100)
    assert halfway.temperature == pytest.approx(2.0)
    assert halfway.shift == pytest.approx(-2.0)


@pytest.mark.parametrize(("n_items", "expected"), [(1, (1.0, 0.0)), (50, (1.0, 0.0)), (9_001, (3.0, -4.0))])
def test_table_holds_constant_outside_the_sizes_seen(n_items, expected):
    found = TABLE.at("spectral", n_items)
    assert (found.temperature, found.shift) == expected


def test_a_back_end_that_was_not_fitted_gets_the_likelihood_calibration():
    assert TABLE.at("HDBSCAN", 100) == Calibration(1.3, 0.5)
    assert CalibrationTable().at("HDBSCAN", 100) == Calibration()


def test_table_calibrates_a_kernel_by_its_own_size():
    kernel = np.full((100, 100), 0.5)
    np.testing.assert_allclose(TABLE.apply(kernel, "spectral"), expit(-2.0))


def test_table_survives_the_way_through_json():
    restored = CalibrationTable.from_dict(json.loads(json.dumps(TABLE.to_dict())))
    assert restored == TABLE


def test_whole_numbers_in_a_file_are_read_too():
    table = CalibrationTable.from_dict({"log-odds": [{"n_items": 100, "temperature": 1, "shift": -2}]})
    assert table.at("log-odds", 7) == Calibration(1.0, -2.0)


@pytest.mark.parametrize(
    "values",
    [
        {"log-odds": [{"n_items": 100}]},
        {"log-odds": []},
        {"log-odds": 3},
        {"log-odds": [{"n_items": 100, "temperature": -1.0, "shift": 0.0}]},
        {"log-odds": [{"n_items": 100, "temperature": "warm", "shift": 0.0}]},
    ],
)
def test_a_damaged_table_is_refused(values):
    with pytest.raises(FileFormatError, match="calibration must list"):
        CalibrationTable.from_dict(values)


def test_sizes_must_ascend_and_be_positive():
    point = CalibrationPoint(100, Calibration())
    with pytest.raises(InvalidInputError, match="ascending"):
        CalibrationTable({"spectral": [point, point]})
    with pytest.raises(InvalidInputError, match="n_items must be positive"):
        CalibrationPoint(0, Calibration())
    with pytest.raises(InvalidInputError, match="n_items must be at least 1"):
        TABLE.at("spectral", 0)
