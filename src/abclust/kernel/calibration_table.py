"""The calibrations of a network: one for each back end and set size, stored in its header."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.kernel.calibration import Calibration
from abclust.kernel.set_calibration import SetCalibration

BY_SET = "by set"
"""The entry of the calibration that looks at the whole kernel; no back end has that name."""
LIKELIHOOD = "likelihood"
"""The entry of the maximum-likelihood calibration: honest probabilities, whoever clusters."""
NEXT_OF_KIN = {"expected-rand": "log-odds"}
"""Whose entry a back end takes that was not fitted: both read the same tree, and both want more unions than
the likelihood would make."""


@dataclass(frozen=True)
class CalibrationPoint:
    """A calibration fitted on sets of about `n_items` items."""

    n_items: int | float
    calibration: Calibration

    def __post_init__(self) -> None:
        if not self.n_items > 0:
            raise InvalidInputError(f"n_items must be positive. Got {self.n_items}.")


@dataclass(frozen=True)
class CalibrationTable:
    """For each back end, calibrations at a few set sizes, in ascending order.

    Between two sizes temperature and shift are interpolated linearly in log n; outside they are held
    constant. A network trained at one size is miscalibrated at another, and each back end wants its own
    shift. Where there is a calibration by set, every kernel passes through that first, whoever clusters.

    Examples
    --------
    >>> small, large = Calibration(shift=-1.0), Calibration(shift=-3.0)
    >>> table = CalibrationTable({"spectral": [CalibrationPoint(100, small), CalibrationPoint(400, large)]})
    >>> round(table.at("spectral", 200).shift, 6), table.at("spectral", 9_000).shift
    (-2.0, -3.0)
    """

    points: Mapping[str, Sequence[CalibrationPoint]] = field(default_factory=dict)
    by_set: SetCalibration | None = None

    def __post_init__(self) -> None:
        for backend, points in self.points.items():
            sizes = [point.n_items for point in points]
            if not sizes or any(second <= first for first, second in pairwise(sizes)):
                raise InvalidInputError(
                    f"points of {backend!r} must be at least one, with ascending n_items. Got {sizes}."
                )

    def at(self, backend: str, n_items: int) -> Calibration:
        """The calibration for a back end on sets of `n_items` items, without that by set.

        A back end that was not fitted gets that of its next of kin, or the maximum-likelihood calibration; a
        table without that leaves kernels as they are.

        Raises
        ------
        InvalidInputError
            If `n_items` is below 1.
        """
        if n_items < 1:
            raise InvalidInputError(f"n_items must be at least 1. Got {n_items}.")
        names = (backend, NEXT_OF_KIN.get(backend, LIKELIHOOD), LIKELIHOOD)
        points = next((self.points[name] for name in names if name in self.points), None)
        if points is None:
            return Calibration()
        sizes = [math.log(point.n_items) for point in points]
        # numpy's interp holds the end values constant, which is the rule outside the sizes seen.
        temperature = np.interp(math.log(n_items), sizes, [point.calibration.temperature for point in points])
        shift = np.interp(math.log(n_items), sizes, [point.calibration.shift for point in points])
        return Calibration(float(temperature), float(shift))

    def apply(self, kernel: Float[np.ndarray, "n n"], backend: str) -> Float[np.ndarray, "n n"]:
        """Calibrate a kernel for a back end by what it looks like as a whole and by its size."""
        return self._for_kernel(kernel, backend).apply(kernel)

    def apply_to_logits(self, logits: Float[np.ndarray, "B n n"], backend: str) -> Float[np.ndarray, "B n n"]:
        """Calibrate the log-odds of equally large sets, each as :meth:`apply` does it."""
        if self.by_set is None:
            return self.at(backend, logits.shape[1]).apply_to_logits(logits)
        return np.stack([self._for_kernel(expit(each), backend).apply_to_logits(each) for each in logits])

    def _for_kernel(self, kernel: Float[np.ndarray, "n n"], backend: str) -> Calibration:
        by_size = self.at(backend, len(kernel))
        return by_size if self.by_set is None else self.by_set.at(kernel).then(by_size)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON header.

        Examples
        --------
        >>> CalibrationTable({"log-odds": [CalibrationPoint(100, Calibration(1.0, -1.0))]}).to_dict()
        {'log-odds': [{'n_items': 100, 'temperature': 1.0, 'shift': -1.0}]}
        """
        by_set = {} if self.by_set is None else {BY_SET: self.by_set.to_dict()}
        return by_set | {
            backend: [
                {
                    "n_items": point.n_items,
                    "temperature": point.calibration.temperature,
                    "shift": point.calibration.shift,
                }
                for point in points
            ]
            for backend, points in self.points.items()
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "CalibrationTable":
        """Build a table from what :meth:`to_dict` gave; from an empty dictionary, one that changes nothing.

        Raises
        ------
        FileFormatError
            If the values are not a table.
        """
        try:
            by_set = SetCalibration.from_dict(values[BY_SET]) if BY_SET in values else None
            points = {
                backend: [
                    CalibrationPoint(
                        point["n_items"], Calibration(float(point["temperature"]), float(point["shift"]))
                    )
                    for point in points
                ]
                for backend, points in values.items()
                if backend != BY_SET
            }
            return cls(points, by_set)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise FileFormatError(
                f"calibration must list n_items, temperature and shift for each back end. Got {values!r}."
            ) from error
