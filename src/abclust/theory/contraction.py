"""Attention without skips shrinks a set: the diameter lemma and its bounds (paper App. A.1, second lemma)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import pdist

from abclust.foundations.errors import InvalidInputError
from abclust.theory.attention_system import AttentionSystem, check_points
from abclust.theory.statements import Inequality


@dataclass(frozen=True)
class ContractionFactors:
    """Factors f with diam(X_{t+1}) <= f diam(X_t), from the smallest weight delta of n items.

    Attributes
    ----------
    paper
        1 - 2 delta, the paper's lemma.
    compared
        1 - n delta / 4, which the paper compares with and derives from Linderman and Steinerberger. It is the
        stronger of the two for n > 8 only (ours; the paper calls it stronger and names n = 2 as the
        exception).
    dobrushin
        1 - n delta, Dobrushin's: never weaker than the other two, equal to the paper's at n = 2 and sharper
        beyond.

    References
    ----------
    Linderman, Steinerberger: Clustering with t-SNE, provably. SIAM J. Math. Data Sci. 1(2), 2019.
    doi:10.1137/18M1216134.
    Dobrushin: Central limit theorem for nonstationary Markov chains I. Theory Probab. Appl. 1(1), 1956.
    doi:10.1137/1101006.
    """

    paper: float
    compared: float
    dobrushin: float


@dataclass(frozen=True)
class DiameterLemma:
    """diam(X_{t+1}) <= f diam(X_t), for each factor f (printed as X_{t_1} in the paper: t+1 is meant).

    Attributes
    ----------
    before, after
        diam(X_t) and diam(X_{t+1}).
    smallest_weight
        delta_t, the largest lower bound on the weights.
    factors
        The three factors that follow from delta_t and n alone.
    coefficient
        Dobrushin's coefficient of the weights themselves, at most 1 - n delta_t.
    """

    before: float
    after: float
    smallest_weight: float
    factors: ContractionFactors
    coefficient: float

    @property
    def paper(self) -> Inequality:
        return Inequality(self.after, self.factors.paper * self.before)

    @property
    def compared(self) -> Inequality:
        return Inequality(self.after, self.factors.compared * self.before)

    @property
    def dobrushin(self) -> Inequality:
        return Inequality(self.after, self.factors.dobrushin * self.before)

    @property
    def overlap(self) -> Inequality:
        """With the coefficient of the weights: the sharpest of the four."""
        return Inequality(self.after, self.coefficient * self.before)


def diameter_lemma(points: Float[np.ndarray, "n d"], system: AttentionSystem) -> DiameterLemma:
    """Run one step of attention without skip and give both sides of the lemma, for each bound.

    Parameters
    ----------
    points
        X_t. Shape (n, d).
    system
        Any attention.

    Examples
    --------
    >>> from abclust.theory import random_system
    >>> lemma = diameter_lemma(np.array([[0.0], [1.0], [3.0]]), random_system(1, "additive", seed=0))
    >>> lemma.after < lemma.paper.right, lemma.dobrushin.right < lemma.paper.right
    (True, True)
    """
    before = check_points(points)
    weights = system.weights(before)
    smallest = float(weights.min())
    return DiameterLemma(
        before=diameter(before),
        after=diameter(system.step(before)),
        smallest_weight=smallest,
        factors=contraction_factors(len(before), smallest),
        coefficient=dobrushin_coefficient(weights),
    )


def contraction_factors(n_items: int, smallest_weight: float) -> ContractionFactors:
    """The three factors for n items whose weights are all at least delta.

    Raises
    ------
    InvalidInputError
        If delta is not in [0, 1/n]: n weights that sum to one cannot all be larger than 1/n.

    Examples
    --------
    >>> contraction_factors(4, 0.125)
    ContractionFactors(paper=0.75, compared=0.875, dobrushin=0.5)
    """
    # A softmax over equal scores may round to a hair above 1/n.
    if n_items < 1 or not 0 <= smallest_weight <= (1 + 1e-9) / n_items:
        raise InvalidInputError(
            f"smallest_weight must lie in [0, 1/n] with n >= 1. Got {smallest_weight} and n = {n_items}."
        )
    return ContractionFactors(
        paper=1 - 2 * smallest_weight,
        compared=1 - n_items * smallest_weight / 4,
        dobrushin=1 - n_items * smallest_weight,
    )


def dobrushin_coefficient(weights: Float[np.ndarray, "n n"]) -> float:
    """tau(w) = max_{i,k} (1/2) sum_j |w_ij - w_kj|, so that diam(w X) <= tau(w) diam(X) in every norm.

    Two rows share sum_j min(w_ij, w_kj) >= n delta of their mass, and what is shared cannot tell them apart;
    the rest is 1 - n delta at most.

    Examples
    --------
    >>> dobrushin_coefficient(np.array([[0.75, 0.25], [0.25, 0.75]]))
    0.5
    """
    return float(pdist(weights, "cityblock").max(initial=0.0) / 2)


def diameter(points: Float[np.ndarray, "n d"]) -> float:
    """Largest Euclidean distance of two points; 0 for one point.

    Examples
    --------
    >>> diameter(np.array([[0.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    return float(pdist(points).max(initial=0.0))
