"""Clusters around centres: each may point its axes where it likes."""

import numpy as np

from abclust.datasets.mixture_blobs import tilt_clusters

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
