"""Weights of own item, own cluster and other cluster, and attentions that have exactly these."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.foundations.errors import InvalidInputError
from abclust.theory import BlockWeights, attention_by_edges, attention_by_projections, solved_block_weights

FRACTION = st.floats(0.01, 0.99)


@given(size_a=st.integers(2, 19), size_b=st.integers(2, 19), separation=FRACTION, selfishness=FRACTION)
def test_solved_weights_meet_every_assumption(
    size_a: int, size_b: int, separation: float, selfishness: float
) -> None:
    weights = solved_block_weights(size_a, size_b, separation=separation, selfishness=selfishness)
    matrix = weights.matrix()
    assert (matrix > 0).all()
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-12)
    assert weights.favours_own
    assert weights.favours_cluster


def test_matrix_is_built_of_blocks() -> None:
    weights = BlockWeights(2, 3, own=0.4, within_a=0.3, within_b=0.2, between=0.1)
    expected = [
        [0.4, 0.3, 0.1, 0.1, 0.1],
        [0.3, 0.4, 0.1, 0.1, 0.1],
        [0.1, 0.1, 0.4, 0.2, 0.2],
        [0.1, 0.1, 0.2, 0.4, 0.2],
        [0.1, 0.1, 0.2, 0.2, 0.4],
    ]
    np.testing.assert_array_equal(weights.matrix(), expected)


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive", "siamese"])
def test_edges_give_exactly_the_weights_whatever_the_points_are(compatibility: str) -> None:
    weights = solved_block_weights(5, 3, separation=0.3, selfishness=0.6)
    points = np.random.default_rng(0).normal(size=(8, 2))
    system = attention_by_edges(points, weights, compatibility)
    np.testing.assert_allclose(system.weights(points), weights.matrix(), rtol=1e-13)


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
@given(
    size_a=st.integers(2, 7),
    size_b=st.integers(2, 7),
    separation=FRACTION,
    selfishness=FRACTION,
    seed=st.integers(0, 1000),
)
def test_projections_give_exactly_the_weights_on_independent_points(
    compatibility: str, size_a: int, size_b: int, separation: float, selfishness: float, seed: int
) -> None:
    weights = solved_block_weights(size_a, size_b, separation=separation, selfishness=selfishness)
    points = np.random.default_rng(seed).normal(size=(size_a + size_b, size_a + size_b + 5))
    system = attention_by_projections(points, weights, compatibility)
    assert system.edge_weights is None
    np.testing.assert_allclose(system.weights(points), weights.matrix(), rtol=1e-9)


def test_projections_need_independent_points() -> None:
    weights = solved_block_weights(3, 2, separation=0.3, selfishness=0.6)
    with pytest.raises(InvalidInputError, match="5 points of rank 2"):
        attention_by_projections(np.random.default_rng(0).normal(size=(5, 2)), weights)


def test_projections_know_their_compatibilities() -> None:
    weights = solved_block_weights(3, 2, separation=0.3, selfishness=0.6)
    with pytest.raises(InvalidInputError, match="'additive', 'multiplicative'"):
        attention_by_projections(np.random.default_rng(0).normal(size=(5, 7)), weights, "siamese")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size_a": 0}, "sizes"),
        ({"between": 0.0}, "positive"),
        ({"own": float("nan")}, "positive"),
        ({"own": 0.5}, "sum to one"),
    ],
)
def test_impossible_weights_are_refused(values: dict[str, float], message: str) -> None:
    right = {"size_a": 2, "size_b": 3, "own": 0.4, "within_a": 0.3, "within_b": 0.2, "between": 0.1}
    with pytest.raises(InvalidInputError, match=message):
        BlockWeights(**{**right, **values})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size_a", "separation", "selfishness"), [(1, 0.5, 0.5), (2, 0.0, 0.5), (2, 0.5, 1.0)]
)
def test_unsolvable_weights_are_refused(size_a: int, separation: float, selfishness: float) -> None:
    with pytest.raises(InvalidInputError):
        solved_block_weights(size_a, 3, separation=separation, selfishness=selfishness)
