"""The weights of the two-cluster proposition (paper App. A.2): own item, own cluster, other cluster."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from abclust.foundations.errors import InvalidInputError

SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class BlockWeights:
    """Attention weights that only know own item, own cluster and other cluster.

    w_ii = delta; w_ij = alpha within A, beta within B, gamma between; all positive. Every row sums to one::

        delta + (n - 1) alpha + m gamma = 1,    delta + (m - 1) beta + n gamma = 1

    A cluster of one item has no pair within it: its alpha (or beta) weighs nothing and may be any positive
    number.

    Raises
    ------
    InvalidInputError
        If a size or a weight is not positive or a row does not sum to one.

    Examples
    --------
    >>> BlockWeights(size_a=2, size_b=1, own=0.5, within_a=0.25, within_b=0.1, between=0.25).matrix().tolist()
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    """

    size_a: int
    """n, the items of cluster A; they come first."""
    size_b: int
    """m, the items of cluster B."""
    own: float
    """delta, what an item gives itself."""
    within_a: float
    """alpha, what an item of A gives to each other one of A."""
    within_b: float
    """beta, what an item of B gives to each other one of B."""
    between: float
    """gamma, what an item gives to each one of the other cluster."""

    def __post_init__(self) -> None:
        if self.size_a < 1 or self.size_b < 1:
            raise InvalidInputError(f"cluster sizes must be at least 1. Got {self.size_a} and {self.size_b}.")
        if not min(self.own, self.within_a, self.within_b, self.between) > 0:
            raise InvalidInputError(f"all weights must be positive. Got {self}.")
        sums = self.matrix().sum(axis=1)
        if not np.allclose(sums, 1, rtol=0, atol=SUM_TOLERANCE):
            raise InvalidInputError(
                f"the weights of every item must sum to one. Got {sums[0]} in A and {sums[-1]} in B. "
                "Choose two of the weights and let solved_block_weights find the others."
            )

    @property
    def n_items(self) -> int:
        return self.size_a + self.size_b

    @property
    def favours_own(self) -> bool:
        """delta > max(alpha, beta): the paper's standing assumption."""
        return self.own > max(self.within_a, self.within_b)

    @property
    def favours_cluster(self) -> bool:
        """gamma < min(alpha, beta): the assumption of the corollary."""
        return self.between < min(self.within_a, self.within_b)

    def matrix(self) -> Float[np.ndarray, "n n"]:
        """w, with the items of A before those of B. Shape (n + m, n + m)."""
        in_a = np.arange(self.n_items) < self.size_a
        weights = np.full((self.n_items, self.n_items), self.between)
        weights[np.ix_(in_a, in_a)] = self.within_a
        weights[np.ix_(~in_a, ~in_a)] = self.within_b
        np.fill_diagonal(weights, self.own)
        return weights


def solved_block_weights(size_a: int, size_b: int, *, separation: float, selfishness: float) -> BlockWeights:
    """Block weights that satisfy every assumption of proposition and corollary, from two numbers in (0, 1).

    gamma = (1 - separation) / (n + m), so that the centroids' factor 2 - (n + m) gamma is 1 + separation;
    delta lies at `selfishness` of the way from its smallest value, where it equals max(alpha, beta), to its
    largest, where gamma = min(alpha, beta). The sum-to-one relations give alpha and beta.

    Parameters
    ----------
    size_a, size_b
        n and m, at least 2 each: for a cluster of one item the relations force gamma on the other cluster.
    separation, selfishness
        Strictly between 0 and 1.

    Examples
    --------
    >>> weights = solved_block_weights(5, 3, separation=0.4, selfishness=0.2)
    >>> weights.favours_own, weights.favours_cluster, round(2 - 8 * weights.between, 12)
    (True, True, 1.4)
    """
    if min(size_a, size_b) < 2:
        raise InvalidInputError(f"cluster sizes must be at least 2. Got {size_a} and {size_b}.")
    if not (0 < separation < 1 and 0 < selfishness < 1):
        raise InvalidInputError(
            "separation and selfishness must lie strictly between 0 and 1. "
            f"Got {separation} and {selfishness}."
        )
    between = (1 - separation) / (size_a + size_b)
    smallest = max((1 - size_b * between) / size_a, (1 - size_a * between) / size_b)  # own = within
    largest = 1 - (size_a + size_b - 1) * between  # within = between, in both clusters at once
    own = smallest + selfishness * (largest - smallest)
    return BlockWeights(
        size_a,
        size_b,
        own=own,
        within_a=(1 - own - size_b * between) / (size_a - 1),
        within_b=(1 - own - size_a * between) / (size_b - 1),
        between=between,
    )
