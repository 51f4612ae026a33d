"""Clusters as super-nodes: a few items stand for each, so that local sets reach as far as clusters do."""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from abclust.scale.config import LocalContextConfig
from abclust.scale.local_sets import LocalSets, pack_local_sets
from abclust.scale.neighbours import nearest_neighbours

_BLOCK = 65_536


def cluster_centres(
    features: Float[np.ndarray, "n f"], labels: Int[np.ndarray, " n"], n_clusters: int
) -> Float[np.ndarray, "k f"]:
    """The mean of each cluster, over blocks of a memory map.

    Examples
    --------
    >>> cluster_centres(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), 2).ravel().tolist()
    [1.0, 5.0]
    """
    sums = np.zeros((n_clusters, features.shape[1]))
    for start in range(0, len(labels), _BLOCK):
        part = labels[start : start + _BLOCK]
        member = csr_array(
            (np.ones(len(part)), part, np.arange(len(part) + 1)), shape=(len(part), n_clusters)
        )
        sums += member.T @ np.asarray(features[start : start + _BLOCK], dtype=np.float64)
    return (sums / np.bincount(labels, minlength=n_clusters)[:, None]).astype(np.float32)


def representatives(
    labels: Int[np.ndarray, " n"], n_clusters: int, most: int, generator: np.random.Generator
) -> list[Int[np.ndarray, " _"]]:
    """Up to `most` items of each cluster, drawn at random.

    Drawn and not the most central ones: the mean log-odds over them estimate the mean over all pairs.

    Examples
    --------
    >>> drawn = representatives(np.array([0, 1, 0, 0]), 2, 2, np.random.default_rng(0))
    >>> [len(items) for items in drawn]
    [2, 1]
    """
    shuffled = generator.permutation(len(labels))
    order = shuffled[np.argsort(labels[shuffled], kind="stable")]
    stops = np.cumsum(np.bincount(labels, minlength=n_clusters))
    starts = np.concatenate([[0], stops[:-1]])
    return [order[start : min(stop, start + most)] for start, stop in zip(starts, stops)]


def super_sets(
    features: Float[np.ndarray, "n f"],
    labels: Int[np.ndarray, " n"],
    config: LocalContextConfig,
    seed: int,
) -> LocalSets:
    """Local sets in which clusters stand beside the clusters nearest to them, each by its representatives."""
    n_clusters = int(labels.max()) + 1
    groups = representatives(labels, n_clusters, config.n_representatives, np.random.default_rng(seed))
    centres = cluster_centres(features, labels, n_clusters)
    n_near = max(1, config.n_close // config.n_representatives - 1)
    neighbours = nearest_neighbours(centres, min(config.n_neighbors, 2 * n_near), seed=seed)
    return pack_local_sets(
        neighbours,
        groups,
        len(labels),
        set_size=config.set_size,
        n_near=min(config.n_near, n_near),
        n_far=config.n_far,
        seed=seed,
    )
