"""Attention maps a set into its own convex hull (paper App. A.1, first lemma)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import linprog

from abclust.foundations.errors import InvalidInputError
from abclust.theory.attention_system import AttentionSystem, check_points
from abclust.theory.statements import Equality


@dataclass(frozen=True, eq=False)
class ConvexHullLemma:
    """conv(X_{t+1}) is contained in conv(X_t): one step of the system, and two independent witnesses.

    Attributes
    ----------
    before, after
        X_t and X_{t+1}. Shape (n, d).
    weights
        w_ij, the convex combination that attention itself claims to have used. Shape (n, n).
    combination
        X_{t+1} = w X_t: what the fused attention gave, and what the weights give.
    distances
        How far each point of X_{t+1} lies outside conv(X_t), in the maximum norm, by linear programming that
        knows nothing of the weights. Shape (n,). A hull contains another one if it contains the points that
        span it.
    """

    before: Float[np.ndarray, "n d"]
    after: Float[np.ndarray, "n d"]
    weights: Float[np.ndarray, "n n"]
    combination: Equality
    distances: Float[np.ndarray, " n"]


def convex_hull_lemma(points: Float[np.ndarray, "n d"], system: AttentionSystem) -> ConvexHullLemma:
    """Run one step of attention without skip and give both sides of the lemma.

    Parameters
    ----------
    points
        X_t. Shape (n, d).
    system
        Any attention: the lemma holds for every compatibility, because softmax weights are non-negative and
        sum to 1.

    Examples
    --------
    >>> from abclust.theory import random_system
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> lemma = convex_hull_lemma(corners, random_system(2, seed=0))
    >>> bool(lemma.distances.max() < 1e-9), bool(lemma.combination.error < 1e-12)
    (True, True)
    """
    before = check_points(points)
    after, weights = system.step(before), system.weights(before)
    distances = np.array([distance_to_hull(point, before) for point in after])
    return ConvexHullLemma(before, after, weights, Equality(after, weights @ before), distances)


def distance_to_hull(point: Float[np.ndarray, " d"], points: Float[np.ndarray, "n d"]) -> float:
    """min over convex combinations c of max_k |(sum_j c_j x_j)_k - y_k|: 0 exactly where y is in the hull.

    A linear program in c and the distance s: minimise s subject to -s <= X^T c - y <= s, sum c = 1, c >= 0.

    Examples
    --------
    >>> distance_to_hull(np.array([3.0]), np.array([[0.0], [1.0]]))
    2.0
    """
    spanning = check_points(points)
    n_items, n_features = spanning.shape
    # Offsets from the point in units of the set's size: the solver's tolerance is absolute.
    offsets = spanning - point
    scale = float(np.abs(offsets).max())
    if scale == 0:
        return 0.0
    bound = np.ones((n_features, 1))
    coefficients = offsets.T / scale  # (d, n)
    solution = linprog(
        c=np.append(np.zeros(n_items), 1.0),
        A_ub=np.block([[coefficients, -bound], [-coefficients, -bound]]),
        b_ub=np.zeros(2 * n_features),
        A_eq=np.append(np.ones(n_items), 0.0)[None],
        b_eq=np.ones(1),
        method="highs",
    )
    if not solution.success:  # feasible and bounded for finite points, so only the solver's own limits remain
        raise InvalidInputError(f"points must be well scaled for the linear program. Got: {solution.message}")
    return float(solution.fun * scale)
