"""Bregman projections: the nearest matrix that obeys, by the conditions that make it the nearest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from abclust.baselines.comparison_projection import ComparisonConfig, project_comparisons
from abclust.baselines.log_det_projection import ProjectionConfig, project_pairs, transformed_rows
from abclust.baselines.predicted_constraints import PairConstraints
from abclust.foundations.errors import InvalidInputError

NONE = np.empty((0, 2), dtype=np.int64)
STRICT = ProjectionConfig(gamma=1e9, sweeps=3000, tolerance=1e-9)
STRICT_COMPARISONS = ComparisonConfig(largest_multiplier=1e9, sweeps=3000, tolerance=1e-9)


def distance(metric: np.ndarray, rows: np.ndarray, i: int, j: int) -> float:
    return float((rows[i] - rows[j]) @ metric @ (rows[i] - rows[j]))


def test_one_pair_has_a_solution_by_hand():
    # M = I + b v v' with v'Mv = t gives b = (t - p) / p^2 for p = v'v.
    rows = np.array([[0.0, 0.0], [1.0, 2.0]])
    for pairs, target in (
        (PairConstraints(np.array([[0, 1]]), NONE), 2.0),
        (PairConstraints(NONE, np.array([[0, 1]])), 11.0),
    ):
        expected = np.eye(2) + (target - 5.0) / 25.0 * np.outer(rows[1], rows[1])
        np.testing.assert_allclose(project_pairs(rows, pairs, target, target, STRICT), expected, atol=1e-6)


def test_pairs_that_obey_already_change_nothing():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    pairs = PairConstraints(np.array([[0, 1]]), np.array([[0, 2]]))
    np.testing.assert_array_equal(project_pairs(rows, pairs, 2.0, 8.0, STRICT), np.eye(2))


def test_slack_is_the_compromise_that_the_weight_says():
    # At the optimum distance and slack meet: p / (1 - a p) = gamma t / (gamma + a t).
    rows, gamma, target = np.array([[0.0], [2.0]]), 3.0, 1.0
    pairs = PairConstraints(np.array([[0, 1]]), NONE)
    metric = project_pairs(rows, pairs, target, target, ProjectionConfig(gamma=gamma))
    multiplier = gamma / (gamma + 1) * (1 / 4.0 - 1 / target)
    assert distance(metric, rows, 0, 1) == pytest.approx(4.0 / (1 - multiplier * 4.0))
    assert distance(metric, rows, 0, 1) == pytest.approx(gamma * target / (gamma + multiplier * target))


@given(seed=st.integers(0, 30))
def test_pairs_are_obeyed_by_the_nearest_matrix(seed):
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(7, 5))
    pairs = PairConstraints(np.array([[0, 1], [2, 3]]), np.array([[0, 4], [5, 6]]))
    metric = project_pairs(rows, pairs, 2.0, 12.0, STRICT)
    assert np.linalg.eigvalsh(metric).min() > 0
    differences = [rows[i] - rows[j] for i, j in np.concatenate([pairs.similar, pairs.different])]
    found = [v @ metric @ v for v in differences]
    assert max(found[:2]) <= 2.0 + 1e-3
    assert min(found[2:]) >= 12.0 - 1e-3
    # The gradient of tr M - log det M is I - M^-1; it must be what constraints pull with, each its own way.
    pulls = np.stack([sign * np.outer(v, v).ravel() for sign, v in zip((-1, -1, 1, 1), differences)], axis=1)
    residue = nnls(pulls, (np.eye(5) - np.linalg.inv(metric)).ravel())[1]
    assert residue < 1e-3


@given(seed=st.integers(0, 30))
def test_comparisons_are_obeyed_by_the_nearest_matrix(seed):
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(7, 5))
    triples = np.array([[0, 1, 2], [3, 4, 5], [0, 6, 5]])
    metric = project_comparisons(rows, triples, STRICT_COMPARISONS)
    assert np.linalg.eigvalsh(metric).min() > 0
    pulls = []
    for i, j, k in triples:
        for end in (i, j):
            assert 2 * distance(metric, rows, i, j) <= distance(metric, rows, end, k) + 1e-4
            u, v = rows[i] - rows[j], rows[end] - rows[k]
            pulls.append((np.outer(v, v) - 2 * np.outer(u, u)).ravel())
    residue = nnls(np.stack(pulls, axis=1), (np.eye(5) - np.linalg.inv(metric)).ravel())[1]
    assert residue < 1e-3


def test_contradictions_cost_a_finite_price():
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(5, 3))
    triples = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]])  # each is the outlier of the other two
    metric = project_comparisons(rows, triples, ComparisonConfig(largest_multiplier=1.0))
    assert np.linalg.eigvalsh(metric).min() > 0.01
    pairs = PairConstraints(np.array([[0, 1]]), np.array([[0, 1]]))  # together and apart
    metric = project_pairs(rows, pairs, 0.1, 9.0, ProjectionConfig(gamma=1.0))
    assert np.linalg.eigvalsh(metric).min() > 0.01


def test_equal_rows_and_no_constraints_change_nothing():
    rows = np.ones((3, 2))
    pairs = PairConstraints(np.array([[0, 1]]), np.array([[1, 2]]))
    np.testing.assert_array_equal(project_pairs(rows, pairs, 1.0, 2.0, ProjectionConfig()), np.eye(2))
    empty = np.empty((0, 3), dtype=np.int64)
    np.testing.assert_array_equal(project_comparisons(rows, empty, ComparisonConfig()), np.eye(2))


def test_transformed_rows_have_the_metrics_distances():
    generator = np.random.default_rng(1)
    rows, root = generator.normal(size=(7, 3)), generator.normal(size=(3, 3))
    metric = root @ root.T
    moved = transformed_rows(rows, metric)
    np.testing.assert_allclose(moved @ moved.T, rows @ metric @ rows.T, atol=1e-9)


def test_impossible_settings_are_refused():
    with pytest.raises(InvalidInputError):
        ProjectionConfig(gamma=0.0)
    with pytest.raises(InvalidInputError):
        ComparisonConfig(factor=0.5)
    with pytest.raises(InvalidInputError, match="upper and lower must be positive"):
        project_pairs(np.eye(2), PairConstraints(NONE, NONE), 0.0, 1.0, ProjectionConfig())
