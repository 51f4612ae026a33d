r"""The level of the merge tree that the kernel itself expects to score best (ours).

Log-odds clustering asks each union for even odds. Where a network is unsure of everything, no union has them,
and the set falls to pieces, although a coarser answer would be nearer to the truth whatever it is. This asks
another question: if the kernel's probabilities are right, which level has the highest adjusted Rand score?
"""

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.cluster.hierarchy import leaves_list
from scipy.special import expit

from abclust.clustering.checks import Bounds
from abclust.clustering.constraints import Constraints, apart_items, linked_weights
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import MergeTree, merge_tree

# A probability nearer to 0 or 1 than this is one rounding error of single precision; it must not decide alone
# whether a whole set is one cluster.
_CERTAIN = 1e-6
# What is less probable than this is no cluster by itself: to ask what else it may be would be a waste.
_HARDLY = 0.05


def expected_rand_labels(
    kernel: Float[np.ndarray, "n n"],
    bounds: Bounds | None,
    constraints: Constraints,
    one_cluster_odds: float = 1.0,
) -> Int[np.ndarray, " n"]:
    """The labels of the level of highest expected score, within the bounds, that keeps the constraints.

    Parameters
    ----------
    kernel
        Calibrated probabilities: what is expected is only as true as they are. Shape (n, n).
    bounds
        The number of clusters allowed; None for any.
    constraints
        Pairs that are together or apart; they count as certain.
    one_cluster_odds
        As in :func:`expected_rand_scores`.
    """
    linked = linked_probabilities(kernel, constraints)
    tree = merge_tree(linked_weights(log_odds(kernel), constraints))
    scores = expected_rand_scores(tree, linked, one_cluster_odds)[::-1]  # by the number of clusters, from one
    lower, upper = bounds or Bounds(1, len(kernel))
    if not constraints.is_empty:
        lower = max(lower, min(upper, _fewest_apart(tree, constraints)))
        upper = max(lower, min(upper, constraints.n_groups))
    return tree.cut(lower + int(scores[lower - 1 : upper].argmax()))


def expected_rand_scores(
    tree: MergeTree, probabilities: Float[np.ndarray, "n n"], one_cluster_odds: float = 1.0
) -> Float[np.ndarray, " n"]:
    r"""The expected adjusted Rand score of every level of a tree, from single items to one cluster.

    Of N pairs, each together with probability p, a partition puts c together, which hold
    :math:`t = \sum p` of the probability. With :math:`q` the mean probability of all pairs,

    .. math:: \frac{t - c q}{\tfrac{1}{2} (c + N q) - c q}

    is the adjusted Rand score with every count replaced by its expectation. It is 0 for both ends of the tree
    whatever the truth, so these have rules of their own. Single items are scored by the probability that no
    pair is together, :math:`\prod (1 - p)`. One cluster is right with some probability u and worth nothing
    otherwise, every other level is worth nothing if it is right. No pair is less probable than u, so its odds
    are taken to be those of the weakest union of the tree; what is left to the pairs otherwise is
    :math:`(p - u) / (1 - u)`. One cluster is taken, with the score 1, if u is at least 1 - u times the best
    score that these give to any other level, and never otherwise.

    Whoever knows more of the set than its kernel multiplies the odds of one cluster. Then u is another, what
    is left to the pairs otherwise is the same, and every pair has the probability that follows from both.

    Parameters
    ----------
    tree
        Over n items, of the same probabilities.
    probabilities
        Symmetric, in [0, 1]; the diagonal is ignored. Shape (n, n).
    one_cluster_odds
        The odds that the set is one cluster, as a multiple of those of the weakest union.

    Returns
    -------
    array of shape (n,)
        Entry r is the score after r unions, of n - r clusters.

    References
    ----------
    L. Hubert and P. Arabie, "Comparing partitions", Journal of Classification 2, 1985.
    DOI 10.1007/BF01908075

    Examples
    --------
    >>> kernel = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> expected_rand_scores(merge_tree(log_odds(kernel)), kernel).round(2).tolist()
    [0.07, 0.71, 0.0]
    """
    n_items = tree.n_items
    if n_items == 1:
        return np.ones(1)
    weakest = tree.mean_log_odds.min()
    one = float(expit(weakest + np.log(one_cluster_odds)))
    if one_cluster_odds != 1:
        probabilities = one + (1 - one) * _otherwise(probabilities, float(expit(weakest)))
    pairs = probabilities[np.triu_indices(n_items, 1)]
    scores = np.empty(n_items)
    scores[0] = np.exp(np.log1p(-np.minimum(pairs, 1 - _CERTAIN)).sum())
    scores[1:-1] = _inner_scores(tree, probabilities)
    scores[-1] = _is_one_cluster(tree, probabilities, one)
    return scores


def _otherwise(probabilities: Float[np.ndarray, "n n"], one: float) -> Float[np.ndarray, "n n"]:
    """Those of pairs if the set is not one cluster, which it is with the probability `one`."""
    return np.maximum(probabilities - one, 0.0) / max(1 - one, _CERTAIN)


def _inner_scores(tree: MergeTree, probabilities: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " rows"]:
    """Those of all levels but the two ends: after the last union nothing is left to score."""
    n_items = tree.n_items
    total = (probabilities.sum() - np.trace(probabilities)) / 2
    sizes = np.concatenate([np.ones(n_items), tree.linkage[:, 3]])
    first, second = tree.linkage[:, :2].astype(np.int64).T
    together = np.cumsum(sizes[first] * sizes[second])
    held = np.cumsum(union_sums(tree, probabilities))[:-1]
    chance = together[:-1] * (total / together[-1])
    return (held - chance) / ((together[:-1] + total) / 2 - chance)


def _is_one_cluster(tree: MergeTree, probabilities: Float[np.ndarray, "n n"], one: float) -> bool:
    """Whether one cluster, of the probability `one`, is worth more than the best of what else it may be."""
    if one >= 0.5:  # no score is above 1
        return True
    if one < _HARDLY:
        return False
    otherwise = _inner_scores(tree, _otherwise(probabilities, one))
    # Two items have no level between the ends: what they may be otherwise is apart, for certain.
    return bool(one >= (1 - one) * otherwise.max(initial=0.0 if len(otherwise) else 1.0))


def union_sums(
    tree: MergeTree, matrix: Float[np.ndarray, "n n"] | Bool[np.ndarray, "n n"]
) -> Float[np.ndarray, " rows"]:
    """The sum of a symmetric matrix between the two clusters of every union of a tree.

    In the order of the leaves each cluster is a run of items, so that a sum is a block of the reordered
    matrix: four look-ups in its two-dimensional running sum.
    """
    n_items = tree.n_items
    order = leaves_list(tree.linkage)
    running = np.zeros((n_items + 1, n_items + 1))
    running[1:, 1:] = matrix[np.ix_(order, order)]
    np.cumsum(running, axis=0, out=running)
    np.cumsum(running, axis=1, out=running)
    starts = np.empty(2 * n_items - 1, dtype=np.int64)
    starts[order] = np.arange(n_items)
    left, right = tree.linkage[:, :2].astype(np.int64).T
    for union, child in enumerate(left):
        starts[n_items + union] = starts[child]  # the left cluster's items come first
    stops = starts + np.concatenate([np.ones(n_items), tree.linkage[:, 3]]).astype(np.int64)
    a, b, c, d = starts[left], stops[left], starts[right], stops[right]
    return running[b, d] - running[a, d] - running[b, c] + running[a, c]


def linked_probabilities(
    kernel: Float[np.ndarray, "n n"], constraints: Constraints
) -> Float[np.ndarray, "n n"]:
    """The kernel with 1 for pairs that must be together and 0 for pairs that must be apart."""
    if constraints.is_empty:
        return kernel
    groups = constraints.groups
    linked = np.where(apart_items(constraints), 0.0, kernel)
    linked[groups[:, None] == groups] = 1.0
    return linked


def _fewest_apart(tree: MergeTree, constraints: Constraints) -> int:
    """The fewest clusters of a level that keeps apart what must be."""
    breaks = np.flatnonzero(union_sums(tree, apart_items(constraints)) > 0)
    return tree.n_items - int(breaks[0]) if len(breaks) else 1
