"""What other numbers of clusters would give: which clusters would be joined, which one split."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from abclust.clustering.partition import Partition
from abclust.evaluation.scores import Scores, score_partition
from abclust.report.tree_nodes import children, items_below, node_size

_MOST_NUMBERS = 6


@dataclass(frozen=True)
class OtherCut:
    """A level of the merge tree near the chosen one.

    Attributes
    ----------
    n_clusters : int
    is_chosen : bool
    change : str
        The step from the row nearer to the chosen one.
    probability : float or None
        The mean evidence, as a probability, that the two sides of that step belong together.
    share : float or None
        The share of this number among the samples of the number of clusters; None without samples.
    scores : Scores or None
        Against the truth, if known.
    """

    n_clusters: int
    is_chosen: bool
    change: str
    probability: float | None
    share: float | None
    scores: Scores | None


def other_cuts(partition: Partition, n_around: int, true_labels: np.ndarray | None = None) -> list[OtherCut]:
    """The chosen number of clusters and up to `n_around` fewer and more, fewest first.

    Examples
    --------
    >>> from abclust import partition_kernel
    >>> kernel = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> for cut in other_cuts(partition_kernel(kernel, random_state=0), 1):
    ...     print(cut.n_clusters, cut.change)
    1 joins cluster 0 and cluster 1
    2 chosen
    3 splits cluster 0 into 1 + 1 items
    """
    chosen, n_items = partition.n_clusters, len(partition.labels)
    numbers = range(max(1, chosen - n_around), min(n_items, chosen + n_around) + 1)
    return [_cut(partition, number, true_labels) for number in numbers]


def _cut(partition: Partition, n_clusters: int, true_labels: np.ndarray | None) -> OtherCut:
    tree, samples = partition.merge_tree, partition.n_clusters_samples
    change, probability = "chosen", None
    if n_clusters != partition.n_clusters:
        # With k clusters left, row n - k - 1 of the linkage was the last union and row n - k is the next.
        is_join = n_clusters < partition.n_clusters
        row = tree.n_items - n_clusters - is_join
        change = _joined(partition, row) if is_join else _split(partition, row)
        probability = float(expit(tree.mean_log_odds[row]))
    return OtherCut(
        n_clusters=n_clusters,
        is_chosen=n_clusters == partition.n_clusters,
        change=change,
        probability=probability,
        share=float(np.mean(samples == n_clusters)) if len(samples) else None,
        scores=None if true_labels is None else score_partition(true_labels, tree.cut(n_clusters)),
    )


def _joined(partition: Partition, row: int) -> str:
    first, second = children(partition.merge_tree, partition.merge_tree.n_items + row)
    return f"joins {_clusters_below(partition, first)} and {_clusters_below(partition, second)}"


def _split(partition: Partition, row: int) -> str:
    tree = partition.merge_tree
    first, second = children(tree, tree.n_items + row)
    sizes = f"{node_size(tree, first)} + {node_size(tree, second)} items"
    owner = _clusters_below(partition, first)
    whole = node_size(tree, first) + node_size(tree, second)
    is_whole = whole == np.count_nonzero(partition.labels == partition.labels[items_below(tree, first)[0]])
    return f"splits {owner} into {sizes}" if is_whole else f"splits {whole} items of {owner} into {sizes}"


def _clusters_below(partition: Partition, node: int) -> str:
    labels = np.unique(partition.labels[items_below(partition.merge_tree, node)]).tolist()
    if len(labels) == 1:
        return f"cluster {labels[0]}"
    if len(labels) > _MOST_NUMBERS:
        return f"{len(labels)} clusters"
    return f"clusters {'+'.join(map(str, labels))}"
