"""The nearest kernel that obeys relative comparisons: cyclic Bregman projections with rank-two updates."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import get_blas_funcs

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ComparisonConfig:
    """How strictly comparisons are obeyed and when the projections end."""

    factor: float = 2.0
    """gamma: an outlier is at least this many times as far (squared distance) as the other two are apart;
    2 in the authors' code."""
    largest_multiplier: float = 10.0
    """Price of a violated comparison, an upper bound on its multiplier (ours): predicted comparisons
    contradict each other, and without a bound the kernel degenerates trying to obey them all."""
    sweeps: int = 30
    """Passes over all comparisons, at most."""
    tolerance: float = 1e-2
    """End when the multipliers change by less than this share of their size in a sweep."""

    def __post_init__(self) -> None:
        if not self.factor >= 1 or not min(self.largest_multiplier, self.sweeps, self.tolerance) > 0:
            raise InvalidInputError(
                "factor must be at least 1, and largest_multiplier, sweeps and tolerance positive. "
                f"Got {self}."
            )


def project_comparisons(
    rows: Float[np.ndarray, "n r"], triples: Int[np.ndarray, "t 3"], config: ComparisonConfig
) -> Float[np.ndarray, "r r"]:
    r"""The matrix nearest to the identity under which the third item of each triple is the outlier.

    .. math::
        \min_{M \succ 0} D_{\ell d}(M, I) + c \sum \xi \quad \text{s.t.} \quad
        \gamma \, d_M(i, j) \le d_M(i, k) + \xi, \;\; \gamma \, d_M(i, j) \le d_M(j, k) + \xi'

    One constraint is :math:`\operatorname{tr}(M C) \le \xi` with
    :math:`C = \gamma u u' - v v'`, u and v the differences of its rows. With
    :math:`p = u'Mu`, :math:`q = v'Mv`, :math:`s = u'Mv` its multiplier grows by

    .. math:: \beta = \frac{\gamma p - q}{2 \gamma (p q - s^2)}, \qquad M \leftarrow (M^{-1} + \beta C)^{-1}

    until the constraint holds with equality, and is kept within 0 and c.

    Parameters
    ----------
    rows
        Coordinates of a low-rank kernel, K = rows M rows'.
    triples
        (i, j, k): k is the outlier.
    config
        Strictness and end.

    References
    ----------
    Amid, Gionis, Ukkonen, "A kernel-learning approach to semi-supervised clustering with relative distance
    comparisons", ECML PKDD 2015. DOI 10.1007/978-3-319-23528-8_14

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])  # the first two are the farthest apart
    >>> metric = project_comparisons(rows, np.array([[0, 1, 2]]), ComparisonConfig(largest_multiplier=1e6))
    >>> z = rows @ np.linalg.cholesky(metric)
    >>> bool(2 * ((z[0] - z[1]) ** 2).sum() <= 1.001 * ((z[0] - z[2]) ** 2).sum())
    True
    """
    near, far = _differences(rows, triples)
    metric = np.asfortranarray(np.eye(rows.shape[1]))  # its upper half is kept, in the order that BLAS wants
    multipliers = [0.0] * len(near)
    for _ in range(config.sweeps):
        change = 0.0
        for c, (short, long) in enumerate(zip(near, far)):
            step, metric = _project(metric, short, long, multipliers[c], config)
            multipliers[c] += step
            change += abs(step)
        if change <= config.tolerance * (sum(multipliers) + np.finfo(float).tiny):
            break
    return np.triu(metric) + np.triu(metric, 1).T


def _project(
    metric: Float[np.ndarray, "r r"],
    short: Float[np.ndarray, " r"],
    long: Float[np.ndarray, " r"],
    multiplier: float,
    config: ComparisonConfig,
) -> tuple[float, Float[np.ndarray, "r r"]]:
    """Project `metric` in place onto one constraint; the change of its multiplier, and the metric."""
    symv, syr, syr2, dot = get_blas_funcs(("symv", "syr", "syr2", "dot"), dtype=np.float64)
    moved_short, moved_long = symv(1.0, metric, short), symv(1.0, metric, long)
    p, q, s = dot(short, moved_short), dot(long, moved_long), dot(short, moved_long)
    determinant = p * q - s * s
    if determinant <= 1e-12 * p * q:  # both sides point the same way: no matrix changes their ratio
        return 0.0, metric
    step = (config.factor * p - q) / (2 * config.factor * determinant)
    step = min(max(multiplier + step, 0.0), config.largest_multiplier) - multiplier
    if step != 0.0:
        # Woodbury: (M^-1 + step U D U')^-1 = M - step M U (D^-1 + step G)^-1 U' M with D = diag(gamma, -1)
        # and G = U' M U; the inverse of the matrix of two rows in the middle is written out.
        first, second, off = 1 / config.factor + step * p, -1.0 + step * q, step * s
        scale = -step / (first * second - off * off)
        metric = syr(scale * second, moved_short, a=metric, overwrite_a=1)
        metric = syr(scale * first, moved_long, a=metric, overwrite_a=1)
        metric = syr2(-scale * off, moved_short, moved_long, a=metric, overwrite_a=1)
    return step, metric


def _differences(
    rows: Float[np.ndarray, "n r"], triples: Int[np.ndarray, "t 3"]
) -> tuple[Float[np.ndarray, "c r"], Float[np.ndarray, "c r"]]:
    """For both constraints of each triple the side that shall be short and the one that shall be long."""
    i, j, k = (rows[triples[:, column]] for column in range(3))
    near = np.concatenate([i - j, i - j])
    far = np.concatenate([i - k, j - k])
    moves = ((near**2).sum(axis=1) > 1e-12) & ((far**2).sum(axis=1) > 1e-12)
    return near[moves], far[moves]
