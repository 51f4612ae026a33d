"""The objective of log-odds clustering and the sums it is made of."""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from abclust.clustering.canonical_labels import canonical_labels


def objective(weights: Float[np.ndarray, "n n"], labels: Int[np.ndarray, " n"]) -> float:
    r"""The evidence a partition gathers: :math:`\sum_{i<j,\ c(i)=c(j)} w_{ij}`.

    Parameters
    ----------
    weights : array of shape (n, n)
        Symmetric log-odds with a zero diagonal, from :func:`abclust.clustering.log_odds.weights.log_odds`.
    labels : integer array of shape (n,)

    References
    ----------
    Bansal, Blum and Chawla, "Correlation clustering", Machine Learning 56 (2004). DOI
    10.1023/B:MACH.0000033116.57574.95

    Examples
    --------
    >>> weights = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, -3.0], [-1.0, -3.0, 0.0]])
    >>> objective(weights, np.array([0, 0, 1])), objective(weights, np.array([0, 0, 0]))
    (2.0, -2.0)
    """
    slots = canonical_labels(labels)
    return float(objectives(weights[None], slots[None])[0])


def objectives(
    weights: Float[np.ndarray, "B n n"], labels: Int[np.ndarray, "B n"]
) -> Float[np.ndarray, " B"]:
    """The objective of each set of a batch; labels are small numbers, -1 on padding."""
    sums = cluster_sums(weights, labels, int(labels.max()) + 1)
    own = np.take_along_axis(sums, np.maximum(labels, 0)[:, None, :], axis=1)[:, 0]
    return np.where(labels >= 0, own, 0.0).sum(axis=1) / 2


def cluster_sums(
    weights: Float[np.ndarray, "B n n"], labels: Int[np.ndarray, "B n"], n_slots: int
) -> Float[np.ndarray, "B slots n"]:
    r"""The pull of every cluster on every item, :math:`s_{ci} = \sum_{j:\ c(j)=c} w_{ij}`.

    Items labelled -1 are padding and pull nobody.
    """
    n_sets, n_items = labels.shape
    if n_sets == 1:
        # One large set: a sparse indicator costs n^2 additions however many clusters there are.
        items = np.flatnonzero(labels[0] >= 0)
        indicator = csr_array((np.ones(len(items)), (labels[0, items], items)), shape=(n_slots, n_items))
        return (indicator @ weights[0])[None]
    indicator = np.zeros((n_sets, n_slots, n_items))
    sets, items = np.nonzero(labels >= 0)
    indicator[sets, labels[sets, items], items] = 1.0
    return indicator @ weights
