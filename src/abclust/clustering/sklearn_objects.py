"""Any scikit-learn clusterer that takes a precomputed affinity or distance, used as it is."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import noise_as_singletons
from abclust.clustering.checks import Bounds
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator


def is_clusterer(method: object) -> bool:
    """Whether this is an object with scikit-learn's clusterer interface."""
    return not isinstance(method, type) and hasattr(method, "fit_predict") and hasattr(method, "get_params")


def sklearn_labels(
    kernel: Float[np.ndarray, "n n"], clusterer: Any, bounds: Bounds | None = None, random_state: Seed = None
) -> Int[np.ndarray, " n"]:
    """Cluster with a copy of a scikit-learn clusterer; the object itself is not touched.

    With ``affinity="precomputed"`` it gets the kernel, with ``metric="precomputed"`` the distance 1 - kernel.
    A number of clusters and a random state are handed on if they are given and the object has such a
    parameter. Items that it leaves out as noise become clusters of their own.

    Parameters
    ----------
    kernel : array of shape (n, n)
    clusterer : object with ``get_params`` and ``fit_predict``
    bounds : Bounds, optional
    random_state : int, generator or None

    Raises
    ------
    InvalidInputError
        If it does not take a precomputed matrix, or if a number of clusters is given that it cannot take.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> clusterer = AgglomerativeClustering(n_clusters=2, metric="precomputed", linkage="average")
    >>> sklearn_labels(np.kron(np.eye(2), np.ones((2, 2))), clusterer).tolist()
    [0, 0, 1, 1]
    """
    from sklearn.base import clone

    name = type(clusterer).__name__
    parameters = clusterer.get_params(deep=False)
    if parameters.get("affinity") == "precomputed":
        matrix = kernel.copy()
    elif parameters.get("metric") == "precomputed":
        matrix = 1.0 - kernel
        np.fill_diagonal(matrix, 0.0)
    else:
        raise InvalidInputError(
            'method must be a clusterer with affinity="precomputed" or metric="precomputed". '
            f"Got {name}, which has neither. Set the one it knows."
        )
    changes: dict[str, Any] = {}
    if bounds is not None:
        if "n_clusters" not in parameters or not bounds.exact:
            raise InvalidInputError(
                f"n_clusters must be None with {name}, or one number if it has the parameter n_clusters. "
                f"Got {tuple(bounds)}."
            )
        changes["n_clusters"] = bounds.lower
    if random_state is not None and "random_state" in parameters:
        changes["random_state"] = int(as_generator(random_state).integers(2**31 - 1))
    copy: Any = clone(clusterer)
    labels = copy.set_params(**changes).fit_predict(matrix)
    return noise_as_singletons(np.asarray(labels).astype(np.int64))
