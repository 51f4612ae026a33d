"""Walking through a merge tree by its node numbers: items 0 to n - 1, the union of row t is n + t."""

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.merge_tree import MergeTree


def children(tree: MergeTree, node: int) -> tuple[int, int]:
    """The two nodes that a union joined, the larger one first; of equals the one with the lower number."""
    first, second = (int(child) for child in tree.linkage[node - tree.n_items, :2])
    first, second = min(first, second), max(first, second)
    return (first, second) if node_size(tree, first) >= node_size(tree, second) else (second, first)


def node_size(tree: MergeTree, node: int) -> int:
    """How many items are below a node."""
    return 1 if node < tree.n_items else int(tree.linkage[node - tree.n_items, 3])


def leaves_below(tree: MergeTree, node: int, n_groups: int) -> list[int]:
    """The nodes of the level with `n_groups` groups that are below a node, from left to right.

    With as many groups as items these are the items themselves.

    Examples
    --------
    >>> tree = MergeTree(np.array([[0, 2, 1.0, 2], [1, 3, 2.0, 3]]), np.array([1.0, -1.0]))
    >>> leaves_below(tree, 4, n_groups=3), leaves_below(tree, 4, n_groups=2)
    ([0, 2, 1], [3, 1])
    """
    first_union_above = 2 * tree.n_items - n_groups
    found, waiting = [], [node]  # a list instead of recursion: a chain of unions is as deep as it is long
    while waiting:
        current = waiting.pop()
        if current < first_union_above:
            found.append(current)
        else:
            waiting.extend(reversed(children(tree, current)))
    return found


def items_below(tree: MergeTree, node: int) -> Int[np.ndarray, " m"]:
    """The items below a node."""
    return np.array(leaves_below(tree, node, tree.n_items), dtype=np.int64)


def union_levels(tree: MergeTree) -> Float[np.ndarray, " rows"]:
    """The log-odds at which each union is drawn: they never rise, so that no branch turns back."""
    return np.minimum.accumulate(tree.mean_log_odds)
