"""A calibration that looks at the whole kernel first: who is clear may be believed more than who doubts."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.random_state import Seed, as_generator
from abclust.kernel.calibration import LARGEST_LOGIT, Calibration, logits_of

N_TERMS = 8
"""Terms of the two polynomials: 1, u, u^2, m, m^2, u m, x, x^2."""
TYPICAL_ITEMS = 100
PAIRS_OF_A_SET = 1_000
# Weight of the prior at (temperature 1, shift 0), in sets for each thousand: a few dozen sets may not bend
# the polynomials.
PRIOR_SHARE = 1e-3

LabelledKernel = tuple[np.ndarray, ArrayLike]


@dataclass(frozen=True)
class SetCalibration:
    """A temperature and a shift of a kernel's log-odds that depend on the kernel as a whole (ours).

    .. math:: \\operatorname{logit} p' = e^{a \\cdot \\phi} \\operatorname{logit} p + b \\cdot \\phi,
        \\qquad \\phi = (1, u, u^2, m, m^2, u m, x, x^2)

    with the doubt of the set, u = mean of 4 p (1 - p) over its pairs, their mean m, and x = ln(n / 100). A
    network that hedges where a set is clear and is too sure where it is not is right on average, and no
    common temperature mends it.

    Parameters
    ----------
    log_scale, shift
        The polynomials a and b.
    n_items
        Fewest and most items of the sets that they were fitted on; beyond these x is held constant.

    Examples
    --------
    >>> sharper_if_clear = SetCalibration((0.5, -0.5, *(0.0,) * 6), (0.0,) * 8, (2, 100))
    >>> kernel = lambda p: np.array([[1.0, p], [p, 1.0]])
    >>> sharper_if_clear.apply(kernel(0.9)).round(2)[0, 1], sharper_if_clear.apply(kernel(0.6)).round(2)[0, 1]
    (np.float64(0.95), np.float64(0.6))
    """

    log_scale: tuple[float, ...]
    shift: tuple[float, ...]
    n_items: tuple[int, int]

    def __post_init__(self) -> None:
        for name in ("log_scale", "shift"):
            terms = getattr(self, name)
            if len(terms) != N_TERMS or not all(map(math.isfinite, terms)):
                raise InvalidInputError(f"{name} must be {N_TERMS} finite numbers. Got {terms}.")
        if not 1 <= self.n_items[0] <= self.n_items[1]:
            raise InvalidInputError(f"n_items must be a range (fewest, most) from 1. Got {self.n_items}.")

    def at(self, kernel: Float[np.ndarray, "n n"]) -> Calibration:
        """The temperature and the shift for a kernel; of an item alone there is nothing to tell."""
        if len(kernel) < 2:
            return Calibration()
        terms = _terms(_pairs(kernel), len(kernel), self.n_items)
        return Calibration(math.exp(-float(terms @ self.log_scale)), float(terms @ self.shift))

    def apply(self, kernel: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
        """Calibrate a kernel; the type of the numbers is kept.

        Raises
        ------
        InvalidInputError
            If a value lies outside [0, 1] or is NaN.
        """
        return self.at(kernel).apply(kernel)

    def then(self, following: Calibration) -> "SetCalibration":
        """The one calibration by set that does this one first and `following` after it.

        Examples
        --------
        >>> doubled = SetCalibration((0.0,) * 8, (1.0, *(0.0,) * 7), (2, 100)).then(Calibration(0.5, -0.5))
        >>> doubled.at(np.full((3, 3), 0.5))
        Calibration(temperature=0.5, shift=1.5)
        """
        scale, shift = np.array(self.log_scale), np.array(self.shift) / following.temperature
        scale[0] -= math.log(following.temperature)
        shift[0] += following.shift
        return SetCalibration(tuple(scale.tolist()), tuple(shift.tolist()), self.n_items)

    def to_dict(self) -> dict[str, list[int | float]]:
        """Plain values for a JSON header."""
        return {name: list(getattr(self, name)) for name in ("log_scale", "shift", "n_items")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "SetCalibration":
        """Build one from what :meth:`to_dict` gave.

        Raises
        ------
        FileFormatError
            If the values are none.
        """
        try:
            log_scale, shift = (tuple(map(float, values[name])) for name in ("log_scale", "shift"))
            fewest, most = map(int, values["n_items"])
            return cls(log_scale, shift, (fewest, most))
        except (KeyError, TypeError, ValueError) as error:
            raise FileFormatError(
                f"a calibration by set must hold log_scale, shift and n_items. Got {values!r}."
            ) from error


def fit_set_calibration(
    sets: Iterable[LabelledKernel], *, n_pairs: int = PAIRS_OF_A_SET, seed: Seed = 0
) -> SetCalibration:
    """The calibration by set of highest likelihood on labelled sets, each of which counts the same.

    Minimises the mean of the log loss over pairs drawn from each set, plus a light prior at temperature 1
    and shift 0.

    Parameters
    ----------
    sets
        Raw kernels (n, n) with n >= 2 and their labels, hundreds of them, from small to large; read once.
    n_pairs
        Pairs drawn from each, with replacement: pairs of one set know the same, so more of them tell little.
    seed
        For these.

    Raises
    ------
    InvalidInputError
        If there are no sets, a set has fewer than two items, or a value lies outside [0, 1].

    Examples
    --------
    >>> hedged = [(np.where(np.kron(np.eye(2), np.ones((n, n))) == 1, 0.8, 0.2), np.repeat([0, 1], n))
    ...           for n in range(5, 205)]
    >>> bool(fit_set_calibration(hedged).apply(hedged[0][0])[0, 1] > 0.95)
    True
    """
    generator = as_generator(seed)
    sizes, terms, log_odds, signs = [], [], [], []
    for kernel, labels in sets:
        n_items, names = len(kernel), np.asarray(labels)
        if n_items < 2 or names.shape != (n_items,):
            raise InvalidInputError(
                "sets must hold at least two items and a label for each. "
                f"Got a kernel of shape {kernel.shape} and labels of shape {names.shape}."
            )
        pairs = _pairs(kernel)
        drawn = generator.integers(len(pairs), size=n_pairs)
        first, second = (places[drawn] for places in np.triu_indices(n_items, 1))
        sizes.append(n_items)
        terms.append(_terms(pairs, n_items, (1, n_items)))
        log_odds.append(np.clip(logits_of(pairs[drawn]), -LARGEST_LOGIT, LARGEST_LOGIT))
        signs.append(np.where(names[first] == names[second], 1.0, -1.0))
    if not sizes:
        raise InvalidInputError("sets must hold at least one labelled kernel. Got none.")
    scale, shift = _most_likely(np.stack(terms), np.stack(log_odds), np.stack(signs))
    return SetCalibration(tuple(scale.tolist()), tuple(shift.tolist()), (min(sizes), max(sizes)))


def _most_likely(
    terms: Float[np.ndarray, "S t"], log_odds: Float[np.ndarray, "S p"], signs: Float[np.ndarray, "S p"]
) -> tuple[Float[np.ndarray, " t"], Float[np.ndarray, " t"]]:
    def penalised_loss(parameters: Float[np.ndarray, " tt"]) -> tuple[float, Float[np.ndarray, " tt"]]:
        scales = np.exp(terms @ parameters[:N_TERMS])[:, None]
        margins = signs * (scales * log_odds + (terms @ parameters[N_TERMS:])[:, None])
        slopes = -signs * expit(-margins)
        gradient = np.concatenate(
            [(slopes * log_odds * scales).mean(axis=1) @ terms, slopes.mean(axis=1) @ terms]
        )
        loss = np.logaddexp(0.0, -margins).mean() + PRIOR_SHARE / 2 * parameters @ parameters
        return float(loss), gradient / len(terms) + PRIOR_SHARE * parameters

    found = minimize(penalised_loss, np.zeros(2 * N_TERMS), jac=True, method="L-BFGS-B")
    return found.x[:N_TERMS], found.x[N_TERMS:]


def _pairs(kernel: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
    """All pairs i < j."""
    return kernel[np.triu_indices(len(kernel), 1)]


def _terms(
    probabilities: Float[np.ndarray, " p"], n_items: int, sizes: tuple[int, int]
) -> Float[np.ndarray, "t"]:
    doubt = 4 * float(np.mean(probabilities * (1 - probabilities), dtype=np.float64))
    mean = float(np.mean(probabilities, dtype=np.float64))
    size = math.log(min(max(n_items, sizes[0]), sizes[1]) / TYPICAL_ITEMS)
    return np.array([1.0, doubt, doubt**2, mean, mean**2, doubt * mean, size, size**2])
