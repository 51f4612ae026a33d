r"""Few clusters are much smaller than the rest: a prior on sizes, over the merge tree (ours).

Average linkage leaves an odd item alone: no cluster has even odds with it, so it counts as one of its own,
and the number of clusters comes out too high. But where the typical item has twenty of its kind around it, an
item without any is more likely an odd one of theirs. So the tree is cut where the kernel expects the highest
score, and then clusters that are small beside the typical one need more than even odds to stay apart.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.checks import Bounds
from abclust.clustering.constraints import Constraints, apart_items, linked_weights
from abclust.clustering.expected_rand import expected_rand_labels
from abclust.clustering.log_odds.weights import log_odds

SIZE_EXPONENT = 0.7
"""Prior odds that a cluster of a tenth of the typical size m is not a part of another: 10 to the power of
minus this times ln m. Chosen on held-out alphabets, sets of 100 and whole ones; ``results/log.md``."""


def size_prior_labels(
    kernel: Float[np.ndarray, "n n"], bounds: Bounds | None, constraints: Constraints
) -> Int[np.ndarray, " n"]:
    """The level of highest expected score, its small clusters gathered, within the bounds.

    Parameters
    ----------
    kernel
        Calibrated probabilities. Shape (n, n).
    bounds
        The number of clusters allowed; None for any. With a number that is known the tree is cut no lower
        than there, and the best unions are made until it is reached.
    constraints
        Pairs that are together or apart.
    """
    lower, upper = bounds or Bounds(1, len(kernel))
    found = expected_rand_labels(kernel, Bounds(lower, len(kernel)), constraints)
    (labels,) = _gathered(log_odds(kernel), [found], bounds, constraints)
    # Pairs that must stay apart can bar the way down to the number that is asked for; another level may do.
    return labels if labels.max() < upper else expected_rand_labels(kernel, bounds, constraints)


def gather_as(
    found: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, "n n"],
    drawn: list[Int[np.ndarray, " n"]],
    bounds: Bounds | None,
    constraints: Constraints,
) -> list[Int[np.ndarray, " n"]]:
    """Gather the small clusters of partitions that were drawn from the same weights as others were found.

    Small is what is small beside the typical cluster that was found: pieces alone say little of it.
    """
    typical = typical_size(np.bincount(found))
    return _gathered(weights, drawn, bounds, constraints, typical)


def _gathered(
    weights: Float[np.ndarray, "n n"],
    partitions: list[Int[np.ndarray, " n"]],
    bounds: Bounds | None,
    constraints: Constraints,
    typical: int | None = None,
) -> list[Int[np.ndarray, " n"]]:
    """:func:`gather_small` of each, under constraints, within the bounds where these allow it."""
    lower, upper = bounds or Bounds(1, len(weights))
    linked = linked_weights(weights, constraints)
    apart = None if constraints.is_empty else apart_items(constraints)
    return [gather_small(linked, labels, lower, upper, apart, typical=typical) for labels in partitions]


def gather_small(
    weights: Float[np.ndarray, "n n"],
    labels: Int[np.ndarray, " n"],
    fewest: int,
    most: int,
    apart: Bool[np.ndarray, "n n"] | None = None,
    exponent: float = SIZE_EXPONENT,
    typical: int | None = None,
) -> Int[np.ndarray, " n"]:
    r"""Join clusters that are small beside the typical one to those that draw them most.

    A cluster of s items joins the one to which its mean log-odds :math:`\bar w` are highest if

    .. math:: \bar w + r \ln m \, \ln (m / s) > 0, \quad s < m

    where m is the size of the cluster that the median item is in and r the exponent: to be a cluster of its
    own has the prior odds :math:`(s / m)^{r \ln m}`. An item alone among pairs is no surprise, among clusters
    of twenty it is. The union of highest left side is made first.

    Parameters
    ----------
    weights
        Symmetric log-odds. Shape (n, n).
    labels
        Clusters to begin with, 0 to k - 1.
    fewest, most
        Numbers of clusters allowed. While there are more than `most`, the best union is made even if its left
        side is negative and its clusters are not small.
    apart
        Pairs whose clusters must not be joined.
    exponent
        r; 0 gathers nothing.
    typical
        m, if it is known; by default that of the clusters as they are, again after every union.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
    >>> weights = np.where(labels[:, None] == labels, 5.0, -9.0)
    >>> weights[8, :4] = weights[:4, 8] = -1.0
    >>> gather_small(weights, labels, 1, 9).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 0]
    """
    clusters = _Clusters(weights, labels, apart)
    while clusters.count > fewest:
        partner, pull = clusters.best()
        usual = typical or typical_size(clusters.sizes[clusters.is_alive])
        gain = pull + size_bonus(clusters.sizes, usual, exponent)
        if clusters.count <= most:
            gain[clusters.sizes >= usual] = -np.inf
        small = int(gain.argmax())
        if gain[small] == -np.inf or (clusters.count <= most and gain[small] <= 0):
            break
        clusters.join(small, int(partner[small]))
    return canonical_labels(clusters.number[labels])


def typical_size(sizes: Int[np.ndarray, " k"]) -> int:
    """The size of the cluster that the median item is in.

    Examples
    --------
    >>> typical_size(np.array([1, 1, 1, 1, 7]))
    7
    """
    ordered = np.sort(sizes)
    return int(ordered[np.searchsorted(np.cumsum(ordered), ordered.sum() / 2)])


def size_bonus(sizes: Int[np.ndarray, " k"], typical: int, exponent: float) -> Float[np.ndarray, " k"]:
    """The logarithm of the prior odds that a cluster of each size is a part of another."""
    return exponent * np.log(typical) * np.log(typical / sizes)


class _Clusters:
    """Sizes of clusters and mean log-odds between them, kept up to date while they are joined.

    A cluster that was joined to another keeps its row, of size 1 and -inf to all others.
    """

    def __init__(
        self,
        weights: Float[np.ndarray, "n n"],
        labels: Int[np.ndarray, " n"],
        apart: Bool[np.ndarray, "n n"] | None,
    ) -> None:
        order = np.argsort(labels, kind="stable")
        self.sizes = np.bincount(labels)
        self.count = len(self.sizes)
        self.number = np.arange(self.count)
        self._starts = np.cumsum(self.sizes) - self.sizes
        self._sums = self._blocks(weights[np.ix_(order, order)])
        self._barred = np.eye(self.count, dtype=bool)
        if apart is not None:
            self._barred |= self._blocks(apart[np.ix_(order, order)].astype(np.float64)) > 0
        self._means = np.where(self._barred, -np.inf, self._sums / np.outer(self.sizes, self.sizes))
        self._best = self._means.argmax(axis=1)

    def best(self) -> tuple[Int[np.ndarray, " k"], Float[np.ndarray, " k"]]:
        """For each cluster the one to which its mean log-odds are highest, and these."""
        return self._best, self._means[np.arange(len(self._best)), self._best]

    @property
    def is_alive(self) -> Bool[np.ndarray, " k"]:
        """Which clusters have not been joined to another."""
        return self.number == np.arange(len(self.number))

    def join(self, first: int, second: int) -> None:
        """The first cluster becomes a part of the second."""
        self.number[self.number == first] = second
        self.count -= 1
        self.sizes[second] += self.sizes[first]
        self.sizes[first] = 1
        for table, add in ((self._sums, np.add), (self._barred, np.logical_or)):
            table[second] = add(table[second], table[first])
            table[:, second] = table[second]
        self._barred[first] = self._barred[:, first] = True
        self._means[first] = self._means[:, first] = -np.inf
        row = np.where(self._barred[second], -np.inf, self._sums[second] / (self.sizes * self.sizes[second]))
        self._means[second] = self._means[:, second] = row
        rows = np.arange(len(row))
        self._best = np.where(row > self._means[rows, self._best], second, self._best)
        stale = np.flatnonzero((self._best == first) | (self._best == second))
        self._best[stale] = self._means[stale].argmax(axis=1)

    def _blocks(self, matrix: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "k k"]:
        """Sums over the pairs of two clusters, of a matrix in the order of the clusters."""
        return np.add.reduceat(np.add.reduceat(matrix, self._starts, axis=0), self._starts, axis=1)
