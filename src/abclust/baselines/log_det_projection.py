"""The nearest metric, or kernel, that obeys distance constraints: cyclic Bregman projections.

ITML learns a matrix M for vectors, SKMS and SKKm a kernel for items. Both are one problem: a kernel of rank r
is K = Y M Y' with fixed coordinates Y, and the distance of two items in it is that of their rows under M.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import get_blas_funcs

from abclust.baselines.predicted_constraints import PairConstraints
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ProjectionConfig:
    """How constraints are weighed and when the projections end."""

    gamma: float = 1.0
    """Weight of the slacks: large means that constraints are obeyed at any price."""
    sweeps: int = 30
    """Passes over all constraints, at most."""
    tolerance: float = 1e-2
    """End when the multipliers change by less than this share of their size in a sweep."""

    def __post_init__(self) -> None:
        if not (self.gamma > 0 and self.sweeps > 0 and self.tolerance > 0):
            raise InvalidInputError(f"gamma, sweeps and tolerance must be positive. Got {self}.")


def project_pairs(
    rows: Float[np.ndarray, "n r"],
    pairs: PairConstraints,
    upper: float,
    lower: float,
    config: ProjectionConfig,
) -> Float[np.ndarray, "r r"]:
    r"""The matrix nearest to the identity under which similar pairs are near and different pairs far.

    .. math::
        \min_{M \succ 0, \xi} \; D_{\ell d}(M, I) + \gamma \, D_{\ell d}(\operatorname{diag} \xi,
        \operatorname{diag} \xi_0) \quad \text{s.t.} \quad v_s' M v_s \le \xi_s, \; v_d' M v_d \ge \xi_d

    with v the differences of paired rows, :math:`\xi_0` the targets `upper` (similar) and `lower`
    (different), and :math:`D_{\ell d}(A, B) = \operatorname{tr} A B^{-1} - \log\det A B^{-1} - r`. Each
    projection onto one constraint is a rank-one update of M (Algorithm 1 of the first reference).

    Parameters
    ----------
    rows
        Vectors, or coordinates of a low-rank kernel.
    pairs
        The constraints; pairs of equal rows are passed over, since no M moves them.
    upper, lower
        Squared distances that similar pairs shall stay below and different pairs above.
    config
        Slack and end.

    References
    ----------
    Davis, Kulis, Jain, Sra, Dhillon, "Information-theoretic metric learning", ICML 2007. DOI
    10.1145/1273496.1273523
    Kulis, Sustik, Dhillon, "Low-rank kernel learning with Bregman matrix divergences", Journal of Machine
    Learning Research 10 (2009). https://www.jmlr.org/papers/v10/kulis09a.html

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> one = PairConstraints(np.array([[0, 1]]), np.empty((0, 2), dtype=np.int64))
    >>> project_pairs(rows, one, 1.0, 3.0, ProjectionConfig(gamma=1e9)).round(3).tolist()
    [[0.25, 0.0], [0.0, 1.0]]
    """
    if not upper > 0 or not lower > 0:
        raise InvalidInputError(f"upper and lower must be positive. Got {upper} and {lower}.")
    differences, signs, targets = _constraints(rows, pairs, upper, lower)
    # Thousands of tiny updates in a row: BLAS is called directly, on the upper half of a matrix in its own
    # order, and numbers are plain ones, which together is eight times as fast as numpy's expressions.
    symv, syr, dot = get_blas_funcs(("symv", "syr", "dot"), dtype=np.float64)
    metric = np.asfortranarray(np.eye(rows.shape[1]))
    multipliers = [0.0] * len(signs)
    for _ in range(config.sweeps):
        change = 0.0
        for c, v in enumerate(differences):
            moved = symv(1.0, metric, v)
            distance = dot(v, moved)
            # The step at which distance and slack meet. Algorithm 1 prints (1/p - gamma/xi) / 2, which is the
            # same for gamma = 1 and no solution for any other (ours, and the authors' own code).
            step = signs[c] * config.gamma / (config.gamma + 1) * (1 / distance - 1 / targets[c])
            # A multiplier must not fall below 0: no constraint pushes the wrong way.
            step = min(multipliers[c], step)
            if step == 0.0:
                continue
            factor = signs[c] * step / (1 - signs[c] * step * distance)
            targets[c] = config.gamma * targets[c] / (config.gamma + signs[c] * step * targets[c])
            multipliers[c] -= step
            change += abs(step)
            metric = syr(factor, moved, a=metric, overwrite_a=1)
        if change <= config.tolerance * (sum(multipliers) + np.finfo(float).tiny):
            break
    return np.triu(metric) + np.triu(metric, 1).T


def transformed_rows(
    rows: Float[np.ndarray, "n r"], metric: Float[np.ndarray, "r r"]
) -> Float[np.ndarray, "n r"]:
    """Rows Z with Z Z' = rows M rows': plain distances between them are the distances under M.

    Examples
    --------
    >>> transformed_rows(np.array([[3.0]]), np.array([[4.0]])).tolist()
    [[6.0]]
    """
    values, vectors = np.linalg.eigh(metric)
    return rows @ (vectors * np.sqrt(np.clip(values, 0.0, None)))


def _constraints(
    rows: Float[np.ndarray, "n r"], pairs: PairConstraints, upper: float, lower: float
) -> tuple[Float[np.ndarray, "c r"], list[int], list[float]]:
    """Differences of paired rows, 1 for similar and -1 for different pairs, and what each shall be."""
    both = np.concatenate([pairs.similar, pairs.different])
    differences = rows[both[:, 0]] - rows[both[:, 1]]
    signs = np.repeat([1, -1], [len(pairs.similar), len(pairs.different)])
    targets = np.where(signs > 0, upper, lower).astype(np.float64)
    moves = (differences**2).sum(axis=1) > 1e-12
    return differences[moves], signs[moves].tolist(), targets[moves].tolist()
