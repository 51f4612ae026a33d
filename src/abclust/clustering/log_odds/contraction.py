"""Greedy additive edge contraction, in step for a whole batch of sets."""

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.log_odds.weights import WeightBatch


def contract_greedily(
    batch: WeightBatch, lower: Int[np.ndarray, " B"], upper: Int[np.ndarray, " B"]
) -> Int[np.ndarray, "B n"]:
    r"""Join, again and again, the two clusters a, b of largest :math:`\sum_{i \in a, j \in b} w_{ij}`.

    A set stops when no union gains anything and its number of clusters is within the bounds. All sets take
    one step at a time together; each row keeps its best partner, so a step costs O(n) a set and not O(n^2).

    Parameters
    ----------
    batch : WeightBatch
    lower, upper : integer arrays of shape (B,)
        The number of clusters that each set must have at least and at most.

    Returns
    -------
    integer array of shape (B, n)
        The cluster of each item, named by its lowest item; -1 on padding.

    References
    ----------
    Keuper et al., "Efficient decomposition of image and mesh graphs by lifted multicuts", ICCV 2015.
    DOI 10.1109/ICCV.2015.204
    """
    n_sets, width = batch.is_item.shape
    sums = _with_closed_entries(batch)
    partner = sums.argmax(axis=2)
    gain = np.take_along_axis(sums, partner[:, :, None], axis=2)[:, :, 0]
    labels = np.where(batch.is_item, np.arange(width), -1)
    n_clusters = batch.n_items.copy()
    active = np.arange(n_sets)
    while True:
        row = gain[active].argmax(axis=1)
        wanted = (gain[active, row] > 0) & (n_clusters[active] > lower[active])
        wanted |= n_clusters[active] > upper[active]
        active, row = active[wanted], row[wanted]
        if not len(active):
            return labels
        other = partner[active, row]
        kept, gone = np.minimum(row, other), np.maximum(row, other)
        labels[active] = np.where(labels[active] == gone[:, None], kept[:, None], labels[active])
        n_clusters[active] -= 1
        _contract(sums, gain, partner, active, kept, gone)


def _with_closed_entries(batch: WeightBatch) -> Float[np.ndarray, "B n n"]:
    """The weights with -inf where no union is possible: on the diagonal and on padding."""
    sums = batch.weights.copy()
    diagonal = np.arange(sums.shape[1])
    sums[:, diagonal, diagonal] = -np.inf
    if (batch.n_items < sums.shape[1]).any():
        sums[~(batch.is_item[:, :, None] & batch.is_item[:, None, :])] = -np.inf
    return sums


def _contract(
    sums: Float[np.ndarray, "B n n"],
    gain: Float[np.ndarray, "B n"],
    partner: Int[np.ndarray, "B n"],
    sets: Int[np.ndarray, " S"],
    kept: Int[np.ndarray, " S"],
    gone: Int[np.ndarray, " S"],
) -> None:
    """Add row and column `gone` to `kept`, close `gone`, and update each row's best partner, in place."""
    united = sums[sets, kept] + sums[sets, gone]
    sums[sets, kept] = united
    sums[sets, :, kept] = united
    sums[sets, gone] = -np.inf
    sums[sets, :, gone] = -np.inf
    united[np.arange(len(sets)), gone] = -np.inf

    rows = np.arange(len(sets))
    partners, gains = partner[sets], gain[sets]
    # A union at least as good as a row's best is its best now, even if that was one of the two: the others
    # are no better than they were. Only rows whose best got worse have to be searched.
    is_better = united >= gains
    is_stale = ((partners == kept[:, None]) | (partners == gone[:, None])) & ~is_better
    partners = np.where(is_better, kept[:, None], partners)
    gains = np.where(is_better, united, gains)
    is_stale[rows, kept] = True
    is_stale[rows, gone] = False
    gains[rows, gone] = -np.inf
    partner[sets], gain[sets] = partners, gains

    which, items = np.nonzero(is_stale)
    fresh = sums[sets[which], items]
    best = fresh.argmax(axis=1)
    partner[sets[which], items] = best
    gain[sets[which], items] = fresh[np.arange(len(which)), best]
