"""The contingency table of two partitions: the one thing every partition score is made of."""

import numpy as np
from jaxtyping import Int
from numpy.typing import ArrayLike

from abclust.foundations.errors import InvalidInputError


def contingency_table(true: ArrayLike, predicted: ArrayLike) -> Int[np.ndarray, "k_true k_predicted"]:
    """Count how many items share each pair of a true and a predicted cluster.

    .. math:: T_{ij} = |\\{\\, x : \\text{true}(x) = i,\\ \\text{predicted}(x) = j \\,\\}|

    scikit-learn's ``contingency_matrix`` gives the same table; this one skips its repeated input checks,
    which cost more than the scores themselves on sets of 100 items. Labels are names: only equality counts,
    and ``-1`` is a cluster like any other.

    Parameters
    ----------
    true, predicted
        Labels of the same n items, of any type numpy can sort.

    Returns
    -------
    Int[np.ndarray, "k_true k_predicted"]
        Rows are true clusters, columns predicted ones, both in sorted order. No row and no column is empty.

    Raises
    ------
    InvalidInputError
        If the labels are not two flat lists of one length of at least 1.

    Examples
    --------
    >>> contingency_table([0, 0, 1, 1, 1], ["a", "a", "a", "b", "b"])
    array([[2, 0],
           [1, 2]])
    """
    true_codes, n_true = _codes("true", true)
    predicted_codes, n_predicted = _codes("predicted", predicted)
    if len(true_codes) != len(predicted_codes):
        raise InvalidInputError(
            "true and predicted must label the same items. "
            f"Got {len(true_codes)} and {len(predicted_codes)} labels."
        )
    cells = np.bincount(true_codes * n_predicted + predicted_codes, minlength=n_true * n_predicted)
    return cells.reshape(n_true, n_predicted)


def _codes(name: str, labels: ArrayLike) -> tuple[np.ndarray, int]:
    """Labels as 0 .. k-1, and k."""
    flat = np.asarray(labels)
    if flat.ndim != 1 or len(flat) == 0:
        raise InvalidInputError(f"{name} must be a flat list of at least one label. Got shape {flat.shape}.")
    names, codes = np.unique(flat, return_inverse=True)
    return codes, len(names)
