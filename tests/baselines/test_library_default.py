"""The row "abclust" is what the library's estimator gives with default arguments."""

import numpy as np
import pytest
from tests.baselines.tiny_background import TINY_NETWORK, blobs, unseen_set

from abclust.baselines.library_default import LibraryDefaultSystem
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.model.context_kernel_network import ContextKernelNetwork

SET = unseen_set()


def test_images_are_clustered_as_by_the_estimator() -> None:
    network = ContextKernelNetwork(TINY_NETWORK).eval()
    system = LibraryDefaultSystem(network)
    system.learn([])
    for n_clusters in (None, 3):
        expected = AttentionClustering(network, n_clusters=n_clusters).fit_predict(SET.items)
        assert np.array_equal(system.cluster(SET.items, n_clusters), expected)


def test_tables_are_clustered_as_by_the_estimator() -> None:
    points, _ = blobs(5, 11, 0.4, seed=0)
    system = LibraryDefaultSystem("vectors")
    system.learn([])
    assert system.image_passes >= 0
    for n_clusters in (None, 3):
        expected = AttentionClustering("vectors", n_clusters=n_clusters).fit_predict(points)
        assert np.array_equal(system.cluster(points, n_clusters), expected)


def test_every_item_is_encoded_in_every_view_that_the_header_asks_for() -> None:
    network = ContextKernelNetwork(TINY_NETWORK, {"views": {"count": 3}}).eval()
    system = LibraryDefaultSystem(network)
    system.learn([])
    encoded = system.encode(SET.items)
    assert encoded.shape == (35, 3, 16)
    kernel, odds = system.describe(encoded)
    assert odds == 1.0
    assert kernel.shape == (35, 35)
    assert kernel == pytest.approx(kernel.T)
