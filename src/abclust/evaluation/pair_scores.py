"""Scores that ask of pairs of items whether they are together in both partitions."""

import numpy as np
from jaxtyping import Int


def adjusted_rand(table: Int[np.ndarray, "k_true k_predicted"]) -> float:
    """Agreement on pairs, adjusted for chance: 0 for random labels, 1 for equal partitions.

    .. math:: \\mathrm{ARI} = \\frac{2\\,(\\mathrm{tp}\\,\\mathrm{tn} - \\mathrm{fn}\\,\\mathrm{fp})}
        {(\\mathrm{tp}+\\mathrm{fn})(\\mathrm{fn}+\\mathrm{tn})
        + (\\mathrm{tp}+\\mathrm{fp})(\\mathrm{fp}+\\mathrm{tn})}

    References
    ----------
    Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985.
    https://doi.org/10.1007/BF01908075

    Examples
    --------
    >>> adjusted_rand(np.array([[2, 0], [0, 3]]))
    1.0
    """
    both, only_true, only_predicted = _pair_counts(table)
    if only_true == 0 and only_predicted == 0:
        return 1.0
    n_items = int(table.sum())
    neither = n_items * (n_items - 1) // 2 - both - only_true - only_predicted
    agreement = 2 * (both * neither - only_true * only_predicted)
    return agreement / (
        (both + only_true) * (only_true + neither) + (both + only_predicted) * (only_predicted + neither)
    )


def pairwise_f_measure(table: Int[np.ndarray, "k_true k_predicted"]) -> float:
    """Harmonic mean of precision and recall of the statement "this pair belongs together".

    .. math:: F = 2\\,\\mathrm{tp} \\,/\\, (2\\,\\mathrm{tp} + \\mathrm{fp} + \\mathrm{fn})

    Large clusters weigh more, as they hold more pairs. Two partitions of singletons have no pair to be wrong
    about and score 1.

    References
    ----------
    Amigo et al., "A comparison of extrinsic clustering evaluation metrics", Information Retrieval 12, 2009.
    https://doi.org/10.1007/s10791-008-9066-8

    Examples
    --------
    >>> pairwise_f_measure(np.array([[2, 1], [0, 1]]))
    0.4
    """
    both, only_true, only_predicted = _pair_counts(table)
    total = 2 * both + only_true + only_predicted
    return 2 * both / total if total else 1.0


def bcubed_f_measure(table: Int[np.ndarray, "k_true k_predicted"]) -> float:
    """Harmonic mean of BCubed precision and recall: pairwise scores averaged over items, not over pairs.

    .. math:: P = \\frac1n \\sum_{ij} \\frac{T_{ij}^2}{T_{\\cdot j}}, \\quad
              R = \\frac1n \\sum_{ij} \\frac{T_{ij}^2}{T_{i \\cdot}}, \\quad F = \\frac{2PR}{P + R}

    Every item counts once, so small clusters are not drowned by large ones.

    References
    ----------
    Bagga, Baldwin, "Entity-based cross-document coreferencing using the vector space model", COLING 1998.
    https://doi.org/10.3115/980845.980859

    Examples
    --------
    >>> bcubed_f_measure(np.array([[2, 0], [0, 3]]))
    1.0
    """
    squares = table.astype(np.float64) ** 2
    n_items = table.sum()
    precision = float(np.sum(squares / table.sum(axis=0, keepdims=True)) / n_items)
    recall = float(np.sum(squares / table.sum(axis=1, keepdims=True)) / n_items)
    return 2 * precision * recall / (precision + recall)


def _pair_counts(table: Int[np.ndarray, "k_true k_predicted"]) -> tuple[int, int, int]:
    """Pairs together in both partitions, in the true one only, in the predicted one only.

    Python integers, because the products in the Rand index overflow 64 bits from about 100,000 items on.
    """
    both = _n_pairs(table)
    return both, _n_pairs(table.sum(axis=1)) - both, _n_pairs(table.sum(axis=0)) - both


def _n_pairs(sizes: np.ndarray) -> int:
    return int(np.sum(sizes * (sizes - 1)) // 2)
