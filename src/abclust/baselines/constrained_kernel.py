"""The kernel of SKMS and SKKm: a Gaussian kernel moved, as little as possible, to obey pairs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from abclust.baselines.log_det_projection import ProjectionConfig, project_pairs, transformed_rows
from abclust.baselines.predicted_constraints import ConstraintSample, PairConstraints
from abclust.foundations.errors import InvalidInputError

NEAR, FAR = 0.05, 1.95
"""Squared distances in kernel space, which lie in [0, 2]: what pairs shall at least be brought to."""


@dataclass(frozen=True)
class ConstrainedKernelConfig:
    """How the kernel is made."""

    constraints: ConstraintSample = ConstraintSample()  # noqa: RUF009 (frozen)
    """Which predictions become constraints."""
    projection: ProjectionConfig = ProjectionConfig(gamma=1.0)  # noqa: RUF009 (frozen)
    """Slack and end of the projections. The reference has gamma = 100, for constraints that are true;
    predicted ones are wrong now and then, and must be allowed to give way (ours)."""
    share: float = 0.99
    """Share of the sum of eigenvalues that the low-rank kernel keeps."""
    n_widths: int = 30
    """How many widths of the Gaussian are tried."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or self.n_widths < 1:
            raise InvalidInputError(
                f"share must lie in (0, 1] and n_widths be at least 1. Got {self.share}, {self.n_widths}."
            )


def constrained_rows(
    features: Float[np.ndarray, "n d"], pairs: PairConstraints, config: ConstrainedKernelConfig
) -> Float[np.ndarray, "n r"]:
    r"""Rows whose inner products are the transformed kernel.

    .. math::
        K_0 = \exp(-\|x_i - x_j\|^2 / 2 \sigma^2) \approx Y Y', \qquad
        \min_K D_{\ell d}(K, K_0) \;\; \text{s.t.} \;\;
        \|\phi_i - \phi_j\|^2 \le d_m \text{ or} \ge d_c

    with the width that fits the constraints best (:func:`fitting_width`), Y of the rank that keeps `share` of
    the eigenvalues, :math:`d_m = \min(d_1, 0.05)` and :math:`d_c = \max(d_{99}, 1.95)` for the 1st and 99th
    percentile of the distances under :math:`K_0`.

    Parameters
    ----------
    features
        One row an item.
    pairs
        Must-links and cannot-links.
    config
        Rank and slack.

    References
    ----------
    Anand, Mittal, Tuzel, Meer, "Semi-supervised kernel mean shift clustering", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 36 (2014). DOI 10.1109/TPAMI.2013.190

    Examples
    --------
    >>> features = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> pairs = PairConstraints(np.array([[0, 3]]), np.array([[0, 1]]))
    >>> rows = constrained_rows(features, pairs, ConstrainedKernelConfig())
    >>> bool(np.linalg.norm(rows[0] - rows[3]) < np.linalg.norm(rows[0] - rows[1]))
    True
    """
    from scipy.spatial.distance import pdist, squareform

    squared = squareform(pdist(features, "sqeuclidean"))
    width = fitting_width(squared, pairs, config.n_widths)
    rows = kernel_rows(np.exp(-squared / (2 * width**2)), config.share)
    distances = pdist(rows, "sqeuclidean")
    near = max(min(float(np.percentile(distances, 1)), NEAR), 1e-6)  # duplicates: no matrix brings them to 0
    far = max(float(np.percentile(distances, 99)), FAR)
    return transformed_rows(rows, project_pairs(rows, pairs, near, far, config.projection))


def fitting_width(squared: Float[np.ndarray, "n n"], pairs: PairConstraints, n_widths: int) -> float:
    r"""The width of a Gaussian under which pairs are nearest to their targets before anything is learned.

    The least sum over pairs of the log det divergence of a target t from a distance
    :math:`d = 2 - 2 \exp(-\|x_i - x_j\|^2 / 2 \sigma^2)`, that is :math:`t/d - \log(t/d) - 1`, among widths
    between a tenth and ten times the median distance.
    """
    off_diagonal = squared[squared > 0]
    if len(off_diagonal) == 0:
        return 1.0
    median = float(np.sqrt(np.median(off_diagonal)))
    both = np.concatenate([pairs.similar, pairs.different])
    if len(both) == 0:
        return median
    targets = np.repeat([NEAR, FAR], [len(pairs.similar), len(pairs.different)])
    between = squared[both[:, 0], both[:, 1]]

    def misfit(width: float) -> float:
        ratio = targets / np.maximum(2 - 2 * np.exp(-between / (2 * width**2)), 1e-9)
        return float((ratio - np.log(ratio) - 1).sum())

    widths = median * np.geomspace(0.1, 10.0, n_widths)
    return float(min(widths, key=misfit))


def kernel_rows(kernel: Float[np.ndarray, "n n"], share: float) -> Float[np.ndarray, "n r"]:
    """Rows of the lowest rank whose inner products keep `share` of the sum of the kernel's eigenvalues.

    Examples
    --------
    >>> kernel_rows(np.ones((3, 3)), 0.99).shape
    (3, 1)
    """
    values, vectors = np.linalg.eigh(kernel)
    values = np.clip(values[::-1], 0.0, None)  # a Gaussian kernel has no negative ones beyond rounding
    rank = int(np.searchsorted(np.cumsum(values), share * values.sum() * (1 - 1e-12))) + 1
    return vectors[:, ::-1][:, :rank] * np.sqrt(values[:rank])
