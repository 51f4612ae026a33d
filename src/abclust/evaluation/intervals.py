"""How sure a mean is: a score is published with its interval and its count."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy import stats

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import Seed, as_generator

METHODS = ("normal", "bootstrap")
_RESAMPLES = 2_000


@dataclass(frozen=True)
class Interval:
    """A mean, where it lies with the stated confidence, and of how many values it is the mean."""

    mean: float
    low: float
    high: float
    count: int

    def bounds(self) -> list[float] | None:
        """``[low, high]`` for a JSON row, or None where one value alone gives no interval."""
        return None if np.isnan(self.low) else [self.low, self.high]


def interval(
    values: ArrayLike,
    *,
    groups: Sequence[object] | None = None,
    method: str = "normal",
    confidence: float = 0.95,
    seed: Seed = 0,
) -> Interval:
    """The mean of values and its interval of confidence.

    ``"normal"`` is mean ± t · standard error, with Student's t on (number of groups - 1) degrees of freedom
    and

    .. math:: \\mathrm{SE}^2 = \\frac{G}{G - 1} \\sum_g \\Big(\\sum_{i \\in g} (x_i - \\bar x)\\Big)^2 / N^2,

    which is s²/N when every value is a group of its own. ``"bootstrap"`` resamples whole groups and takes
    percentiles, for scores that pile up at 1.

    Parameters
    ----------
    values
        The N scores, one a set.
    groups
        What each set was drawn from (its alphabet). Sets of one group resemble each other: give the groups
        to ask how the mean would differ on other groups, leave them out to ask how it would on other sets
        of the same.
    method
        ``"normal"`` or ``"bootstrap"``.
    confidence
        Between 0 and 1.
    seed
        For the bootstrap.

    Returns
    -------
    Interval
        With one group alone `low` and `high` are NaN.

    Raises
    ------
    InvalidInputError
        If there are no values, if one is not finite, or if the groups are not as many as the values.

    References
    ----------
    Cameron, Gelbach, Miller, "Bootstrap-based improvements for inference with clustered errors", Review of
    Economics and Statistics 90, 2008. https://doi.org/10.1162/rest.90.3.414

    Examples
    --------
    >>> found = interval([0.8, 0.9, 1.0])
    >>> found.count, round(found.mean, 2), round(found.low, 2), round(found.high, 2)
    (3, 0.9, 0.65, 1.15)
    """
    check_choice("method", method, METHODS)
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence must lie between 0 and 1. Got {confidence}.")
    flat = np.asarray(values, dtype=np.float64)
    if flat.ndim != 1 or len(flat) == 0 or not np.all(np.isfinite(flat)):
        raise InvalidInputError(
            f"values must be a flat list of at least one finite number. Got shape {flat.shape}."
        )
    sums, counts = _by_group(flat, groups)
    mean = float(flat.mean())
    if len(sums) == 1:
        low = high = float("nan")
    elif method == "normal":
        low, high = _normal(sums, counts, mean, confidence)
    else:
        low, high = _bootstrap(sums, counts, confidence, as_generator(seed))
    return Interval(mean, low, high, len(flat))


def _by_group(
    values: Float[np.ndarray, "N"], groups: Sequence[object] | None
) -> tuple[Float[np.ndarray, "G"], Float[np.ndarray, "G"]]:
    """Sum and count of the values of each group."""
    if groups is None:
        return values, np.ones_like(values)
    if len(groups) != len(values):
        raise InvalidInputError(f"groups must be as many as values. Got {len(groups)} and {len(values)}.")
    _, codes = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    return np.bincount(codes, weights=values), np.bincount(codes).astype(np.float64)


def _normal(
    sums: Float[np.ndarray, "G"], counts: Float[np.ndarray, "G"], mean: float, confidence: float
) -> tuple[float, float]:
    n_groups = len(sums)
    deviations = sums - counts * mean
    error = np.sqrt(n_groups / (n_groups - 1) * np.sum(deviations**2)) / counts.sum()
    half = float(stats.t.ppf((1 + confidence) / 2, n_groups - 1) * error)
    return mean - half, mean + half


def _bootstrap(
    sums: Float[np.ndarray, "G"],
    counts: Float[np.ndarray, "G"],
    confidence: float,
    generator: np.random.Generator,
) -> tuple[float, float]:
    # Resampled in blocks of about 32 MB: 2,000 resamples of 60,000 sets at once would not fit.
    block = max(1, 4_000_000 // len(sums))
    means = []
    for start in range(0, _RESAMPLES, block):
        drawn = generator.integers(len(sums), size=(min(block, _RESAMPLES - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
