"""The front doors of this room: a kernel in, labels or a whole partition out, by any method."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.checks import Bounds
from abclust.clustering.constraints import constrained_weights
from abclust.clustering.log_odds.confidence import item_confidence
from abclust.clustering.log_odds.gibbs import sample_partitions
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import merge_tree
from abclust.clustering.methods import METHODS, Request
from abclust.clustering.partition import Partition
from abclust.clustering.request import read_request
from abclust.clustering.sklearn_objects import is_clusterer, sklearn_labels
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import Seed

# Samples of the number of clusters cost one sweep over the items for each 32; beyond this many items they are
# drawn only if asked for.
_SAMPLES = 256
_SAMPLES_UP_TO = 500


def cluster_kernel(
    kernel: Any,
    n_clusters: Any = None,
    method: Any = "log-odds",
    *,
    must_link: Any = None,
    cannot_link: Any = None,
    random_state: Seed = None,
    assign_labels: str = "cluster_qr",
    n_clusters_method: str | None = None,
    one_cluster_odds: Any = None,
) -> Int[np.ndarray, " n"] | list[Int[np.ndarray, " _"]]:
    """Cluster the items of a kernel, or of many kernels in one batched call.

    Parameters
    ----------
    kernel : array of shape (n, n), or a list of such (sizes may differ), or an array of shape (B, n, n)
        Probabilities that two items belong together: symmetric, in [0, 1]; exactly 0 and 1 are fine.
    n_clusters : int, (min, max), None, or for many kernels also a list of one of these for each
        None lets the method find the number. ``log-odds``, ``expected-rand``, ``size-prior`` and
        ``agglomerative`` honour a number or a range exactly.
    method : str or scikit-learn clusterer
        ``"log-odds"`` (the default), ``"expected-rand"``, ``"size-prior"``, ``"spectral"``,
        ``"agglomerative"``, ``"kernel-k-means"``, ``"affinity-propagation"``, ``"hdbscan"``, ``"louvain"``,
        ``"leiden"`` (an extra), or any scikit-learn object with ``affinity="precomputed"`` or
        ``metric="precomputed"``.
    must_link, cannot_link : pairs of item numbers, or for many kernels a list of such for each
        Honoured by ``log-odds``, ``expected-rand``, ``size-prior`` and ``agglomerative``.
    random_state : int, generator or None
        For the methods that draw random numbers; those above and spectral ``cluster_qr`` do not.
    assign_labels : {"cluster_qr", "discretize", "kmeans"}
        How ``spectral`` turns eigenvectors into labels.
    n_clusters_method : {"eigengap", "nme", "degree", "log-odds", "expected-rand"}, optional
        How ``spectral`` (by default the eigengap, as the paper) and ``kernel-k-means`` (by default log-odds)
        find the number of clusters.
    one_cluster_odds : float, optional, or for many kernels also a list of one for each
        What is known of a set beyond its kernel: by how much one cluster has higher odds (above 1) or lower
        ones (below 1) than the kernel gives it. ``expected-rand`` alone asks for it.

    Returns
    -------
    integer array of shape (n,), or a list of them for many kernels
        Labels in canonical order: numbered by first appearance.

    Raises
    ------
    InvalidInputError
        If a kernel is not square, symmetric and within [0, 1], has NaN in it, if `n_clusters` is impossible,
        if constraints contradict each other, or if the method cannot do what is asked.
    MissingExtraError
        If the method needs a package that is not installed.

    Examples
    --------
    >>> kernel = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> cluster_kernel(kernel).tolist()
    [0, 0, 1]
    >>> cluster_kernel(kernel, n_clusters=1).tolist()
    [0, 0, 0]
    """
    request, many = read_request(
        kernel,
        n_clusters,
        must_link,
        cannot_link,
        random_state,
        assign_labels,
        n_clusters_method,
        one_cluster_odds,
    )
    labels = _labels(request, method)
    return labels if many else labels[0]


def partition_kernel(
    kernel: Any,
    n_clusters: Any = None,
    method: Any = "log-odds",
    *,
    must_link: Any = None,
    cannot_link: Any = None,
    random_state: Seed = None,
    assign_labels: str = "cluster_qr",
    n_clusters_method: str | None = None,
    one_cluster_odds: Any = None,
    n_samples: int | None = None,
) -> Partition | list[Partition]:
    """Cluster as :func:`cluster_kernel` does, and say how sure the labels and their number are.

    Confidence, merge tree and samples are those of the log-odds model, whatever the method that made the
    labels; with ``size-prior`` the samples' small clusters are gathered as those of the labels are.

    Parameters
    ----------
    kernel, n_clusters, method, must_link, cannot_link, random_state, assign_labels, n_clusters_method
        As in :func:`cluster_kernel`.
    one_cluster_odds : float, optional, or for many kernels also a list of one for each
        As there.
    n_samples : int, optional
        How many samples of the number of clusters to draw. By default 256 for up to 500 items and none for
        more.

    Returns
    -------
    Partition, or a list of them for many kernels

    Examples
    --------
    >>> kernel = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> partition = partition_kernel(kernel, random_state=0)
    >>> partition.n_clusters, partition.confidence.round(2).tolist()
    (2, [0.9, 0.9, 0.86])
    """
    if n_samples is not None and n_samples < 0:
        raise InvalidInputError(f"n_samples must be None or at least 0. Got {n_samples}.")
    request, many = read_request(
        kernel,
        n_clusters,
        must_link,
        cannot_link,
        random_state,
        assign_labels,
        n_clusters_method,
        one_cluster_odds,
    )
    labels = _labels(request, method)
    partitions = [
        _partition(request, method, position, one, n_samples) for position, one in enumerate(labels)
    ]
    return partitions if many else partitions[0]


def _labels(request: Request, method: Any) -> list[Int[np.ndarray, " _"]]:
    is_constrained = not all(rule.is_empty for rule in request.constraints)
    if is_clusterer(method):
        _refuse_constraints(is_constrained, type(method).__name__)
        pairs = zip(request.kernels, request.bounds)
        return [sklearn_labels(kernel, method, bounds, request.seed) for kernel, bounds in pairs]
    known = METHODS[check_choice("method", method, METHODS)]
    if not known.takes_constraints:
        _refuse_constraints(is_constrained, repr(method))
    if not known.takes_n_clusters and any(bounds is not None for bounds in request.bounds):
        raise InvalidInputError(
            f"n_clusters must be None with method {method!r}, which finds the number itself. "
            "Take method 'log-odds', 'agglomerative', 'spectral' or 'kernel-k-means' to set it."
        )
    return known.labels(request)


def _refuse_constraints(is_constrained: bool, method: str) -> None:
    if is_constrained:
        raise InvalidInputError(
            f"must_link and cannot_link must be None with {method}. "
            "Take method 'log-odds' or 'agglomerative' to use them."
        )


def _partition(
    request: Request, method: Any, position: int, labels: Int[np.ndarray, " n"], n_samples: int | None
) -> Partition:
    weights = log_odds(request.kernels[position])
    if n_samples is None:
        n_samples = _SAMPLES if len(labels) <= _SAMPLES_UP_TO else 0
    return Partition(
        labels,
        int(labels.max()) + 1,
        item_confidence(weights, labels),
        merge_tree(weights, through=labels),
        _n_clusters_samples(request, method, position, weights, labels, n_samples),
    )


def _n_clusters_samples(
    request: Request,
    method: Any,
    position: int,
    weights: Float[np.ndarray, "n n"],
    labels: Int[np.ndarray, " n"],
    n_samples: int,
) -> Int[np.ndarray, " samples"]:
    """Numbers of clusters of partitions drawn around the labels, finished as the method finishes its own."""
    rule, bounds = request.constraints[position], request.bounds[position]
    finish = None if is_clusterer(method) else METHODS[method].finish
    if bounds is not None and bounds.exact:
        return np.full(n_samples, int(labels.max()) + 1)
    within = Bounds(bounds.lower, rule.n_groups) if finish and bounds else bounds
    drawn = sample_partitions(
        constrained_weights(weights, rule),
        labels[np.unique(rule.groups, return_index=True)[1]],
        n_samples,
        bounds=within,
        random_state=request.seed,
    )
    if finish is None:
        return drawn.max(axis=1) + 1
    different, which = np.unique(drawn, axis=0, return_inverse=True)
    finished = finish(labels, weights, [one[rule.groups] for one in different], bounds, rule)
    numbers = np.array([one.max() + 1 for one in finished], dtype=np.int64)[which]
    return numbers if bounds is None else np.minimum(numbers, bounds.upper)
