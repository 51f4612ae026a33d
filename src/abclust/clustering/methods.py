"""Every method by its name, behind one interface: a request for many sets in, a list of labels out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.checks import Bounds
from abclust.clustering.communities import leiden_labels, louvain_labels
from abclust.clustering.constraints import Constraints, check_honoured, constrained_weights, linked_weights
from abclust.clustering.density_and_exemplars import affinity_propagation_labels, hdbscan_labels
from abclust.clustering.expected_rand import expected_rand_labels
from abclust.clustering.kernel_k_means import kernel_k_means_labels
from abclust.clustering.log_odds.solve import best_partitions
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import merge_tree
from abclust.clustering.number_of_clusters import estimate_one
from abclust.clustering.size_prior import gather_as, size_prior_labels
from abclust.clustering.spectral import spectral_labels

Labels = Int[np.ndarray, " _"]


@dataclass(frozen=True)
class Request:
    """What is asked for, checked: kernels, the number of clusters allowed for each, its constraints."""

    kernels: list[Float[np.ndarray, "_ _"]]
    bounds: list[Bounds | None]
    constraints: list[Constraints]
    seed: int | None = None
    assign_labels: str = "cluster_qr"
    n_clusters_method: str | None = None
    one_cluster_odds: list[float] | None = None
    """For each kernel; None where nothing is known but the kernel."""


@dataclass(frozen=True)
class Method:
    """A way from kernels to labels, and what it can be asked for."""

    labels: Callable[[Request], list[Labels]]
    takes_n_clusters: bool = True
    takes_constraints: bool = False
    finish: Callable[..., list[Labels]] | None = None
    """What the method does to clusters once it has them, for samples of partitions: its own labels, the
    log-odds, the samples, bounds and constraints."""


def _log_odds(request: Request) -> list[Labels]:
    weights = [
        constrained_weights(log_odds(kernel), rule)
        for kernel, rule in zip(request.kernels, request.constraints)
    ]
    found = best_partitions(weights, request.bounds)
    for labels, rule, bounds in zip(found, request.constraints, request.bounds):
        check_honoured(labels, rule, bounds)
    return [labels[rule.groups] for labels, rule in zip(found, request.constraints)]


def _agglomerative(request: Request) -> list[Labels]:
    """Average linkage on log-odds, cut at 0 or as near to it as the bounds allow."""
    found = []
    for kernel, bounds, rule in zip(request.kernels, request.bounds, request.constraints):
        tree = merge_tree(linked_weights(log_odds(kernel), rule))
        lower, upper = bounds or Bounds(1, len(kernel))
        labels = tree.cut(min(max(tree.n_items - tree.n_unions_above(0.0), lower), upper))
        found.append(_honoured(labels, bounds, rule))
    return found


def _expected_rand(request: Request) -> list[Labels]:
    odds = request.one_cluster_odds or [1.0] * len(request.kernels)
    asked = zip(request.kernels, request.bounds, request.constraints, odds, strict=True)
    return [
        _honoured(expected_rand_labels(kernel, bounds, rule, each), bounds, rule)
        for kernel, bounds, rule, each in asked
    ]


def _size_prior(request: Request) -> list[Labels]:
    asked = zip(request.kernels, request.bounds, request.constraints)
    return [
        _honoured(size_prior_labels(kernel, bounds, rule), bounds, rule) for kernel, bounds, rule in asked
    ]


def _honoured(labels: Labels, bounds: Bounds | None, rule: Constraints) -> Labels:
    """The labels, checked against what was asked."""
    check_honoured(labels[np.unique(rule.groups, return_index=True)[1]], rule, bounds)
    return labels


def _spectral(request: Request) -> list[Labels]:
    bounds = request.bounds
    if request.n_clusters_method is not None:
        bounds = _settled(request, request.n_clusters_method)
    return spectral_labels(
        request.kernels, bounds, assign_labels=request.assign_labels, random_state=request.seed
    )


def _kernel_k_means(request: Request) -> list[Labels]:
    bounds = _settled(request, request.n_clusters_method or "log-odds")
    return [
        kernel_k_means_labels(kernel, one.lower, request.seed) for kernel, one in zip(request.kernels, bounds)
    ]


def _settled(request: Request, n_clusters_method: str) -> list[Bounds]:
    """Bounds of one number each: the given one, or the estimate within the given range."""
    settled = []
    for kernel, bounds in zip(request.kernels, request.bounds):
        if bounds is None or not bounds.exact:
            number = estimate_one(kernel, n_clusters_method, bounds).n_clusters
            bounds = Bounds(number, number)
        settled.append(bounds)
    return settled


def _one_by_one(label: Callable[..., Labels]) -> Callable[[Request], list[Labels]]:
    """A method that knows one kernel of two items or more, as one for many; a single item needs no method."""

    def labels(request: Request) -> list[Labels]:
        return [
            label(kernel, request.seed) if len(kernel) > 1 else np.zeros(1, dtype=np.int64)
            for kernel in request.kernels
        ]

    return labels


METHODS: dict[str, Method] = {
    "affinity-propagation": Method(_one_by_one(affinity_propagation_labels), takes_n_clusters=False),
    "agglomerative": Method(_agglomerative, takes_constraints=True),
    "expected-rand": Method(_expected_rand, takes_constraints=True),
    "hdbscan": Method(_one_by_one(hdbscan_labels), takes_n_clusters=False),
    "kernel-k-means": Method(_kernel_k_means),
    "leiden": Method(_one_by_one(leiden_labels), takes_n_clusters=False),
    "log-odds": Method(_log_odds, takes_constraints=True),
    "louvain": Method(_one_by_one(louvain_labels), takes_n_clusters=False),
    "size-prior": Method(_size_prior, takes_constraints=True, finish=gather_as),
    "spectral": Method(_spectral),
}
