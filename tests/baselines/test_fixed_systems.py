"""The systems without learning, on points whose clusters anyone can see, and against scikit-learn itself."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.cluster import DBSCAN, KMeans, SpectralClustering
from tests.baselines.tiny_background import blobs

from abclust.baselines.agglomerative import AgglomerativeSystem
from abclust.baselines.hdbscan_density import HDBSCANSystem
from abclust.baselines.k_means import KMeansSystem, in_own_span
from abclust.baselines.number_choice import NumberChoice
from abclust.baselines.spectral_rbf import SpectralRBFSystem, median_gamma
from abclust.datasets.labelled_set import canonical_labels
from abclust.evaluation import ari
from abclust.foundations.errors import InvalidInputError

POINTS, TRUTH = blobs(n_clusters=5, n_each=13, spread=0.4, seed=1)
LOUD, _ = blobs(n_clusters=5, n_each=13, spread=2.0, seed=2)


def rings(n_each: int) -> tuple[np.ndarray, np.ndarray]:
    """Two circles around one centre: no two centres tell them apart."""
    angles = 2 * np.pi * np.arange(n_each) / n_each
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([circle, 5 * circle]), np.repeat([0, 1], n_each)


SYSTEMS = [KMeansSystem(), SpectralRBFSystem(), AgglomerativeSystem()]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.card.name)
def test_separated_clusters_are_found_if_their_number_is_known(system):
    assert ari(TRUTH, system.cluster(POINTS, n_clusters=5)) == 1.0


@pytest.mark.parametrize("system", [SpectralRBFSystem(gamma=0.3), HDBSCANSystem()])
def test_separated_clusters_are_found_without_their_number(system):
    assert ari(TRUTH, system.cluster(POINTS)) == 1.0


def test_k_means_is_scikit_learns_k_means():
    expected = KMeans(7, n_init=10, random_state=0).fit_predict(LOUD)
    assert np.array_equal(KMeansSystem().cluster(LOUD, n_clusters=7), canonical_labels(expected))


def test_spectral_clustering_is_scikit_learns():
    clusterer = SpectralClustering(5, gamma=0.2, assign_labels="cluster_qr", random_state=0)
    found = SpectralRBFSystem(gamma=0.2).cluster(LOUD, n_clusters=5)
    assert ari(found, clusterer.fit_predict(LOUD)) == 1.0


def test_the_width_is_the_median_distance():
    assert median_gamma(np.array([[0.0], [1.0], [4.0]])) == pytest.approx(0.5 / 3.0**2)
    assert median_gamma(np.zeros((3, 2))) == 1.0


def test_rings_are_seen_by_spectral_clustering_and_not_by_k_means():
    points, truth = rings(n_each=31)
    assert ari(truth, SpectralRBFSystem(gamma=2.0).cluster(points, n_clusters=2)) == 1.0
    assert ari(truth, KMeansSystem().cluster(points, n_clusters=2)) < 0.2


def test_k_means_and_ward_find_the_number_by_the_silhouette_if_told_to():
    number = NumberChoice("silhouette", maximum=11)
    for system in (KMeansSystem(number), AgglomerativeSystem(number)):
        assert ari(TRUTH, system.cluster(POINTS)) == 1.0


def test_ward_unites_the_pair_whose_union_costs_least():
    # |A||B|/(|A|+|B|) d^2: uniting 0 and 3 costs 4.5, uniting the pair {0, 0} with 2.8 costs 5.2.
    items = np.array([[0.0, 0.0], [0.0, 0.0], [2.8, 0.0], [9.0, 0.0], [12.0, 0.0]])
    assert AgglomerativeSystem().cluster(items, n_clusters=3).tolist() == [0, 0, 1, 2, 2]


def test_noise_of_hdbscan_becomes_clusters_of_one():
    items = np.concatenate([POINTS[:26], [[60.0, 0.0], [0.0, 90.0]]])
    labels = HDBSCANSystem().cluster(items)
    assert labels.tolist() == [0] * 13 + [1] * 13 + [2, 3]
    # The same two are noise to DBSCAN, which looks at one density only.
    assert (DBSCAN(eps=1.0).fit_predict(items)[-2:] == -1).all()


def test_hdbscan_finds_clusters_of_different_density_which_no_single_radius_does():
    """Source: clusters that exist at different density levels come out of one hierarchy."""
    generator = np.random.default_rng(3)
    dense = [0.02 * generator.normal(size=(31, 2)) + centre for centre in ([0.0, 0.0], [0.5, 0.0])]
    sparse = 3.0 * generator.normal(size=(31, 2)) + np.array([40.0, 0.0])
    items, truth = np.concatenate([*dense, sparse]), np.repeat([0, 1, 2], 31)
    assert ari(truth, HDBSCANSystem().cluster(items)) > 0.9
    radii = np.geomspace(0.01, 10.0, 61)
    by_radius = []
    for radius in radii:
        found = DBSCAN(eps=radius).fit_predict(items)
        by_radius.append(ari(truth, np.where(found < 0, 3 + np.arange(93), found)))  # noise: single items
    assert ari(truth, HDBSCANSystem().cluster(items)) > max(by_radius)


def test_turning_points_into_their_own_span_changes_no_distance():
    wide = np.random.default_rng(0).normal(size=(7, 31))
    np.testing.assert_allclose(pdist(in_own_span(wide)), pdist(wide))
    assert in_own_span(wide).shape == (7, 7)
    assert in_own_span(wide.T).shape == (31, 7)


def test_images_of_bytes_and_of_shares_are_the_same_images():
    generator = np.random.default_rng(5)
    images = generator.integers(256, size=(11, 5, 7), dtype=np.uint8)
    assert np.array_equal(
        SpectralRBFSystem().cluster(images, 3), SpectralRBFSystem().cluster(images / 255.0, 3)
    )


@pytest.mark.parametrize(
    "build", [lambda: SpectralRBFSystem(gamma=0.0), lambda: HDBSCANSystem(1), lambda: HDBSCANSystem(5, 0)]
)
def test_impossible_settings_are_refused(build):
    with pytest.raises(InvalidInputError):
        build()
