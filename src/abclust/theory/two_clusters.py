"""With skips, two clusters drift apart faster than they grow; without, all collapses (paper App. A.2, A.3).

The printed proof of the third identity has a slip: in its last display the coefficient of the second centroid
reads 1 + delta + (m - 1) beta - n gamma, where it must be - m gamma. The proposition itself is right, and is
what runs here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from abclust.foundations.errors import InvalidInputError
from abclust.theory.attention_system import AttentionSystem, check_points
from abclust.theory.block_attention import attention_by_edges
from abclust.theory.block_weights import BlockWeights
from abclust.theory.contraction import diameter
from abclust.theory.statements import Equality

Realisation = Callable[[np.ndarray, BlockWeights, str], AttentionSystem]
"""How an attention comes by its block weights: attention_by_edges or attention_by_projections."""


@dataclass(frozen=True)
class Rates:
    """By what one step multiplies differences within A, within B, and between the centroids."""

    within_a: float
    within_b: float
    between: float


@dataclass(frozen=True, eq=False)
class TwoClusterProposition:
    """The three identities for one step, each with what the attention gave and what the formula says.

    Attributes
    ----------
    before, after
        X_t and X_{t+1}, the items of A first. Shape (n + m, d).
    rates
        The factors of the formula.
    within_a, within_b
        x_{i,t+1} - x_{j,t+1} = rate (x_{i,t} - x_{j,t}) for all i, j of A (of B). Shapes
        (n, n, d) and (m, m, d).
    centroids
        c_{A,t+1} - c_{B,t+1} = rate (c_{A,t} - c_{B,t}). Shape (d,).
    """

    before: Float[np.ndarray, "n d"]
    after: Float[np.ndarray, "n d"]
    rates: Rates
    within_a: Equality
    within_b: Equality
    centroids: Equality


@dataclass(frozen=True)
class TwoClusterCorollary:
    """A cluster's diameter grows more slowly than the centroids' distance: measured, and by the formula.

    Attributes
    ----------
    growth_a, growth_b, growth_between
        diam(A_{t+1}) / diam(A_t), the same of B, and |c_A - c_B| at t + 1 over t, as measured.
    ratio_a, ratio_b
        growth_a / growth_between and growth_b / growth_between against the closed form of the paper,
        (2 - n alpha - m gamma) / (2 - (n + m) gamma). Below 1 where alpha > gamma (beta > gamma).
    """

    growth_a: float
    growth_b: float
    growth_between: float
    ratio_a: Equality
    ratio_b: Equality


def rates(weights: BlockWeights, skip: bool = True) -> Rates:
    """1 + delta - alpha, 1 + delta - beta and 2 - (n + m) gamma; each less by one without skips.

    With the paper's assumptions (`favours_own`, `favours_cluster`) they lie in (1, 2) with skips, in (0, 1)
    without (paper App. A.2 and A.3).

    Examples
    --------
    >>> weights = BlockWeights(size_a=2, size_b=2, own=0.5, within_a=0.25, within_b=0.25, between=0.125)
    >>> rates(weights), rates(weights, skip=False)
    (Rates(within_a=1.25, within_b=1.25, between=1.5), Rates(within_a=0.25, within_b=0.25, between=0.5))
    """
    kept = 1.0 if skip else 0.0
    return Rates(
        within_a=kept + weights.own - weights.within_a,
        within_b=kept + weights.own - weights.within_b,
        between=kept + 1 - weights.n_items * weights.between,
    )


def two_cluster_proposition(
    points: Float[np.ndarray, "n d"],
    weights: BlockWeights,
    compatibility: str = "multiplicative",
    *,
    skip: bool = True,
    realisation: Realisation = attention_by_edges,
) -> TwoClusterProposition:
    """Run one step of attention with block weights and give both sides of the three identities.

    Parameters
    ----------
    points
        X_t, the items of A first. Shape (n + m, d).
    weights
        alpha, beta, gamma and delta.
    compatibility
        "multiplicative", "additive" or any registered name that the realisation takes.
    skip
        x + Att as in the proposition, or Att alone (paper App. A.3).
    realisation
        :func:`attention_by_edges` for any points, :func:`attention_by_projections` for independent ones.

    Examples
    --------
    >>> weights = BlockWeights(size_a=2, size_b=2, own=0.5, within_a=0.25, within_b=0.25, between=0.125)
    >>> statement = two_cluster_proposition(np.array([[0.0], [1.0], [4.0], [6.0]]), weights)
    >>> statement.centroids.left, statement.centroids.right
    (array([-6.75]), array([-6.75]))
    """
    before = _check_split(points, weights)
    after = realisation(before, weights, compatibility).step(before, skip)
    factors = rates(weights, skip)
    a, b = slice(0, weights.size_a), slice(weights.size_a, None)
    return TwoClusterProposition(
        before,
        after,
        factors,
        within_a=Equality(_differences(after[a]), factors.within_a * _differences(before[a])),
        within_b=Equality(_differences(after[b]), factors.within_b * _differences(before[b])),
        centroids=Equality(
            _centroid_difference(after, a, b), factors.between * _centroid_difference(before, a, b)
        ),
    )


def two_cluster_corollary(
    points: Float[np.ndarray, "n d"],
    weights: BlockWeights,
    compatibility: str = "multiplicative",
    *,
    realisation: Realisation = attention_by_edges,
) -> TwoClusterCorollary:
    """Measure how fast both clusters grow and part, with skips, beside the paper's closed form of the ratio.

    Raises
    ------
    InvalidInputError
        If a cluster has no extent or the centroids coincide: nothing to measure a rate on.
    """
    before = _check_split(points, weights)
    after = realisation(before, weights, compatibility).step(before, skip=True)
    a, b = slice(0, weights.size_a), slice(weights.size_a, None)
    separation = [float(np.linalg.norm(_centroid_difference(each, a, b))) for each in (before, after)]
    diameters = [(diameter(each[a]), diameter(each[b])) for each in (before, after)]
    if min(separation[0], *diameters[0]) == 0:
        raise InvalidInputError(
            "points must give both clusters an extent and different centroids. "
            f"Got diameters {diameters[0]} and centroid distance {separation[0]}."
        )
    growth = separation[1] / separation[0]
    growth_a, growth_b = (new / old for old, new in zip(*diameters, strict=True))
    n, m, gamma = weights.size_a, weights.size_b, weights.between
    closed_a = (2 - n * weights.within_a - m * gamma) / (2 - (n + m) * gamma)
    closed_b = (2 - m * weights.within_b - n * gamma) / (2 - (n + m) * gamma)
    return TwoClusterCorollary(
        growth_a,
        growth_b,
        growth,
        ratio_a=Equality(np.array(growth_a / growth), np.array(closed_a)),
        ratio_b=Equality(np.array(growth_b / growth), np.array(closed_b)),
    )


def run_two_clusters(
    points: Float[np.ndarray, "n d"],
    weights: Sequence[BlockWeights],
    compatibility: str = "multiplicative",
    *,
    skip: bool = True,
    realisation: Realisation = attention_by_edges,
) -> Float[np.ndarray, "steps n d"]:
    """X_0, ..., X_T under block weights that may differ from step to step. Shape (T + 1, n + m, d)."""
    orbit = [check_points(points)]
    for each in weights:
        system = realisation(_check_split(orbit[-1], each), each, compatibility)
        orbit.append(system.step(orbit[-1], skip))
    return np.stack(orbit)


def _differences(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n n d"]:
    return points[:, None] - points[None]


def _centroid_difference(points: Float[np.ndarray, "n d"], a: slice, b: slice) -> Float[np.ndarray, " d"]:
    return points[a].mean(axis=0) - points[b].mean(axis=0)


def _check_split(points: np.ndarray, weights: BlockWeights) -> Float[np.ndarray, "n d"]:
    array = check_points(points)
    if len(array) != weights.n_items:
        raise InvalidInputError(
            f"points must be as many as the weights' {weights.n_items} items. Got {len(array)}."
        )
    return array
