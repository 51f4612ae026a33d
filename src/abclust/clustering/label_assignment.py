"""From spectral vectors to labels: pivoted QR, discretisation or k-means."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import qr

from abclust.foundations.random_state import Seed, as_generator

_MAX_ROTATIONS = 30  # as scikit-learn's discretize


def assign_by_cluster_qr(
    vectors: Float[np.ndarray, "n k"], random_state: Seed = None
) -> Int[np.ndarray, " n"]:
    """Labels by QR with column pivoting and a polar rotation; nothing to tune and nothing random.

    Parameters
    ----------
    vectors : array of shape (n, k)
    random_state : ignored

    References
    ----------
    Damle, Minden and Ying, "Simple, direct and efficient multi-way spectral clustering", Information and
    Inference 8 (2019). DOI 10.1093/imaiai/iay008
    """
    n_clusters = vectors.shape[1]
    pivots = qr(vectors.T, mode="r", pivoting=True)[-1]
    left, _, right = np.linalg.svd(vectors[pivots[:n_clusters]].T)
    return np.abs(vectors @ (left @ right)).argmax(axis=1)


def assign_by_discretisation(
    vectors: Float[np.ndarray, "n k"], random_state: Seed = None
) -> Int[np.ndarray, " n"]:
    """Labels by the nearest indicator matrix: rotate the vectors and round them in turn until they rest.

    Parameters
    ----------
    vectors : array of shape (n, k)
    random_state : int, generator or None
        Picks the first row of the first rotation.

    References
    ----------
    Yu and Shi, "Multiclass spectral clustering", ICCV 2003. DOI 10.1109/ICCV.2003.1238361
    """
    n_items, n_clusters = vectors.shape
    rows = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(float).tiny)
    rotation = _spread_rows(rows, int(as_generator(random_state).integers(n_items)))
    last_value = 0.0
    labels = (rows @ rotation).argmax(axis=1)
    for _ in range(_MAX_ROTATIONS):
        left, values, right = np.linalg.svd(np.eye(n_clusters)[labels].T @ rows)
        if abs(values.sum() - last_value) < np.finfo(float).eps * n_items:
            break
        last_value = float(values.sum())
        labels = (rows @ (left @ right).T).argmax(axis=1)
    return labels


def _spread_rows(rows: Float[np.ndarray, "n k"], first: int) -> Float[np.ndarray, "k k"]:
    """As many rows as columns, each as orthogonal as possible to those before, as columns."""
    chosen = [first]
    overlap = np.zeros(len(rows))
    for _ in range(rows.shape[1] - 1):
        overlap += np.abs(rows @ rows[chosen[-1]])
        chosen.append(int(overlap.argmin()))
    return rows[chosen].T


def assign_by_k_means(vectors: Float[np.ndarray, "n k"], random_state: Seed = None) -> Int[np.ndarray, " n"]:
    """Labels by scikit-learn's k-means with ten starts, as scikit-learn's ``SpectralClustering`` does."""
    from sklearn.cluster import KMeans

    seed = int(as_generator(random_state).integers(2**31 - 1))
    k_means = KMeans(vectors.shape[1], n_init=10, random_state=seed)  # type: ignore[arg-type]
    return k_means.fit_predict(vectors).astype(np.int64)


ASSIGNMENTS: dict[str, Callable[..., np.ndarray]] = {
    "cluster_qr": assign_by_cluster_qr,
    "discretize": assign_by_discretisation,
    "kmeans": assign_by_k_means,
}
