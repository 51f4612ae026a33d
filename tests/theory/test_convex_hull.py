"""Attention maps a set into its own convex hull (paper App. A.1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.theory import convex_hull_lemma, random_system
from abclust.theory.convex_hull import distance_to_hull


@given(
    n_items=st.integers(1, 13),
    n_features=st.integers(1, 7),
    compatibility=st.sampled_from(["multiplicative", "additive"]),
    spread=st.floats(0.01, 30),
    scale=st.sampled_from([1e-5, 1.0, 1e5]),
    seed=st.integers(0, 1000),
)
def test_no_point_leaves_the_hull(
    n_items: int, n_features: int, compatibility: str, spread: float, scale: float, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    points = scale * (generator.normal(size=(n_items, n_features)) + generator.normal(size=n_features))
    lemma = convex_hull_lemma(points, random_system(n_features, compatibility, spread=spread, seed=seed))
    assert lemma.distances.max() <= 1e-9 * np.abs(points).max()
    assert lemma.combination.error < 1e-12
    assert lemma.weights.min() >= 0


def test_the_skip_connection_does_leave_the_hull() -> None:
    points = np.random.default_rng(0).normal(size=(5, 2)) + 3
    moved = random_system(2, seed=0).step(points, skip=True)
    assert min(distance_to_hull(point, points) for point in moved) > 1


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ([0.25, 0.25], 0.0),  # inside
        ([0.5, 0.5], 0.0),  # on an edge
        ([0.0, 1.0], 0.0),  # a corner
        ([-2.0, 0.5], 2.0),  # left of the triangle
        ([1.0, 1.0], 0.5),  # maximum norm: half a step in both directions
    ],
)
def test_distance_to_a_triangle(point: list[float], expected: float) -> None:
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert distance_to_hull(np.array(point), triangle) == pytest.approx(expected, abs=1e-12)


def test_a_hull_of_one_point_holds_that_point_alone() -> None:
    assert distance_to_hull(np.array([1.0, 2.0]), np.array([[1.0, 2.0]])) == 0
    assert distance_to_hull(np.array([1.0, 2.5]), np.array([[1.0, 2.0]])) == pytest.approx(0.5)
