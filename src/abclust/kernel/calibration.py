"""Make a kernel's probabilities mean what they say: a temperature and a shift of its log-odds."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize
from scipy.special import expit, logit

from abclust.foundations.errors import InvalidInputError

# A float32 sigmoid is exactly 1 from a logit of about 17 on: a saturated pair says "at least that", not
# infinity.
LARGEST_LOGIT = 30.0
# Weight of the prior at (temperature 1, shift 0), in pairs: too light to bias thousands of pairs, and
# enough to give perfectly separated pairs, whose likelihood has no maximum, a finite answer.
PRIOR_PAIRS = 1.0
_INVERSE_TEMPERATURES = (0.02, 50.0)


@dataclass(frozen=True)
class Calibration:
    """A temperature and a shift for the log-odds of a kernel.

    .. math:: \\operatorname{logit} p' = \\operatorname{logit}(p) / T + s

    Probabilities of exactly 0 and 1 are legal and stay what they are.

    Parameters
    ----------
    temperature
        T, positive: above 1 for less confidence, below 1 for more.
    shift
        s, added to the log-odds: negative pulls items apart.

    Examples
    --------
    >>> Calibration(shift=-math.log(3)).apply(np.array([[1.0, 0.75], [0.75, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    temperature: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        if not (self.temperature > 0 and math.isfinite(self.temperature)):
            raise InvalidInputError(f"temperature must be positive and finite. Got {self.temperature}.")
        if not math.isfinite(self.shift):
            raise InvalidInputError(f"shift must be finite. Got {self.shift}.")

    def apply(self, kernel: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
        """Calibrate probabilities of any shape; the type of the numbers is kept.

        Raises
        ------
        InvalidInputError
            If a value lies outside [0, 1] or is NaN.
        """
        log_odds = self.apply_to_logits(logits_of(kernel))
        return expit(log_odds).astype(kernel.dtype, copy=False)

    def apply_to_logits(self, logits: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
        """Calibrate log-odds; infinities stay infinite."""
        return logits / self.temperature + self.shift

    def then(self, following: "Calibration") -> "Calibration":
        """The one calibration that does this one first and `following` after it.

        Examples
        --------
        >>> Calibration(2.0, 1.0).then(Calibration(0.5, -1.0))
        Calibration(temperature=1.0, shift=1.0)
        """
        return Calibration(
            self.temperature * following.temperature, self.shift / following.temperature + following.shift
        )


def prior_correction(positive_weight: float) -> Calibration:
    """Undo, exactly, what weighting the positive pairs in the loss does to the probabilities.

    The loss :math:`-w\\,y \\log p - (1 - y) \\log(1 - p)` is least where the odds p/(1-p) are w times the
    true odds, so log w comes off the log-odds.

    Parameters
    ----------
    positive_weight
        The loss's ``pos_weight`` w, positive.

    References
    ----------
    Saerens, Latinne, Decaestecker, "Adjusting the outputs of a classifier to new a priori probabilities",
    Neural Computation 14, 2002. https://doi.org/10.1162/089976602753284446

    Examples
    --------
    >>> prior_correction(9.0).apply(np.array([0.9]))
    array([0.5])
    """
    if not (positive_weight > 0 and math.isfinite(positive_weight)):
        raise InvalidInputError(f"positive_weight must be positive and finite. Got {positive_weight}.")
    return Calibration(shift=-math.log(positive_weight))


def fit_calibration(
    probabilities: Float[np.ndarray, "pairs"], same_cluster: Bool[np.ndarray, "pairs"]
) -> Calibration:
    """The temperature and shift of highest likelihood on labelled pairs.

    A logistic regression of the truth on the log-odds: with a = 1/T it minimises the convex

    .. math:: \\sum_{\\text{pairs}} \\log\\left(1 + e^{-(2y - 1)(a \\ell + s)}\\right)
        + \\tfrac12 \\left((a - 1)^2 + s^2\\right).

    Parameters
    ----------
    probabilities
        Raw probabilities of pairs i < j.
    same_cluster
        Whether they belong together.

    Raises
    ------
    InvalidInputError
        If there are no pairs, or values outside [0, 1].

    References
    ----------
    Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin Classifiers, 1999.
    Guo et al., "On calibration of modern neural networks", ICML 2017.
    https://doi.org/10.48550/arXiv.1706.04599

    Examples
    --------
    >>> half_right = np.repeat([True, False], [500, 500])
    >>> fitted = fit_calibration(np.full(1000, 0.9), half_right)
    >>> fitted.apply(np.array([0.9])).round(2)
    array([0.5])
    """
    if len(probabilities) == 0:
        raise InvalidInputError("probabilities must hold at least one pair. Got none.")
    log_odds = np.clip(logits_of(probabilities), -LARGEST_LOGIT, LARGEST_LOGIT)
    signs = np.where(same_cluster, 1.0, -1.0)

    def penalised_loss(parameters: Float[np.ndarray, "2"]) -> tuple[float, Float[np.ndarray, "2"]]:
        margins = signs * (parameters[0] * log_odds + parameters[1])
        from_prior = parameters - (1.0, 0.0)
        loss = np.logaddexp(0.0, -margins).sum() + PRIOR_PAIRS / 2 * np.sum(from_prior**2)
        slopes = -signs * expit(-margins)
        gradient = np.array([np.dot(slopes, log_odds), slopes.sum()]) + PRIOR_PAIRS * from_prior
        # The mean rather than the sum: the optimiser's tolerances are absolute.
        return float(loss / len(signs)), gradient / len(signs)

    found = minimize(
        penalised_loss,
        np.array([1.0, 0.0]),
        jac=True,
        method="L-BFGS-B",
        bounds=[_INVERSE_TEMPERATURES, (None, None)],
        options={"gtol": 1e-9, "ftol": 1e-15},
    )
    return Calibration(temperature=float(1.0 / found.x[0]), shift=float(found.x[1]))


def logits_of(probabilities: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Log-odds in double precision; 0 and 1 become infinite.

    Raises
    ------
    InvalidInputError
        If a value lies outside [0, 1] or is NaN.
    """
    if not np.all((probabilities >= 0) & (probabilities <= 1)):
        raise InvalidInputError("kernel must hold probabilities between 0 and 1. Got values outside, or NaN.")
    return logit(probabilities.astype(np.float64))
