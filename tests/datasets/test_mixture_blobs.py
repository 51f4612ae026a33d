"""Clusters around centres: each may point its axes where it likes."""

import numpy as np

from abclust.datasets.mixture_blobs import draw_blobs, tilt_clusters
from abclust.datasets.mixture_family import MixtureFamily

LABELS = np.arange(400)[None] % 2
AXES = np.array([5.0, 1.0, 1.0, 1.0], dtype=np.float32)
KNOWS = np.array([[[True, True, True, False]]])


def test_tilted_clusters_keep_their_axes_and_point_elsewhere_each_by_itself():
    rng = np.random.default_rng(0)
    straight = rng.standard_normal((1, 400, 4)).astype(np.float32) * AXES
    tilted = tilt_clusters(straight, LABELS, 2, KNOWS, rng)
    np.testing.assert_allclose(np.linalg.norm(tilted, axis=2), np.linalg.norm(straight, axis=2), rtol=1e-4)
    np.testing.assert_array_equal(tilted[..., 3], straight[..., 3])  # a column that knows nothing
    longest = []
    for label in (0, 1):
        lengths, directions = np.linalg.eigh(np.cov(tilted[0, LABELS[0] == label].T))
        assert lengths[-1] > 15  # of about 25 that the first axis was drawn with
        longest.append(directions[:, -1])
        assert abs(longest[-1][0]) < 0.99
    assert abs(longest[0] @ longest[1]) < 0.99


def test_a_reflection_without_a_direction_leaves_clusters_where_they_are():
    """A Gaussian number of single precision is 0 once in ten million: one column then has no direction."""
    points = np.random.default_rng(0).standard_normal((1, 400, 4)).astype(np.float32)
    nowhere = np.zeros_like(KNOWS)
    np.testing.assert_array_equal(tilt_clusters(points, LABELS, 2, nowhere, np.random.default_rng(1)), points)


def test_centres_that_keep_their_distance_are_about_equally_far_from_their_nearest():
    plain = MixtureFamily(
        separation=(9.0, 9.0),
        shapes=("gaussian",),
        stretched_share=0.0,
        density_deviation=0.0,
        clumped_share=0.0,
    )
    labels = np.tile(np.arange(600) % 6, (40, 1))

    def unevenness(spaced_share: float) -> float:
        family = MixtureFamily(**{**vars(plain), "spaced_share": spaced_share, "uninformative_share": 0.0})
        points = draw_blobs(np.full(40, 6), labels, 4, family, np.random.default_rng(0))
        centres = np.stack([points[:, label::6].mean(axis=1) for label in range(6)], axis=1)
        apart = np.linalg.norm(centres[:, :, None] - centres[:, None], axis=3) + 1e6 * np.eye(6)
        nearest = apart.min(axis=2)
        np.testing.assert_allclose(nearest.mean(axis=1), 9.0 * (1 + 4 / 600) ** 0.25, rtol=0.05)
        return float(np.mean(nearest.std(axis=1) / nearest.mean(axis=1)))

    assert unevenness(1.0) < 0.7 * unevenness(0.0)


def test_clusters_that_are_not_long_are_neither_bent():
    family = MixtureFamily(
        n_clusters=(1, 1),
        shapes=("gaussian",),
        stretched_share=1.0,
        largest_inequality=0.0,
        density_deviation=0.0,
        clumped_share=0.0,
        uninformative_share=0.0,
        longest=0.0,
    )
    points = draw_blobs(
        np.ones(3, dtype=np.int64), np.zeros((3, 5_000), np.int64), 3, family, np.random.default_rng(0)
    )
    np.testing.assert_allclose(points.std(axis=1), 1.0, rtol=0.05)
