"""Longest hops of chains, against all chains tried, and as distances of points."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_circles, make_moons

from abclust.datasets.vector_linkage import LONGEST_HOP, USUAL_SHARE, linkage_coordinates
from abclust.datasets.vector_neighbourhood import neighbour_distances, squared_distances


def _coordinates(points: np.ndarray, n_coordinates: int, rank: int = 8) -> np.ndarray:
    squares = squared_distances(points[None])
    reach = neighbour_distances(squares, (rank,))[..., 0]
    return linkage_coordinates(squares, reach, points[None], n_coordinates)[0]


def _longest_hops(points: np.ndarray, rank: int) -> np.ndarray:
    """The longest hop of the best chain between any two items, by allowing one more stop at a time."""
    squares = squared_distances(points[None])
    reach = neighbour_distances(squares, (rank,))[0, :, 0]
    hops = np.sqrt(squares[0] / np.sqrt(np.outer(reach, reach)))
    for stop in range(len(points)):
        hops = np.minimum(hops, np.maximum(hops[:, stop, None], hops[None, stop]))
    return hops


@given(seed=st.integers(0, 99), n_items=st.integers(3, 9))
def test_squared_distances_of_the_coordinates_are_the_longest_hops_above_the_usual(seed, n_items):
    points = np.random.default_rng(seed).standard_normal((n_items, 3))
    found = squared_distances(_coordinates(points, n_items - 1, rank=2)[None])[0]
    pairs = np.triu_indices(n_items, 1)
    hops = np.log(_longest_hops(points, rank=2)[pairs])
    expected = np.clip(hops - np.quantile(hops, USUAL_SHARE), 0, LONGEST_HOP)
    np.testing.assert_allclose(found[pairs], expected, atol=1e-6)


def test_forty_items_on_two_moons_or_rings_are_two_places():
    for points, labels in (
        make_moons(40, noise=0.03, random_state=0),
        make_circles(40, factor=0.3, noise=0.02, random_state=0),
    ):
        squares = squared_distances(_coordinates(points, 8)[None])[0]
        together = labels[:, None] == labels
        assert squares[together].max() < squares[~together].min()


def test_the_coordinates_follow_the_items():
    points = make_moons(31, noise=0.1, random_state=1)[0]
    order = np.random.default_rng(2).permutation(31)
    here, there = (squared_distances(_coordinates(each, 8)[None])[0] for each in (points, points[order]))
    np.testing.assert_allclose(there, here[np.ix_(order, order)], atol=1e-6)


def test_items_in_one_place_and_few_items_have_finite_coordinates():
    assert not _coordinates(np.ones((6, 2)), 8).any()
    assert _coordinates(np.array([[0.0], [1.0]]), 8).shape == (2, 1)
    assert np.isfinite(_coordinates(np.repeat(np.eye(3), 4, axis=0), 8)).all()
