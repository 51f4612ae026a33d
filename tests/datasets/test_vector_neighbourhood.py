"""Distances, densities and the walk over neighbours, against plain loops and shapes with a known answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import make_circles, make_moons

from abclust.datasets import vector_neighbourhood
from abclust.datasets.vector_neighbourhood import (
    QUICK_WALK,
    SLOW_WALK,
    Walk,
    diffusion_coordinates,
    local_affinity,
    neighbour_distances,
    squared_distances,
)


def test_distances_are_those_of_scipy() -> None:
    points = np.random.default_rng(0).standard_normal((3, 17, 5))
    for found, one in zip(squared_distances(points), points, strict=True):
        np.testing.assert_allclose(found, cdist(one, one, "sqeuclidean"), atol=1e-12)
        assert not np.diag(found).any()


def test_neighbours_are_counted_from_the_nearest_other_and_end_with_the_last() -> None:
    line = np.array([[0.0], [1.0], [3.0], [7.0]])[None]
    found = neighbour_distances(squared_distances(line), (2, 1, 99))
    np.testing.assert_allclose(np.sqrt(found[0]), [[3, 1, 7], [2, 1, 6], [3, 2, 4], [6, 4, 7]])


def test_distances_between_duplicates_are_raised_above_zero() -> None:
    found = neighbour_distances(squared_distances(np.zeros((1, 5, 2))), (1, 3))
    assert (found > 0).all()
    assert np.isfinite(np.log(found)).all()


@given(st.integers(0, 99))
def test_affinity_is_the_formula_pair_by_pair(seed: int) -> None:
    squares = squared_distances(np.random.default_rng(seed).standard_normal((2, 7, 3)))
    reach = neighbour_distances(squares, (3,))[..., 0]
    found = local_affinity(squares, reach)
    for b, i, j in np.ndindex(found.shape):
        s_i, s_j = np.sqrt(reach[b, i]), np.sqrt(reach[b, j])
        is_near = squares[b, i, j] <= max(reach[b, i], reach[b, j])
        expected = np.exp(-squares[b, i, j] / (s_i * s_j)) if is_near else 0.0
        assert abs(found[b, i, j] - expected) < 1e-9


def _walk(points: np.ndarray, n_coordinates: int = 2, walk: Walk = QUICK_WALK) -> np.ndarray:
    squares = squared_distances(points)
    affinity = local_affinity(squares, neighbour_distances(squares, (7,))[..., 0])
    return diffusion_coordinates(affinity, points, n_coordinates, walk)


def test_two_rings_become_two_points() -> None:
    points, labels = make_circles(200, factor=0.4, noise=0.02, random_state=0)
    first = _walk(points[None])[0, :, 0]
    inner, outer = first[labels == 1], first[labels == 0]
    assert max(inner.std(), outer.std()) < 0.02 * abs(inner.mean() - outer.mean())


def test_a_slow_walk_brings_the_ends_of_a_long_chain_together() -> None:
    points, labels = make_moons(100, noise=0.03, random_state=0)
    together = labels[:, None] == labels
    nearer = {}
    for walk in (QUICK_WALK, SLOW_WALK):
        squares = squared_distances(_walk(points[None], n_coordinates=8, walk=walk))[0]
        nearer[walk] = np.mean(squares[together] < squares[~together].min())
    assert nearer[QUICK_WALK] < 0.8
    assert nearer[SLOW_WALK] == 1.0


@pytest.mark.parametrize(("n_items", "quick", "slow"), [(4, 2, 2), (100, 10, 6), (1_000, 32, 19)])
def test_a_slow_walk_has_fewer_neighbours(n_items: int, quick: int, slow: int) -> None:
    assert (QUICK_WALK.n_neighbours(n_items), SLOW_WALK.n_neighbours(n_items)) == (quick, slow)


def test_a_large_set_walks_step_by_step_to_where_the_squared_matrix_leads(monkeypatch) -> None:
    points = np.random.default_rng(0).standard_normal((1, 150, 2)) + 5 * (np.arange(150)[:, None] % 3)
    squared = squared_distances(_walk(points, n_coordinates=5, walk=SLOW_WALK))
    monkeypatch.setattr(vector_neighbourhood, "SQUARED_ITEMS", 100)
    np.testing.assert_allclose(
        squared_distances(_walk(points, n_coordinates=5, walk=SLOW_WALK)), squared, atol=1e-6
    )


def test_a_slow_walk_in_single_precision_leads_where_one_in_double_precision_does() -> None:
    points = np.random.default_rng(0).standard_normal((1, 1_000, 8))
    squares = squared_distances(points)
    affinity = local_affinity(squares, neighbour_distances(squares, (19,))[..., 0])
    single, double = (
        diffusion_coordinates(affinity.astype(kind), points.astype(kind), 8, SLOW_WALK)
        for kind in (np.float32, np.float64)
    )
    # One cluster, in which the walk mixes long before: what rounding leaves of the constant does not count.
    assert np.abs(double).max() < 1e-12
    assert np.abs(single).max() < 1e-12


def test_coordinates_of_the_walk_follow_the_items() -> None:
    points = np.random.default_rng(1).standard_normal((1, 31, 3))
    order = np.random.default_rng(2).permutation(31)
    np.testing.assert_allclose(_walk(points[:, order]), _walk(points)[:, order], atol=1e-6)


def test_few_items_have_few_coordinates() -> None:
    assert _walk(np.random.default_rng(3).standard_normal((2, 3, 5)), n_coordinates=8).shape == (2, 3, 2)
