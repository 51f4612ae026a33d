"""The calibration that looks at the whole kernel: its formula, its fit, its place in the header."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.kernel.calibration import Calibration
from abclust.kernel.calibration_table import BY_SET, CalibrationPoint, CalibrationTable
from abclust.kernel.set_calibration import N_TERMS, SetCalibration, fit_set_calibration

SOME = SetCalibration(
    (0.3, -0.5, 0.1, 0.2, -0.1, 0.4, 0.05, -0.02), (0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.07, 0.01), (5, 50)
)
SIZE_ALONE = SetCalibration((*(0.0,) * 6, 1.0, 0.0), (0.0,) * N_TERMS, (7, 50))
"""Log-odds times n / 100, for n from 7 to 50."""
TABLE = CalibrationTable({"spectral": [CalibrationPoint(11, Calibration(2.0, -1.0))]}, SOME)


def symmetric(n, seed=0):
    kernel = np.random.default_rng(seed).random((n, n))
    return (kernel + kernel.T) / 2


def hedged_sets(n_sets, truth, seed=0):
    """Kernels of sets, half of them clear, and truth drawn from what they mean by `truth`, pair by pair.

    No partition has such pairs, so each set is two items: its one pair is together or not.
    """
    generator = np.random.default_rng(seed)
    sets = []
    for _ in range(n_sets):
        pair = expit(generator.normal(0.0, 2.5))
        kernel = np.array([[1.0, pair], [pair, 1.0]])
        is_together = generator.random() < truth.apply(kernel)[0, 1]
        sets.append((kernel, [0, 0 if is_together else 1]))
    return sets


def test_it_is_its_formula():
    kernel = symmetric(11)
    pairs = [kernel[i, j] for i in range(11) for j in range(11) if i < j]
    u = sum(4 * p * (1 - p) for p in pairs) / len(pairs)
    m, x = sum(pairs) / len(pairs), math.log(11 / 100)
    phi = [1, u, u**2, m, m**2, u * m, x, x**2]
    scale = math.exp(sum(a * f for a, f in zip(SOME.log_scale, phi, strict=True)))
    shift = sum(b * f for b, f in zip(SOME.shift, phi, strict=True))
    found = SOME.apply(kernel)
    for i, j in [(0, 0), (2, 5), (6, 1)]:
        log_odds = scale * math.log(kernel[i, j] / (1 - kernel[i, j])) + shift
        assert found[i, j] == pytest.approx(1 / (1 + math.exp(-log_odds)), abs=1e-12)


@given(st.integers(2, 13), st.integers(0, 2**32))
def test_order_of_pairs_symmetry_and_the_order_of_items_are_kept(n, seed):
    kernel = symmetric(n, seed)
    found = SOME.apply(kernel)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.argsort(found, axis=None), np.argsort(kernel, axis=None))
    other = np.random.default_rng(seed).permutation(n)
    np.testing.assert_allclose(SOME.apply(kernel[np.ix_(other, other)]), found[np.ix_(other, other)])


@pytest.mark.parametrize(("n", "scale"), [(3, 0.07), (7, 0.07), (20, 0.2), (50, 0.5), (90, 0.5)])
def test_beyond_the_sizes_seen_the_size_counts_no_further(n, scale):
    kernel = symmetric(n)
    np.testing.assert_allclose(logit(SIZE_ALONE.apply(kernel)), scale * logit(kernel), atol=1e-9)


def test_one_item_and_certain_pairs_stay_what_they_are():
    np.testing.assert_array_equal(SOME.apply(np.array([[0.7]])), [[0.7]])
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    np.testing.assert_array_equal(SOME.apply(blocks), blocks)


def test_the_type_of_the_numbers_is_kept():
    assert SOME.apply(symmetric(7).astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("value", [-0.01, 1.01, np.nan])
def test_what_is_no_probability_is_refused(value):
    with pytest.raises(InvalidInputError):
        SOME.apply(np.array([[1.0, value], [value, 1.0]]))


@pytest.mark.parametrize(
    "wrong",
    [((0.0,) * 7, (0.0,) * 8, (2, 9)), ((0.0,) * 8, (math.nan,) * 8, (2, 9)), ((0.0,) * 8,) * 2 + ((9, 2),)],
)
def test_impossible_ones_are_refused(wrong):
    with pytest.raises(InvalidInputError, match="must be"):
        SetCalibration(*wrong)


@given(st.floats(0.2, 5.0), st.floats(-3.0, 3.0), st.integers(0, 2**32))
def test_with_one_that_follows_it_is_still_one(temperature, shift, seed):
    kernel, following = symmetric(7, seed), Calibration(temperature, shift)
    np.testing.assert_allclose(
        SOME.then(following).apply(kernel), following.apply(SOME.apply(kernel)), atol=1e-9
    )


def test_the_fit_tells_clear_sets_from_doubtful_ones():
    # What the log-odds mean is twice as much where a set is clear (u = 0) and half as much where it is not.
    truth = SetCalibration((math.log(2), -math.log(4), *(0.0,) * 6), (0.0,) * N_TERMS, (2, 2))
    fitted = fit_set_calibration(hedged_sets(60_000, truth), n_pairs=1)
    for pair in (0.6, 0.8, 0.95, 0.1):
        kernel = np.array([[1.0, pair], [pair, 1.0]])
        assert fitted.apply(kernel)[0, 1] == pytest.approx(truth.apply(kernel)[0, 1], abs=0.02)


def test_the_fit_leaves_honest_kernels_alone_and_repeats_itself():
    honest = hedged_sets(20_000, Calibration())
    fitted = fit_set_calibration(honest, n_pairs=3, seed=5)
    assert fitted == fit_set_calibration(iter(honest), n_pairs=3, seed=5)
    assert fitted.n_items == (2, 2)
    kernel = np.array([[1.0, 0.8], [0.8, 1.0]])
    assert fitted.apply(kernel)[0, 1] == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    "sets",
    [[], [(np.ones((1, 1)), [0])], [(np.full((3, 3), 0.5), [0, 1])], [(np.full((3, 3), 1.5), [0, 1, 1])]],
)
def test_sets_that_tell_nothing_are_refused(sets):
    with pytest.raises(InvalidInputError):
        fit_set_calibration(sets)


def test_in_a_table_it_comes_first_whoever_clusters():
    kernel = symmetric(11)
    expected = Calibration(2.0, -1.0).apply(SOME.apply(kernel))
    np.testing.assert_allclose(TABLE.apply(kernel, "spectral"), expected, atol=1e-12)
    np.testing.assert_allclose(TABLE.apply(kernel, "likelihood"), SOME.apply(kernel), atol=1e-12)
    stacked = logit(np.stack([kernel, kernel / 2]))
    found = TABLE.apply_to_logits(stacked, "spectral")
    for logits, one in zip(found, (kernel, kernel / 2), strict=True):
        np.testing.assert_allclose(expit(logits), TABLE.apply(one, "spectral"), atol=1e-12)


def test_a_table_without_one_calibrates_stacked_sets_by_their_size():
    plain = CalibrationTable({"spectral": [CalibrationPoint(11, Calibration(2.0, -1.0))]})
    logits = logit(symmetric(11))[None]
    np.testing.assert_allclose(plain.apply_to_logits(logits, "spectral"), logits / 2 - 1)


def test_a_table_with_one_survives_the_header_and_one_without_looks_as_before():
    assert CalibrationTable.from_dict(json.loads(json.dumps(TABLE.to_dict()))) == TABLE
    assert BY_SET not in CalibrationTable().to_dict()


@pytest.mark.parametrize(
    "stored", [{}, {"log_scale": [0] * 8, "shift": [0] * 8}, [1, 2], {**SOME.to_dict(), "n_items": [3]}]
)
def test_a_header_that_holds_no_such_thing_is_refused(stored):
    with pytest.raises(FileFormatError, match="must"):
        CalibrationTable.from_dict({BY_SET: stored})
