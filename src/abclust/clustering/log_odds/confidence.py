"""How clearly each item belongs to its cluster."""

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit

from abclust.clustering.log_odds.objective import cluster_sums


def item_confidence(
    weights: Float[np.ndarray, "n n"], labels: Int[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    r"""What the objective loses if an item moves to its next-best cluster, as a probability, for each item.

    With :math:`s_{ci}` the sum of log-odds between item i and cluster c, the loss is
    :math:`s_{c(i)i} - \max_{c \ne c(i)} s_{ci}`, where a new cluster of its own (sum 0) also counts as a
    next-best. The sum grows with the number of pairs, as if every pair were independent evidence, which the
    output of one network is not; so the loss is divided by the number of pairs it rests on before it becomes
    :math:`1 / (1 + e^{-loss})`. 1/2 means that the two clusters pull alike, less that the item sits badly.

    Parameters
    ----------
    weights : array of shape (n, n)
        Symmetric log-odds with a zero diagonal.
    labels : integer array of shape (n,), in canonical order

    Returns
    -------
    array of shape (n,), in [0, 1]
        A set of one item is certain: 1.

    Examples
    --------
    >>> weights = np.array([[0.0, 2.0, -2.0], [2.0, 0.0, -2.0], [-2.0, -2.0, 0.0]])
    >>> item_confidence(weights, np.array([0, 0, 1])).round(3).tolist()
    [0.881, 0.881, 0.881]
    """
    n_items, n_clusters = len(labels), int(labels.max()) + 1
    if n_items == 1:
        return np.ones(1)
    # One more slot stands for a new cluster: nobody in it, no pull.
    sums = cluster_sums(weights[None], labels[None], n_clusters + 1)[0]
    sizes = np.bincount(labels, minlength=n_clusters + 1)
    items = np.arange(n_items)
    stay = sums[labels, items].copy()
    sums[labels, items] = -np.inf
    # Leaving a cluster of one for a new cluster of one is no move.
    sums[n_clusters, sizes[labels] == 1] = -np.inf
    next_best = sums.argmax(axis=0)
    loss = stay - sums[next_best, items]
    n_pairs = sizes[labels] - 1 + sizes[next_best]
    return expit(loss / n_pairs)
