"""New items among the clusters of a large set: they join one of them or open new ones; old ones stay."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import coo_array

from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND
from abclust.scale.checkpoint import MemoryKeeper
from abclust.scale.config import LocalContextConfig
from abclust.scale.evidence import PairEvidence
from abclust.scale.local_rows import compute_rows
from abclust.scale.local_sets import LocalSets, fill_up
from abclust.scale.neighbours import nearest_neighbours
from abclust.scale.pair_graph import Entries, add_up, stack_blocks
from abclust.scale.placement import place_among
from abclust.scale.progress import LogProgress, ScaleProgress
from abclust.scale.sparse_contraction import contract_graph


def place_newcomers(
    evidence: PairEvidence,
    features: Float[np.ndarray, "a f"],
    labels: Int[np.ndarray, " n"],
    config: LocalContextConfig,
    *,
    sample: Int[np.ndarray, " s"] | None = None,
    seed: int = 0,
    progress: ScaleProgress | None = None,
) -> Int[np.ndarray, " m"]:
    """The clusters of new items: the one with the largest sum of log-odds, if that is above 0, or a new one.

    The network sees each new item in the middle of a local set of its own, among its nearest neighbours, old
    and new, and items from anywhere; or, where the set was seen through a sample, beside that sample. New
    items that no cluster draws are clustered among themselves.

    Parameters
    ----------
    evidence
        About old items followed by new ones.
    features
        Of the same, for neighbours; a = n + m.
    labels
        Of the n old ones, 0 to k - 1.
    config
        How local sets look.
    sample
        The items that the set was seen through (:attr:`abclust.scale.large_set.LargeSetPartition.sample`).
    seed, progress
        As in :func:`~abclust.scale.large_set.cluster_large_set`.

    Returns
    -------
    int64 array (m,)
        Ids from k on are new clusters, numbered by first appearance.

    Examples
    --------
    >>> from abclust.kernel.fixed_kernels import RBFKernel
    >>> from abclust.scale.evidence import KernelEvidence
    >>> points = np.array([[0.0], [0.1], [9.0], [9.1], [9.2], [50.0], [50.1]])
    >>> rule = KernelEvidence(points, lambda sets: [RBFKernel(1.0).kernel(each) for each in sets])
    >>> config = LocalContextConfig(set_size=40, n_far=2)
    >>> place_newcomers(rule, points, np.array([0, 0, 1, 1]), config).tolist()
    [1, 2, 2]
    """
    progress = progress or LogProgress()
    n_old = len(labels)
    new = np.arange(n_old, len(features))
    if sample is not None:
        found = place_among(evidence, new, sample, labels[sample], config, seed, progress).labels
    else:
        found = np.full(len(new), -1)
    if (found >= 0).all():
        return found.astype(np.int64)
    # What a sample does not draw may still belong to a cluster that was too small for the sample to show.
    sets = _own_sets(features, n_old, config, seed, progress)
    rows = compute_rows(sets, evidence, MemoryKeeper(), "new items", progress)
    found = np.where(found >= 0, found, _drawn_to(sets, rows, labels))
    alone = np.flatnonzero(found < 0)
    if len(alone):
        found[alone] = labels.max() + 1 + _among_themselves(sets, rows, alone)
    return found.astype(np.int64)


def _own_sets(
    features: Float[np.ndarray, "a f"],
    n_old: int,
    config: LocalContextConfig,
    seed: int,
    progress: ScaleProgress,
) -> LocalSets:
    """One set for each new item: itself, its neighbours, and some from anywhere."""
    n_all = len(features)
    near = nearest_neighbours(features, config.n_close - 1, seed=seed, progress=progress, first=n_old)
    generator = np.random.default_rng(seed)
    size = min(config.set_size, n_all)
    new = np.arange(n_old, n_all)
    sets = [
        fill_up(list(dict.fromkeys([item, *row]))[:size], size, n_all, generator)
        for item, row in zip(new.tolist(), near.tolist())
    ]
    return LocalSets(np.stack(sets).astype(np.int32), new, np.arange(len(new)))


def _drawn_to(
    sets: LocalSets, rows: Float[np.ndarray, "m s"], labels: Int[np.ndarray, " n"]
) -> Int[np.ndarray, " m"]:
    """The old cluster with the largest sum of log-odds to each new item; -1 where no sum is above 0."""
    places, columns = np.nonzero(sets.items < len(labels))
    clusters = labels[sets.items[places, columns]]
    shape = (len(rows), int(labels.max()) + 1)
    sums: Any = coo_array((rows[places, columns], (places, clusters)), shape=shape).tocsr()
    # What is not stored counts as 0, as a cluster of one's own does.
    return np.where(sums.max(axis=1).toarray().ravel() > 0, sums.argmax(axis=1).ravel(), -1)


def _among_themselves(
    sets: LocalSets, rows: Float[np.ndarray, "m s"], alone: Int[np.ndarray, " o"]
) -> Int[np.ndarray, " o"]:
    """Clusters of those that no old cluster draws, by the pairs between them."""
    number_of = np.full(int(sets.items.max()) + 1, -1, dtype=np.int32)
    number_of[sets.middle[alone]] = np.arange(len(alone))
    numbers = number_of[sets.items[alone]]
    first, columns = np.nonzero(numbers >= 0)
    second = numbers[first, columns]
    values = np.clip(rows[alone][first, columns], -LOG_ODDS_BOUND, LOG_ODDS_BOUND)
    both = Entries(
        np.concatenate([first, second]).astype(np.int32),
        np.concatenate([second, first]).astype(np.int32),
        np.concatenate([values, values]),
        np.ones(2 * len(values), dtype=np.uint8),
    )
    block = add_up(both, (len(alone), len(alone)))
    return contract_graph(stack_blocks([block], len(alone), block.nnz))
