"""Labels in canonical order: clusters are numbered by their first appearance."""

import numpy as np
from jaxtyping import Int


def canonical_labels(labels: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Number the clusters 0, 1, ... in the order in which their first items stand.

    Two labellings are the same partition exactly when their canonical labels are equal.

    Parameters
    ----------
    labels : integer array of shape (n,)

    Returns
    -------
    int64 array of shape (n,)

    Examples
    --------
    >>> canonical_labels(np.array([7, 7, 3, 7, 5])).tolist()
    [0, 0, 1, 0, 2]
    """
    _, first_items, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first_items), dtype=np.int64)
    rank[np.argsort(first_items)] = np.arange(len(first_items))
    return rank[inverse]


def noise_as_singletons(labels: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Give every item that a method left out (label -1) a cluster of its own, so that labels are a partition.

    Examples
    --------
    >>> noise_as_singletons(np.array([0, -1, 0, -1])).tolist()
    [0, 1, 0, 2]
    """
    is_noise = labels < 0
    full = labels.astype(np.int64)
    full[is_noise] = labels.max(initial=-1) + 1 + np.arange(is_noise.sum())
    return canonical_labels(full)
