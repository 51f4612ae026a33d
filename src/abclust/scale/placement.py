"""Few large clusters: a sample shows them all, and every other item is placed among the sample's clusters.

A neighbourhood of a hundred points out of many thousand on a circle is an arc, and no network can tell an arc
from the arc of another circle through it. A hundred points from anywhere show the circles. So a sample is
clustered first, by the kernel of all its pairs; if nearly all of its items are in clusters that many items
show, the set is seen through such samples, and else through neighbourhoods.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit

from abclust.clustering.backends import cluster_kernel
from abclust.scale.config import LocalContextConfig
from abclust.scale.evidence import PairEvidence
from abclust.scale.local_sets import LocalSets
from abclust.scale.progress import ScaleProgress

SHOWN_BY = 25
"""Items of a sample that show a cluster: with fewer, neighbours tell more about it than the sample does."""
SHOWN_SHARE = 0.97
"""Share of the sample's items in such clusters from which on the set is seen through samples."""


def cluster_sample(
    evidence: PairEvidence, n_items: int, config: LocalContextConfig, method: str, seed: int
) -> tuple[Int[np.ndarray, " s"], Int[np.ndarray, " s"]] | None:
    """The clusters of a random sample, by the kernel of all its pairs; None if it does not show them all.

    Returns
    -------
    sample : integer array (s,)
        The items of the sample, ascending.
    labels : integer array (s,)
        Their clusters.
    """
    n_sample = min(config.sample_size, n_items // 2)
    if n_sample < SHOWN_BY:
        return None
    sample = np.sort(np.random.default_rng(seed).choice(n_items, n_sample, replace=False))
    (log_odds,) = evidence.log_odds(sample[None])
    # Of the methods of sparse graphs this one has a counterpart for all pairs; the others mean log-odds here.
    whole = "size-prior" if method == "size-prior" else "log-odds"
    found = np.asarray(cluster_kernel(expit(log_odds.astype(np.float64)), method=whole))
    is_shown = np.bincount(found)[found] >= SHOWN_BY
    return (sample, found) if is_shown.mean() >= SHOWN_SHARE else None


def placement_sets(others: Int[np.ndarray, " o"], sample: Int[np.ndarray, " s"], seed: int) -> LocalSets:
    """Sets of the whole sample and as many items to be placed, each of which is in the middle of one.

    Examples
    --------
    >>> sets = placement_sets(np.array([4, 5, 6]), np.array([0, 1, 2, 3]), seed=0)
    >>> sets.items.shape, sets.middle.tolist()
    ((1, 7), [4, 5, 6])
    """
    n_new = max(1, min(len(sample), len(others)))
    shuffled = np.random.default_rng(seed).permutation(others)
    n_sets = -(-len(others) // n_new)
    # The last set is filled up with items that have had their turn.
    padded = np.resize(shuffled, n_sets * n_new).reshape(n_sets, n_new)
    anchors = np.tile(sample, (n_sets, 1))
    order = np.argsort(shuffled)
    set_of_middle = np.repeat(np.arange(n_sets), n_new)[: len(others)][order]
    return LocalSets(
        np.concatenate([padded, anchors], axis=1).astype(np.int32), shuffled[order], set_of_middle
    )


class Placed(NamedTuple):
    """Items among the clusters of a sample.

    Attributes
    ----------
    labels
        -1 where no cluster of the sample draws an item. Shape (o,).
    confidence
        What the best cluster's sum has over the next best, or over none, for each pair it rests on, as a
        probability. Shape (o,).
    """

    labels: Int[np.ndarray, " o"]
    confidence: Float[np.ndarray, " o"]


def place_among(
    evidence: PairEvidence,
    others: Int[np.ndarray, " o"],
    sample: Int[np.ndarray, " s"],
    sample_labels: Int[np.ndarray, " s"],
    config: LocalContextConfig,
    seed: int,
    progress: ScaleProgress,
) -> Placed:
    """Each of the other items to the cluster of the sample with the largest sum of log-odds.

    The network sees an item beside the whole sample, each time among other new ones.
    """
    names, numbers = np.unique(sample_labels, return_inverse=True)
    n_clusters = len(names)
    cluster_of = np.full(max(sample.max(), others.max()) + 1, n_clusters)
    cluster_of[sample] = numbers
    sums = np.zeros((len(others), n_clusters))
    for number in range(max(1, config.placements)):
        sets = placement_sets(others, sample, seed + number)
        sums += _sums_by_cluster(sets, evidence, cluster_of, n_clusters, f"placing {number + 1}", progress)
    # One more column stands for a cluster of its own: nobody in it, no pull.
    open_sums = np.concatenate([sums, np.zeros((len(others), 1))], axis=1)
    best, next_best = np.argsort(-open_sums, axis=1, kind="stable")[:, :2].T
    sizes = np.append(np.bincount(numbers), 0) * max(1, config.placements)
    rows = np.arange(len(others))
    loss = open_sums[rows, best] - open_sums[rows, next_best]
    return Placed(np.append(names, -1)[best], expit(loss / (sizes[best] + sizes[next_best])))


def place_items(
    evidence: PairEvidence,
    n_items: int,
    sample: Int[np.ndarray, " s"],
    sample_labels: Int[np.ndarray, " s"],
    config: LocalContextConfig,
    seed: int,
    progress: ScaleProgress,
) -> Placed:
    """All items of a set among the clusters of its sample, whose own items keep theirs, with certainty."""
    others = np.setdiff1d(np.arange(n_items), sample)
    placed = place_among(evidence, others, sample, sample_labels, config, seed, progress)
    labels, confidence = np.empty(n_items, dtype=np.int64), np.ones(n_items)
    labels[sample] = sample_labels
    labels[others], confidence[others] = placed
    return Placed(labels, confidence)


def _sums_by_cluster(
    sets: LocalSets,
    evidence: PairEvidence,
    cluster_of: Int[np.ndarray, " n"],
    n_clusters: int,
    name: str,
    progress: ScaleProgress,
) -> Float[np.ndarray, "o k"]:
    """The sums of log-odds of each item to be placed to the sample's clusters, one set at a time."""
    order = np.argsort(sets.set_of_middle, kind="stable")
    bounds = np.searchsorted(sets.set_of_middle[order], np.arange(len(sets.items) + 1))
    sums = np.zeros((len(sets.middle), n_clusters))
    progress.stage(name, len(sets.items))
    for number, items in enumerate(sets.items):
        (log_odds,) = evidence.log_odds(items[None])
        clusters = cluster_of[items]
        is_sample = clusters < n_clusters
        member = np.eye(n_clusters)[clusters[is_sample]]
        middle = order[bounds[number] : bounds[number + 1]]
        places = (items == sets.middle[middle][:, None]).argmax(axis=1)
        sums[middle] = log_odds[places][:, is_sample] @ member
        progress.advance(number + 1)
    return sums
