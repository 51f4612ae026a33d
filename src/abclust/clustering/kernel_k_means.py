"""Kernel k-means on a kernel that need not be positive semi-definite."""

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import canonical_labels
from abclust.foundations.random_state import Seed, as_generator


def kernel_k_means_labels(
    kernel: Float[np.ndarray, "n n"], n_clusters: int, random_state: Seed = None
) -> Int[np.ndarray, " n"]:
    r"""Cluster by k-means in the space of the kernel, with its diagonal shifted until that space exists.

    With :math:`\sigma = \max(0, -\lambda_{\min})` the matrix :math:`K + \sigma I = X X^T` has real rows X,
    and k-means on them is kernel k-means: the shift adds the same constant to the objective of every
    partition into k clusters.

    Parameters
    ----------
    kernel : array of shape (n, n)
    n_clusters : int
    random_state : int, generator or None

    References
    ----------
    Roth, Laub, Kawanabe and Buhmann, "Optimal cluster preserving embedding of nonmetric proximity data", IEEE
    Transactions on Pattern Analysis and Machine Intelligence 25 (2003). DOI 10.1109/TPAMI.2003.1251147
    """
    from sklearn.cluster import KMeans

    seed = int(as_generator(random_state).integers(2**31 - 1))
    k_means = KMeans(n_clusters, n_init=10, random_state=seed)  # type: ignore[arg-type]
    return canonical_labels(k_means.fit_predict(kernel_features(kernel)).astype(np.int64))


def kernel_features(kernel: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """Rows whose inner products are the kernel, its diagonal shifted to make it positive semi-definite."""
    values, vectors = np.linalg.eigh(kernel)
    return vectors * np.sqrt(values - min(0.0, float(values[0])))
