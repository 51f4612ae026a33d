"""The systems of the comparison on vectors: the network as the library uses it, and scikit-learn's own.

scikit-learn's see columns of mean 0 and variance 1, as in its own comparison of clusterers; k-means has a row
on the columns as they are besides, because digits and embeddings have one unit already. Where the number of
clusters is not told, it is what the system finds, or its default.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from abclust.baselines.k_means import k_means_labels
from abclust.baselines.number_choice import NumberChoice, labels_for_number
from abclust.clustering.canonical_labels import canonical_labels, noise_as_singletons
from abclust.estimator.set_clusterer import SetClusterer
from abclust.model.context_kernel_network import ContextKernelNetwork

OURS = "abclust vectors"
LARGEST_NUMBER = 50
"""The silhouette is asked for 2 to this many clusters: as many as generated sets have."""
SILHOUETTE_STARTS = 3
"""Starts of k-means for each of these numbers; k-means with the true number has ten."""

Label = Callable[[np.ndarray, int | None], np.ndarray]


@dataclass(frozen=True)
class VectorSystem:
    """One system: what it is called, what it is told, and what it does.

    Attributes
    ----------
    name
        In tables and pictures.
    is_told_k
        Whether the true number of clusters is handed over.
    label
        ``label(rows, n_clusters) -> labels``.
    """

    name: str
    is_told_k: bool
    label: Label

    def cluster(
        self, items: Shaped[np.ndarray, "n d"], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set, in canonical order."""
        return canonical_labels(self.label(items, n_clusters))


def our_systems(network: ContextKernelNetwork, seed: int = 0) -> tuple[VectorSystem, ...]:
    """The network with its own preparation, views and calibration, without and with the true number."""
    clusterer = SetClusterer(network, random_state=seed)

    def label(items: np.ndarray, n_clusters: int | None) -> np.ndarray:
        (found,) = clusterer.label_many([items], n_clusters=n_clusters)
        assert isinstance(found, np.ndarray), found  # a failure here is a bug, not a score
        return found

    return VectorSystem(OURS, False, label), VectorSystem(OURS, True, label)


def rival_systems(seed: int = 0, largest_number: int = LARGEST_NUMBER) -> tuple[VectorSystem, ...]:
    """scikit-learn's systems, those without the true number first.

    Parameters
    ----------
    seed
        For those that draw.
    largest_number
        The largest number of clusters that the silhouette is asked for.

    Examples
    --------
    >>> rows = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> rival_systems(largest_number=4)[0].cluster(rows).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def k_means(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
        return k_means_labels(rows.astype(np.float64), n_clusters or 1, seed)

    scaled: dict[tuple[str, bool], Label] = {
        ("k-means, k by silhouette", False): _by_silhouette(seed, largest_number),
        ("HDBSCAN", False): _hdbscan,
        ("HDBSCAN, noise as singletons", False): _hdbscan_noise_alone,
        ("agglomerative, default k = 2", False): _agglomerative,
        ("spectral, default k = 8", False): _spectral(seed),
        ("k-means", True): k_means,
        ("Gaussian mixture", True): _gaussian_mixture(seed),
        ("agglomerative", True): _agglomerative,
        ("spectral", True): _spectral(seed),
    }
    systems = [VectorSystem(*names, _on_standardised(label)) for names, label in scaled.items()]
    return (*systems, VectorSystem("k-means, columns as they are", True, k_means))


def standardise(items: Shaped[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """Columns of mean 0 and variance 1; constant ones become 0.

    Examples
    --------
    >>> standardise(np.array([[1.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    from sklearn.preprocessing import StandardScaler

    return StandardScaler().fit_transform(items.astype(np.float64))


def _on_standardised(label: Label) -> Label:
    def on_standardised(items: np.ndarray, n_clusters: int | None) -> np.ndarray:
        with warnings.catch_warnings():
            # Disconnected graphs, runs that did not converge: the scores say so.
            warnings.simplefilter("ignore")
            return label(standardise(items), n_clusters)

    return on_standardised


def _by_silhouette(seed: int, largest_number: int) -> Label:
    choice = NumberChoice("silhouette", maximum=largest_number)
    settings: dict[str, Any] = {"n_init": SILHOUETTE_STARTS, "random_state": seed}

    def label(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
        from sklearn.cluster import KMeans

        return labels_for_number(
            lambda number: KMeans(number, **settings).fit_predict(rows).astype(np.int64), rows, None, choice
        )

    return label


def _hdbscan(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
    """Labels as they come: all noise is one cluster."""
    from sklearn.cluster import HDBSCAN

    settings: dict[str, Any] = {"copy": True}
    return HDBSCAN(**settings).fit_predict(rows).astype(np.int64)


def _hdbscan_noise_alone(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
    return noise_as_singletons(_hdbscan(rows, n_clusters))


def _agglomerative(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(**_told(n_clusters)).fit_predict(rows)


def _spectral(seed: int) -> Label:
    def label(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
        from sklearn.cluster import SpectralClustering

        return SpectralClustering(random_state=seed, **_told(n_clusters)).fit_predict(rows)

    return label


def _gaussian_mixture(seed: int) -> Label:
    def label(rows: np.ndarray, n_clusters: int | None) -> np.ndarray:
        from sklearn.mixture import GaussianMixture

        return GaussianMixture(n_clusters or 1, random_state=seed).fit_predict(rows)

    return label


def _told(n_clusters: int | None) -> dict[str, Any]:
    """The number of clusters where it is told, and scikit-learn's own default where not."""
    return {} if n_clusters is None else {"n_clusters": n_clusters}
