"""Clustered sets made by hand: a true partition, log-odds with noise, and everything a report asks for."""

import numpy as np
from scipy.special import expit

from abclust.clustering.log_odds.confidence import item_confidence
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import merge_tree
from abclust.clustering.partition import Partition
from abclust.estimator.clustered_set import ClusteredSet

HOSTILE = "<script>alert('x')</script>\"'&amp;<img src=x onerror=alert(1)>"


def clustered(labels, prepared=None, *, noise=1.5, seed=0, samples=(3, 4, 4, 5)) -> ClusteredSet:
    """A set with these clusters, in canonical order, and a kernel that says so with some noise."""
    labels = np.asarray(labels, dtype=np.int64)
    rng = np.random.default_rng(seed)
    evidence = np.where(labels[:, None] == labels, 2.0, -2.5) + noise * rng.normal(size=(len(labels),) * 2)
    kernel = expit((evidence + evidence.T) / 2)
    weights = log_odds(kernel)
    partition = Partition(
        labels=labels,
        n_clusters=int(labels.max()) + 1,
        confidence=item_confidence(weights, labels),
        merge_tree=merge_tree(weights, through=labels),
        n_clusters_samples=np.array(samples, dtype=np.int64),
    )
    seen = points(len(labels)) if prepared is None else np.asarray(prepared, dtype=np.float32)
    return ClusteredSet(kernel, partition, seen)


def points(n_items, n_columns=2, seed=1):
    return np.random.default_rng(seed).normal(size=(n_items, n_columns))


def images(n_items, shape=(13, 11), seed=2):
    return np.random.default_rng(seed).integers(0, 256, size=(n_items, *shape), dtype=np.uint8)


def labels_of_sizes(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)
