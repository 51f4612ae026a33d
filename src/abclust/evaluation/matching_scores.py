"""Scores that need a match between clusters, or only their number."""

import numpy as np
from jaxtyping import Int
from scipy.optimize import linear_sum_assignment


def matched_accuracy(table: Int[np.ndarray, "k_true k_predicted"]) -> float:
    """Share of items in the right cluster under the best one-to-one match of clusters.

    .. math:: \\frac1n \\max_{\\pi} \\sum_i T_{i\\,\\pi(i)}

    The match is the Hungarian one. Clusters left over on the longer side match nothing, so every surplus
    cluster costs its items.

    References
    ----------
    Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2, 1955.
    https://doi.org/10.1002/nav.3800020109

    Examples
    --------
    >>> matched_accuracy(np.array([[0, 3], [1, 0], [1, 0]]))
    0.8
    """
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def n_clusters_error(table: Int[np.ndarray, "k_true k_predicted"]) -> int:
    """How far the number of clusters is off, either way: |k predicted - k true|.

    Examples
    --------
    >>> n_clusters_error(np.array([[1, 1, 1]]))
    2
    """
    return abs(table.shape[1] - table.shape[0])
