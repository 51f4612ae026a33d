"""HDBSCAN and affinity propagation by scikit-learn, with settings that suit a kernel of probabilities."""

import warnings

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import noise_as_singletons
from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND
from abclust.clustering.sklearn_objects import sklearn_labels
from abclust.foundations.random_state import Seed, as_generator


def hdbscan_labels(kernel: Float[np.ndarray, "n n"], random_state: Seed = None) -> Int[np.ndarray, " n"]:
    """HDBSCAN on the distance 1 - p, with clusters of two items or more; noise becomes singletons.

    Density is judged by the third-nearest item (itself included): on planted kernels that scored better than
    one, two or five.

    References
    ----------
    Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density estimates", PAKDD
    2013. DOI 10.1007/978-3-642-37456-2_14
    """
    from sklearn.cluster import HDBSCAN

    clusterer = HDBSCAN(
        min_cluster_size=2,
        min_samples=min(3, len(kernel)),
        metric="precomputed",
        allow_single_cluster=True,
        copy=True,  # type: ignore[arg-type]
    )
    return sklearn_labels(kernel, clusterer)


def affinity_propagation_labels(
    kernel: Float[np.ndarray, "n n"], random_state: Seed = None
) -> Int[np.ndarray, " n"]:
    """Affinity propagation on log p with the preference log(1/2): joining an exemplar pays if p > 1/2.

    Where the messages do not converge a warning says so.

    References
    ----------
    Frey and Dueck, "Clustering by passing messages between data points", Science 315 (2007). DOI
    10.1126/science.1136800
    """
    from sklearn.cluster import AffinityPropagation
    from sklearn.exceptions import ConvergenceWarning

    similarities = np.log(np.maximum(kernel, np.exp(-LOG_ODDS_BOUND)))
    off_diagonal = similarities[~np.eye(len(kernel), dtype=bool)]
    if np.ptp(off_diagonal) == 0:
        # Messages between equals go nowhere; the answer is plain.
        is_one = off_diagonal[0] > np.log(0.5)
        return np.zeros(len(kernel), dtype=np.int64) if is_one else np.arange(len(kernel))
    seed = int(as_generator(random_state).integers(2**31 - 1))
    # Preferences that differ by up to 1 % break ties between items that are alike; a long wait for
    # convergence keeps the damped messages from being taken for settled before they have begun to move.
    exemplars = AffinityPropagation(
        affinity="precomputed",
        preference=np.log(0.5) * np.linspace(1.0, 1.01, len(kernel)),
        damping=0.9,
        convergence_iter=100,
        max_iter=2_000,
        random_state=seed,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        labels = exemplars.fit_predict(similarities)
    if any(issubclass(warning.category, ConvergenceWarning) for warning in caught):
        warnings.warn(
            "Affinity propagation did not converge on this kernel; its labels are not reliable. "
            "Try method='log-odds'.",
            stacklevel=2,
        )
    return noise_as_singletons(labels.astype(np.int64))
