"""How honest a kernel's probabilities are: Brier score, calibration error, reliability curve."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike

from abclust.evaluation.intervals import Interval
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator

N_BINS = 15
_RESAMPLES = 2_000


@dataclass(frozen=True)
class ReliabilityCurve:
    """Pairs in bins of equal width by their predicted probability; empty bins are left out."""

    predicted: Float[np.ndarray, "bins"]
    """Mean predicted probability of the pairs in a bin."""
    observed: Float[np.ndarray, "bins"]
    """Share of them that truly belong together."""
    counts: Int[np.ndarray, "bins"]
    """How many pairs the bin holds."""

    @property
    def expected_calibration_error(self) -> float:
        """Mean of |observed - predicted| over pairs."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.counts))


@dataclass(frozen=True)
class KernelScores:
    """What a kernel says about pairs i < j against what is true of them. Lower is better."""

    pair_brier: float
    """Mean squared error of the probability."""
    pair_ece: float
    """Expected calibration error over 15 bins."""
    n_pairs: int


def labelled_pairs(
    kernels: Iterable[tuple[np.ndarray, ArrayLike]],
) -> tuple[Float[np.ndarray, "pairs"], Bool[np.ndarray, "pairs"]]:
    """Probabilities and truth of all pairs i < j of labelled kernels.

    The diagonal is left out: that an item belongs with itself is nothing to be praised for.

    Parameters
    ----------
    kernels
        Pairs of a kernel (n, n) in [0, 1] and its n true labels; n may differ.

    Returns
    -------
    tuple
        Probabilities, and whether the two items belong together.

    Raises
    ------
    InvalidInputError
        If a kernel is not square, holds values outside [0, 1] or does not fit its labels, or if no set has
        two items.

    Examples
    --------
    >>> labelled_pairs([(np.array([[1.0, 0.2], [0.2, 1.0]]), [0, 1])])
    (array([0.2]), array([False]))
    """
    probabilities, same_cluster = [], []
    for kernel, labels in kernels:
        names = np.asarray(labels)
        if names.ndim != 1 or kernel.shape != (len(names), len(names)):
            raise InvalidInputError(
                "kernel must be square with one label for each row. "
                f"Got shape {kernel.shape} and labels of shape {names.shape}."
            )
        above = np.triu_indices(len(names), k=1)
        probabilities.append(kernel[above])
        same_cluster.append(names[above[0]] == names[above[1]])
    if sum(map(len, probabilities)) == 0:
        raise InvalidInputError("kernels must hold at least one pair of items. Got none.")
    flat = np.concatenate(probabilities).astype(np.float64)
    if not np.all((flat >= 0) & (flat <= 1)):
        raise InvalidInputError("kernel must hold probabilities between 0 and 1. Got values outside, or NaN.")
    return flat, np.concatenate(same_cluster)


def reliability_curve(
    probabilities: Float[np.ndarray, "pairs"], same_cluster: Bool[np.ndarray, "pairs"], n_bins: int = N_BINS
) -> ReliabilityCurve:
    """How often pairs belong together, by the probability they were given.

    Parameters
    ----------
    probabilities, same_cluster
        From :func:`labelled_pairs`.
    n_bins
        Bins of equal width over [0, 1].

    Raises
    ------
    InvalidInputError
        If `n_bins` is below 1.

    References
    ----------
    Guo et al., "On calibration of modern neural networks", ICML 2017.
    https://doi.org/10.48550/arXiv.1706.04599

    Examples
    --------
    >>> curve = reliability_curve(np.array([0.1, 0.1, 0.9]), np.array([False, False, True]), n_bins=2)
    >>> curve.observed, round(curve.expected_calibration_error, 3)
    (array([0., 1.]), 0.1)
    """
    _check_bins(n_bins)
    counts, predicted, observed = _binned(probabilities, same_cluster, n_bins)
    filled = counts > 0
    shares = predicted[filled] / counts[filled], observed[filled] / counts[filled]
    return ReliabilityCurve(*shares, counts[filled].astype(np.int64))


def _check_bins(n_bins: int) -> None:
    if n_bins < 1:
        raise InvalidInputError(f"n_bins must be at least 1. Got {n_bins}.")


def _binned(
    probabilities: Float[np.ndarray, "pairs"], same_cluster: Bool[np.ndarray, "pairs"], n_bins: int
) -> Float[np.ndarray, "3 bins"]:
    """Pairs in each bin, the sum of their probabilities, and how many of them belong together."""
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    bins = np.searchsorted(
        edges[1:-1], probabilities
    )  # a value on an edge falls below it, as in scikit-learn
    return np.stack([np.bincount(bins, weights, n_bins) for weights in (None, probabilities, same_cluster)])


def score_kernels(kernels: Iterable[tuple[np.ndarray, ArrayLike]]) -> KernelScores:
    """Brier score and expected calibration error of labelled kernels, over all their pairs i < j.

    .. math:: \\mathrm{Brier} = \\operatorname{mean}_{i<j} (p_{ij} - y_{ij})^2, \\quad
        \\mathrm{ECE} = \\sum_b \\frac{n_b}{n} \\, |\\bar y_b - \\bar p_b|

    Raises
    ------
    InvalidInputError
        As :func:`labelled_pairs`.

    References
    ----------
    Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78, 1950.
    https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2

    Examples
    --------
    >>> score_kernels([(np.array([[1.0, 0.5], [0.5, 1.0]]), [0, 0])])
    KernelScores(pair_brier=0.25, pair_ece=0.5, n_pairs=1)
    """
    probabilities, same_cluster = labelled_pairs(kernels)
    brier = float(np.mean((probabilities - same_cluster) ** 2))
    ece = reliability_curve(probabilities, same_cluster).expected_calibration_error
    return KernelScores(brier, ece, len(probabilities))


def pair_ece_interval(
    kernels: Iterable[tuple[np.ndarray, ArrayLike]],
    *,
    n_bins: int = N_BINS,
    confidence: float = 0.95,
    seed: Seed = 0,
) -> Interval:
    """The expected calibration error of labelled kernels, and how sure it is: percentiles over other draws.

    Pairs of one set are right or wrong together, so whole sets are drawn again, not pairs. On average chance
    adds to the error, whichever way it goes in each bin: of few sets it comes out too large, and the interval
    reaches further up than down.

    Parameters
    ----------
    kernels
        As in :func:`score_kernels`. Sets of one item have no pairs and do not count.
    n_bins, confidence, seed
        Bins of equal width, the confidence of the interval, and what it is drawn by.

    Returns
    -------
    Interval
        Its mean is the error itself. With one set alone `low` and `high` are NaN.

    Raises
    ------
    InvalidInputError
        As :func:`labelled_pairs`; if `n_bins` is below 1, or `confidence` not between 0 and 1.

    Examples
    --------
    >>> sets = [(np.full((3, 3), 0.5), labels) for labels in ([0, 0, 0], [0, 1, 2])]
    >>> pair_ece_interval(sets)
    Interval(mean=0.0, low=0.0, high=0.5, count=2)
    """
    _check_bins(n_bins)
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence must lie between 0 and 1. Got {confidence}.")
    binned = [_binned(*labelled_pairs([each]), n_bins) for each in kernels if len(each[0]) > 1]
    if not binned:
        raise InvalidInputError("kernels must hold a set of at least two items. Got none.")
    of_set, n_sets = np.stack(binned), len(binned)  # (sets, 3, bins)
    found = float(_errors(of_set.sum(axis=0)[None])[0])
    if n_sets == 1:
        return Interval(found, np.nan, np.nan, n_sets)
    times = as_generator(seed).multinomial(n_sets, np.full(n_sets, 1 / n_sets), _RESAMPLES)
    errors = _errors(np.tensordot(times, of_set, 1))
    low, high = np.quantile(errors, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(found, float(low), float(high), n_sets)


def _errors(binned: Float[np.ndarray, "draws 3 bins"]) -> Float[np.ndarray, "draws"]:
    counts, predicted, observed = np.moveaxis(binned, -2, 0)
    return np.abs(observed - predicted).sum(axis=-1) / counts.sum(axis=-1)
