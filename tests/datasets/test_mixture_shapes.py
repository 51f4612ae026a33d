"""Shapes of clusters have the law of their name; curves lie where their formula says."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import pdist, squareform

from abclust.datasets.mixture_curves import draw_curves
from abclust.datasets.mixture_family import CURVES, MixtureFamily
from abclust.datasets.mixture_labels import canonical_rows
from abclust.datasets.mixture_shapes import draw_shapes, gather_in_clumps

ONE_CLUSTER = np.zeros((1, 5000), dtype=np.int64)


@pytest.mark.parametrize(
    ("shape", "law"),
    [
        ("gaussian", stats.norm()),
        ("box", stats.uniform(-np.sqrt(3), 2 * np.sqrt(3))),
        ("exponential", stats.expon(-1)),
        ("laplace", stats.laplace(0, np.sqrt(0.5))),
    ],
)
def test_columns_of_a_shape_follow_its_law_with_unit_variance(shape, law):
    offsets = draw_shapes(ONE_CLUSTER, 3, MixtureFamily(shapes=(shape,)), np.random.default_rng(0))[0]
    assert law.std() == pytest.approx(1)
    for column in offsets.T:
        assert stats.kstest(column, law.cdf).pvalue > 1e-3


def test_a_ball_is_evenly_filled():
    offsets = draw_shapes(ONE_CLUSTER, 3, MixtureFamily(shapes=("ball",)), np.random.default_rng(0))[0]
    radii = np.linalg.norm(offsets, axis=1)
    assert radii.max() <= np.sqrt(5) + 1e-4
    assert stats.kstest((radii / np.sqrt(5)) ** 3, "uniform").pvalue > 1e-3
    assert offsets.std() == pytest.approx(1, abs=0.02)


def test_students_t_has_heavier_tails_than_a_gaussian():
    offsets = draw_shapes(ONE_CLUSTER, 1, MixtureFamily(shapes=("student",)), np.random.default_rng(0))
    assert np.mean(np.abs(offsets) > 4) > 20 * 2 * stats.norm.sf(4)


def test_some_sets_mix_shapes_and_most_do_not():
    labels = np.tile(np.arange(2), (400, 50))
    offsets = draw_shapes(labels, 1, MixtureFamily(shapes=("box", "exponential")), np.random.default_rng(0))[
        ..., 0
    ]
    is_box = np.stack([np.abs(offsets[:, cluster::2]).max(axis=1) < 1.74 for cluster in (0, 1)])
    assert 0.05 < np.mean(is_box[0] != is_box[1]) < 0.3


def test_clumps_bring_neighbours_closer_and_leave_the_variance_as_it_was():
    generator = np.random.default_rng(0)
    offsets = generator.standard_normal((40, 400, 24)).astype(np.float32)
    gathered = gather_in_clumps(offsets, np.zeros((40, 400), np.int64), generator)
    assert gathered.std() == pytest.approx(1, abs=0.03)
    ratios = [_nearest(after).mean() / _nearest(before).mean() for before, after in zip(offsets, gathered)]
    assert np.mean(ratios) < 0.97
    assert min(ratios) < 0.8


def test_a_clump_lies_in_one_cluster_which_has_many():
    labels = np.tile(np.arange(2), (40, 100))
    found = [_clumps(points) for points in _clumps_alone(labels, n_features=5)]
    assert min(of_item.max() + 1 for of_item in found) > 6
    assert max(of_item.max() + 1 for of_item in found) > 60
    for of_item, clusters in zip(found, labels):
        assert all(len(np.unique(clusters[of_item == clump])) == 1 for clump in np.unique(of_item))


def test_large_clumps_and_those_of_few_columns_lie_less_apart():
    labels = np.zeros((200, 300), np.int64)
    many, few = (_clumps_alone(labels, n_features) for n_features in (31, 2))
    assert few.std() < 0.5 * many.std()
    sizes = np.array([len(points) / (_clumps(points).max() + 1) for points in many])
    spread = many.std(axis=(1, 2))
    assert spread[sizes > 20].max() < spread[sizes < 4].max()


def _clumps_alone(labels, n_features):
    """Items that have nothing but what they share with the others of their clump."""
    generator = np.random.default_rng(0)
    return gather_in_clumps(np.zeros((*labels.shape, n_features), np.float32), labels, generator)


def _clumps(points):
    """Without any noise of their own the items of a clump are one point."""
    return np.unique(points, axis=0, return_inverse=True)[1]


def _nearest(points):
    distances = squareform(pdist(points)) + np.diag(np.full(len(points), np.inf))
    return distances.min(axis=1)


@pytest.mark.parametrize("curve", CURVES)
def test_curves_are_thin_next_to_the_space_between_them(curve):
    labels = np.tile(np.arange(3), (40, 67))
    points, noise = draw_curves(
        np.full(40, 3), labels, MixtureFamily(curves=(curve,)), np.random.default_rng(1)
    )
    assert points.shape == (40, 201, 2)
    assert np.isfinite(points).all()
    assert (noise.ravel() < 0.5 * points.std(axis=(1, 2))).all()


def test_rings_keep_their_distance_from_the_middle():
    labels = np.tile(np.arange(2), (50, 200))
    points, noise = draw_curves(
        np.full(50, 2), labels, MixtureFamily(curves=("rings",)), np.random.default_rng(2)
    )
    for one, deviation in zip(points, noise.ravel()):
        inner, outer = (np.linalg.norm(one[cluster::2], axis=1) for cluster in (0, 1))
        assert outer.std() < 2 * deviation
        assert outer.mean() > inner.mean() + 2 * deviation


def test_snakes_swing_about_an_arc():
    labels = np.tile(np.arange(2), (200, 60))
    points, _ = draw_curves(
        np.full(200, 2), labels, MixtureFamily(curves=("snakes",)), np.random.default_rng(4)
    )
    # Side by side they share one way: the first of two parallel snakes is nearer to the middle throughout.
    radii = np.linalg.norm(points, axis=2)
    beside = (radii[:, ::2].mean(axis=1) + 0.1 < radii[:, 1::2].mean(axis=1)) & (
        points[:, :, 0].mean(axis=1) > 0
    )
    assert 0.3 < beside.mean() < 0.9
    # None of them is a straight strip: the way itself has a radius of at most 4.
    first = points[beside, ::2]
    heights = first - first.mean(axis=1, keepdims=True)
    thickness = (
        np.linalg.svd(heights, compute_uv=False)[:, 1] / np.linalg.svd(heights, compute_uv=False)[:, 0]
    )
    assert np.median(thickness) > 0.1


def test_items_of_even_curves_follow_each_other_at_equal_distances():
    spread = {}
    for share in (0.0, 1.0):
        family = MixtureFamily(curves=("strips",), even_share=share)
        points, noise = draw_curves(
            np.full(200, 2), np.tile(np.arange(2), (200, 20)), family, np.random.default_rng(3)
        )
        is_thin = noise.ravel() < 0.01
        gaps = np.diff(np.sort(points[is_thin, ::2, 0], axis=1), axis=1)
        spread[share] = gaps.std(axis=1) / gaps.mean(axis=1)
    # Of uniform places the gaps deviate by about their mean. Half of the sets are crowded on one side.
    assert np.median(spread[0.0]) > 0.8
    assert np.median(spread[1.0]) < 0.4


def test_rows_are_numbered_by_first_appearance():
    found = canonical_rows(np.array([[2, 2, 0, 1, 0], [1, 1, 1, 1, 1]]))
    assert found.tolist() == [[0, 0, 1, 2, 1], [0, 0, 0, 0, 0]]
