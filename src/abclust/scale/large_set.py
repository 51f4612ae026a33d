"""Cluster a set that is too large for an n x n matrix: local sets, one sparse graph, its clusters."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from abclust.clustering.canonical_labels import canonical_labels
from abclust.scale.checkpoint import MemoryKeeper, WorkKeeper
from abclust.scale.config import LocalContextConfig
from abclust.scale.evidence import PairEvidence, PartEvidence
from abclust.scale.graph_methods import cluster_graph
from abclust.scale.graph_sums import add_graphs, contract_nodes
from abclust.scale.item_pulls import item_confidence
from abclust.scale.local_rows import compute_rows
from abclust.scale.local_sets import LocalSets, pack_local_sets
from abclust.scale.neighbours import nearest_neighbours
from abclust.scale.pair_graph import PairGraph, mean_log_odds
from abclust.scale.placement import cluster_sample, place_items
from abclust.scale.progress import LogProgress, ScaleProgress
from abclust.scale.seen_pairs import seen_pairs
from abclust.scale.small_nodes import gather_small_nodes
from abclust.scale.super_nodes import super_sets


@dataclass(frozen=True, eq=False)
class LargeSetPartition:
    """The clusters of a large set and the graph that they were found in.

    Attributes
    ----------
    labels
        The cluster of each item, numbered by first appearance. Shape (n,).
    confidence
        In [0, 1]: how clearly each item belongs to its cluster, by the pairs that were seen. Shape (n,).
    graph
        Mean log-odds of the pairs that were seen: symmetric, sparse. Shape (n, n). None if it was not to be
        kept, and where the set was seen through samples: what is said there is summed up as it comes.
    sample
        The items of the sample that the set was seen through; None where it was seen by neighbourhoods.
    """

    labels: Int[np.ndarray, " n"]
    confidence: Float[np.ndarray, " n"]
    graph: csr_array | None
    sample: Int[np.ndarray, " s"] | None = None

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1


def cluster_large_set(
    evidence: PairEvidence,
    features: Float[np.ndarray, "n f"],
    config: LocalContextConfig | None = None,
    *,
    method: str = "log-odds",
    seed: int = 0,
    keeper: WorkKeeper | None = None,
    progress: ScaleProgress | None = None,
    keep_graph: bool = True,
) -> LargeSetPartition:
    """Cluster a large set in time and memory that grow about linearly with its items.

    If a sample shows all clusters, it is clustered and all else is placed among its clusters
    (:mod:`~abclust.scale.placement`). Otherwise nearest neighbours are found; overlapping local sets go
    through the network, every item once in the middle of one; the log-odds of each pair are averaged over the
    sets that saw it; the sparse graph is clustered, with caution.
    Then clusters become super-nodes, of which a few items stand for each, and whole clusters are compared
    with their neighbours in the same way, so that one that is larger than a neighbourhood grows together.
    In the end ``"size-prior"`` lets clusters far below the typical size join others.

    Parameters
    ----------
    evidence
        What says the log-odds of pairs within a local set.
    features
        Where neighbours are sought; may be a memory map.
    config
        How local sets look.
    method
        ``"log-odds"``, ``"size-prior"``, ``"components"`` or ``"leiden"``; see
        :func:`~abclust.scale.graph_methods.cluster_graph`.
    seed
        Of everything drawn.
    keeper
        Where arrays live; a :class:`~abclust.scale.checkpoint.FolderKeeper` lets a killed run go on.
    progress
        Hears of every stage.
    keep_graph
        Whether the partition holds the graph, three kilobytes an item; who wants labels alone says no.

    Examples
    --------
    >>> from abclust.kernel.fixed_kernels import RBFKernel
    >>> from abclust.scale.evidence import KernelEvidence
    >>> points = np.repeat([[0.0], [9.0]], 50, axis=0) + np.arange(100)[:, None] / 1000
    >>> rule = KernelEvidence(points, lambda sets: [RBFKernel(1.0).kernel(each) for each in sets])
    >>> found = cluster_large_set(rule, points, LocalContextConfig(set_size=20, n_far=4, n_near=5))
    >>> found.n_clusters
    2
    """
    config = config or LocalContextConfig()
    keeper, progress = keeper or MemoryKeeper(), progress or LogProgress()
    shown = cluster_sample(evidence, len(features), config, method, seed) if config.placements else None
    if shown is None:
        return _by_neighbourhoods(evidence, features, config, method, seed, keeper, progress, keep_graph)
    labels, confident = place_items(evidence, len(features), *shown, config, seed, progress)
    left = np.flatnonzero(labels < 0)
    if len(left):
        # What the sample did not show is small, and so it is found by neighbourhoods.
        part = PartEvidence(evidence, left)
        near = replace(config, placements=0)
        found = _by_neighbourhoods(
            part, features[left], near, method, seed, MemoryKeeper(), progress, keep_graph=False
        )
        labels[left] = labels.max() + 1 + found.labels
        confident[left] = found.confidence
    return LargeSetPartition(canonical_labels(labels), confident, None, shown[0])


def _by_neighbourhoods(
    evidence: PairEvidence,
    features: Float[np.ndarray, "n f"],
    config: LocalContextConfig,
    method: str,
    seed: int,
    keeper: WorkKeeper,
    progress: ScaleProgress,
    keep_graph: bool,
) -> LargeSetPartition:
    graph = build_graph(evidence, features, config, seed, keeper, progress)
    progress.stage("contraction", 1)
    labels = cluster_graph(graph, method, threshold=config.caution if config.levels else 0.0, seed=seed)
    progress.advance(1)
    graphs = [graph]
    between: PairGraph | None = None
    for level in range(config.levels):
        if labels.max() == 0:
            break
        sets = super_sets(features, labels, config, seed + level)
        rows = compute_rows(sets, evidence, MemoryKeeper(), f"super-nodes {level + 1}", progress)
        graphs.append(seen_pairs(sets, rows, len(labels)))
        # Of the representatives alone: between items the nearest pairs of two clusters were seen. Sums over
        # pairs are linear, so what clusters have said before is contracted, not the items again.
        said = contract_nodes(graphs[-1], labels, int(labels.max()) + 1)
        between = said if between is None else add_graphs([between, said])
        merged = cluster_graph(between, method, seed=seed)
        if len(merged) == merged.max() + 1:
            break
        labels = merged[labels]
        between = contract_nodes(between, merged, int(merged.max()) + 1)
    if method == "size-prior":
        between = between or contract_nodes(graph, labels, int(labels.max()) + 1)
        labels = canonical_labels(gather_small_nodes(between, np.bincount(labels))[labels])
    confidence = item_confidence(graphs, labels)
    seen = mean_log_odds(add_graphs(graphs)) if keep_graph else None
    return LargeSetPartition(labels, confidence, seen)


def build_graph(
    evidence: PairEvidence,
    features: Float[np.ndarray, "n f"],
    config: LocalContextConfig,
    seed: int,
    keeper: WorkKeeper,
    progress: ScaleProgress,
) -> PairGraph:
    """The sparse graph of all rounds of local sets: sum and count of each pair that was seen."""
    neighbours = keeper.array(
        "neighbours", lambda: nearest_neighbours(features, config.n_neighbors, seed=seed, progress=progress)
    )
    graph = None
    for number in range(config.rounds):
        sets = _kept_sets(neighbours, config, seed + number, number, keeper, progress)
        rows = compute_rows(sets, evidence, keeper, f"local sets {number + 1}", progress)
        seen = seen_pairs(sets, rows, len(features))
        graph = seen if graph is None else add_graphs([graph, seen])
    assert graph is not None  # there is at least one round
    return graph


def _kept_sets(
    neighbours: Int[np.ndarray, "n k"],
    config: LocalContextConfig,
    seed: int,
    number: int,
    keeper: WorkKeeper,
    progress: ScaleProgress,
) -> LocalSets:
    """Pack the local sets of one round, or take those that a killed run had packed."""
    packed: list[LocalSets] = []

    def pack() -> LocalSets:
        if not packed:
            progress.stage(f"packing {number + 1}", len(neighbours))
            packed.append(
                pack_local_sets(
                    neighbours,
                    None,
                    len(neighbours),
                    set_size=config.set_size,
                    n_near=config.n_near,
                    n_far=config.n_far,
                    seed=seed,
                )
            )
        return packed[0]

    items = keeper.array(f"sets-{number}", lambda: pack().items)
    set_of_item = keeper.array(f"set-of-item-{number}", lambda: pack().set_of_middle)
    return LocalSets(items, np.arange(len(neighbours)), set_of_item)
