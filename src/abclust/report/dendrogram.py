"""The merge tree as a picture, with the cut that was chosen."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.special import logit

from abclust.clustering.merge_tree import MergeTree
from abclust.clustering.partition import Partition
from abclust.report.cluster_order import ClusterOrder, ClusterSpan
from abclust.report.limits import ReportLimits
from abclust.report.tree_nodes import children, items_below, leaves_below, node_size, union_levels

WIDTH, HEIGHT = 960.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 26.0, 52.0
_FOOT = HEIGHT - BOTTOM
_GAP = 0.7
"""Room between two clusters, in widths of a leaf."""
_TICKS = (0.99999, 0.999, 0.99, 0.9, 0.5, 0.1, 0.01, 0.001, 0.00001)
_LEAST_TICK_DISTANCE = 16.0
_MOST_CLUSTER_NAMES = 30


@dataclass(frozen=True)
class Branch:
    """A union as an upside-down U, or a group of items as a triangle; no cluster above the cut."""

    path: str
    cluster: ClusterSpan | None
    is_group: bool
    note: str


@dataclass(frozen=True)
class ClusterFoot:
    """Where the number of a cluster stands below the tree."""

    x: float
    cluster: ClusterSpan


@dataclass(frozen=True)
class Dendrogram:
    """The picture; `cut_y` is None if the chosen cut lies below what is drawn."""

    branches: tuple[Branch, ...]
    feet: tuple[ClusterFoot, ...]
    ticks: tuple[tuple[float, str], ...]
    cut_y: float | None
    n_clusters: int
    n_items: int
    n_leaves: int


def dendrogram(partition: Partition, order: ClusterOrder, limits: ReportLimits) -> Dendrogram | None:
    """Lay out the merge tree; None for a set of one item.

    Large sets are drawn from the level of `limits.tree_leaves` groups upwards, each group as a triangle.

    Parameters
    ----------
    partition
        Its tree passes through its labels, so that every union is either inside one cluster or above all.
    order
        The clusters with their colours.
    limits
        How many groups there are at the foot.
    """
    tree, n_items = partition.merge_tree, partition.merge_tree.n_items
    if n_items == 1:
        return None
    n_leaves = min(n_items, max(limits.tree_leaves, min(partition.n_clusters, 2 * limits.tree_leaves)))
    leaves = leaves_below(tree, 2 * n_items - 2, n_leaves)
    owners = {leaf: _owner(partition, order, leaf) for leaf in leaves}
    x = _leaf_places(leaves, owners, has_gaps=n_leaves >= partition.n_clusters)
    scale = _Scale(union_levels(tree), n_items)
    branches = [_group(tree, leaf, x[leaf], scale, owners[leaf]) for leaf in leaves]
    tops = {leaf: scale.node_y(leaf) for leaf in leaves}
    for node in range(2 * n_items - n_leaves, 2 * n_items - 1):
        left, right = sorted(children(tree, node), key=x.__getitem__)
        x[node], tops[node] = (x[left] + x[right]) / 2, scale.node_y(node)
        is_inside = node < 2 * n_items - partition.n_clusters
        owners[node] = owners[left] if is_inside else None
        path = f"M{x[left]:.1f} {tops[left]:.1f}V{tops[node]:.1f}H{x[right]:.1f}V{tops[right]:.1f}"
        branches.append(Branch(path, owners[node], False, _union_note(tree, node)))
    is_cut_drawn = partition.n_clusters <= n_leaves
    return Dendrogram(
        branches=tuple(branches),
        feet=_feet(leaves, owners, x) if is_cut_drawn else (),
        ticks=scale.ticks(),
        cut_y=scale.cut_y(partition.n_clusters) if is_cut_drawn else None,
        n_clusters=partition.n_clusters,
        n_items=n_items,
        n_leaves=n_leaves,
    )


class _Scale:
    """From log-odds to the height in the picture: strong evidence for a union at the foot."""

    def __init__(self, levels: Float[np.ndarray, " rows"], n_items: int) -> None:
        self.levels, self.n_items = levels, n_items
        lowest, highest = float(levels.min()), float(levels.max())
        margin = max(0.06 * (highest - lowest), 0.25)
        self.lowest, self.highest = lowest - margin, highest + margin

    def y(self, log_odds: float) -> float:
        return TOP + (_FOOT - TOP) * (log_odds - self.lowest) / (self.highest - self.lowest)

    def node_y(self, node: int) -> float:
        return _FOOT if node < self.n_items else self.y(float(self.levels[node - self.n_items]))

    def cut_y(self, n_clusters: int) -> float:
        """Half way between the last union below the cut and the first one above."""
        below = _FOOT if n_clusters == self.n_items else self.y(float(self.levels[-n_clusters]))
        above = TOP if n_clusters == 1 else self.y(float(self.levels[1 - n_clusters]))
        return round((below + above) / 2, 1)

    def ticks(self) -> tuple[tuple[float, str], ...]:
        found: list[tuple[float, str]] = []
        for probability in _TICKS:
            level = float(logit(probability))
            y = round(self.y(level), 1)
            is_free = all(abs(y - other) >= _LEAST_TICK_DISTANCE for other, _ in found)
            if self.lowest <= level <= self.highest and is_free:
                found.append((y, f"{probability:.10f}".rstrip("0")))
        return tuple(found)


def _owner(partition: Partition, order: ClusterOrder, leaf: int) -> ClusterSpan | None:
    """The cluster that a leaf belongs to; None if it holds several."""
    labels = np.unique(partition.labels[items_below(partition.merge_tree, leaf)])
    return order.cluster(int(labels[0])) if len(labels) == 1 else None


def _leaf_places(
    leaves: list[int], owners: dict[int, ClusterSpan | None], has_gaps: bool
) -> dict[int, float]:
    steps = [1.0 + _GAP * (has_gaps and owners[leaf] != owners[before]) for before, leaf in pairwise(leaves)]
    places = np.concatenate([[0.5], 0.5 + np.cumsum(steps)])
    places = LEFT + places * (WIDTH - LEFT - RIGHT) / (places[-1] + 0.5)
    return dict(zip(leaves, places.tolist()))


def _group(tree: MergeTree, leaf: int, x: float, scale: _Scale, owner: ClusterSpan | None) -> Branch:
    """A triangle from the last union of the group down to the foot; one item is a short stroke."""
    size = node_size(tree, leaf)
    if size == 1:
        return Branch(f"M{x:.1f} {_FOOT:.1f}v4", owner, False, "1 item")
    half = 4.0
    path = f"M{x:.1f} {scale.node_y(leaf):.1f}L{x - half:.1f} {_FOOT + 4:.1f}h{2 * half:.1f}Z"
    return Branch(path, owner, True, f"{size} items")


def _union_note(tree: MergeTree, node: int) -> str:
    first, second = (node_size(tree, child) for child in children(tree, node))
    probability = 1 / (1 + np.exp(-tree.mean_log_odds[node - tree.n_items]))
    return f"{first} + {second} items, probability {probability:.3g} of belonging together"


def _feet(
    leaves: list[int], owners: dict[int, ClusterSpan | None], x: dict[int, float]
) -> tuple[ClusterFoot, ...]:
    places: dict[int, list[float]] = {}
    spans: dict[int, ClusterSpan] = {}
    for leaf in leaves:
        if (span := owners[leaf]) is not None:
            places.setdefault(span.label, []).append(x[leaf])
            spans[span.label] = span
    if len(spans) > _MOST_CLUSTER_NAMES:
        return ()
    return tuple(ClusterFoot(round(float(np.mean(xs)), 1), spans[label]) for label, xs in places.items())
