"""Fit a network's calibrations: by likelihood, then for each back end by what its partitions score."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from abclust.evaluation.calibration_choice import choose_candidate
from abclust.evaluation.kernel_scores import labelled_pairs
from abclust.evaluation.labelled_inputs import LabelledInput, as_labelled_inputs
from abclust.evaluation.protocol import Clusterer, run_clusterer
from abclust.evaluation.scores import ami
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.kernel.calibration import Calibration, fit_calibration
from abclust.kernel.calibration_table import LIKELIHOOD, CalibrationPoint, CalibrationTable

Candidate = tuple[float, float]
"""(threshold, multiple of the temperature) in the log-odds of the maximum-likelihood calibration."""
ANCHOR: Candidate = (0.0, 1.0)


@dataclass(frozen=True)
class CalibrationSearchConfig:
    """Where to look, around the maximum-likelihood calibration."""

    thresholds: tuple[float, ...] = (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
    """Honest log-odds at which a pair should count as even."""
    temperatures: tuple[float, ...] = (0.5, 2.0)
    """Multiples of the fitted temperature, tried at the best threshold. Log-odds is blind to them."""
    refinements: int = 2
    """How often the step between thresholds is halved around the best."""
    n_size_classes: int = 4
    """Into how many classes set sizes are gathered if there are more distinct ones."""
    number_weight: float = 0.05
    """What a wrong number of clusters costs: this times :math:`|\\ln(k' / k)|`. AMI alone hardly sees a few
    singletons too many, but people count clusters."""
    is_honest: bool = False
    """Whether the kernels have been calibrated by likelihood already: the search then starts from them as
    they are."""
    batch_size: int | None = None
    """Hand kernels to the clusterer in lists of this many; None for one by one."""


@dataclass(frozen=True)
class CalibrationRecord:
    """What was weighed for one back end and size class; scores are AMI less the cost of a wrong number."""

    backend: str
    n_items: float
    n_sets: int
    likelihood: Calibration
    """The maximum-likelihood calibration, from which the search starts."""
    chosen: Calibration
    score_raw: float
    score_likelihood: float
    score_chosen: float
    """On the sets it was chosen on; hopeful."""
    score_held_out: float
    """On groups it was not chosen on; honest."""
    candidates: tuple[tuple[float, float, float], ...]
    """(threshold, multiple of the temperature, mean score) of all that was tried."""

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready values."""
        return to_dict(self)


def calibrate(
    clusterers: Mapping[str, Clusterer],
    sets: Iterable[Any],
    config: CalibrationSearchConfig | None = None,
) -> tuple[CalibrationTable, list[CalibrationRecord]]:
    """Fit a calibration for each back end and set size on validation kernels.

    For each size class the maximum-likelihood calibration is fitted on all pairs, unless the kernels are said
    to be honest already. In its log-odds
    :math:`\\ell`, each back end then gets the threshold t and temperature m of :math:`(\\ell - t) / m` with
    the highest mean score, AMI less a cost of a wrong number of clusters, unless simpler will do (see
    :func:`~abclust.evaluation.calibration_choice.choose_candidate`). (ours; the paper does not calibrate)

    Parameters
    ----------
    clusterers
        Back end name to callable ``clusterer(kernel, n_clusters)``, called with None: k is unknown.
    sets
        Raw kernels with labels and the group they came from: (kernel, labels, group). Many groups, none of
        them an evaluation group.
    config
        Where to look.

    Returns
    -------
    tuple
        The table, with the entry ``"likelihood"`` beside the back ends, and the record of what was weighed.

    Raises
    ------
    InvalidInputError
        If no set has two items.

    Examples
    --------
    >>> kernel = np.where(np.kron(np.eye(2), np.ones((3, 3))) == 1, 0.9, 0.6)
    >>> first_row = lambda kernel, n_clusters: kernel[0] < 0.5
    >>> sets = [(kernel, [0, 0, 0, 1, 1, 1], group) for group in "abc"]
    >>> table, records = calibrate({"first row": first_row}, sets)
    >>> round(records[0].score_raw, 2), records[0].score_chosen
    (-0.03, 1.0)
    """
    config = config or CalibrationSearchConfig()
    classes = by_size(
        [entry for entry in as_labelled_inputs(sets) if entry.n_items > 1], config.n_size_classes
    )
    points: dict[str, list[CalibrationPoint]] = {name: [] for name in (LIKELIHOOD, *clusterers)}
    records = []
    for n_items, inputs in classes:
        likelihood = Calibration() if config.is_honest else _most_likely(inputs)
        points[LIKELIHOOD].append(CalibrationPoint(n_items, likelihood))
        for backend, clusterer in clusterers.items():
            record = _search(backend, clusterer, n_items, inputs, likelihood, config)
            points[backend].append(CalibrationPoint(n_items, record.chosen))
            records.append(record)
    return CalibrationTable(points), records


def best_backend(records: Sequence[CalibrationRecord], backends: Sequence[str]) -> str:
    """The back end whose partitions score best on held-out groups, in the mean over the size classes.

    Parameters
    ----------
    records
        As :func:`calibrate` gives them.
    backends
        Those to choose among; of equals the first.
    """

    def held_out(name: str) -> float:
        return float(np.mean([record.score_held_out for record in records if record.backend == name]))

    return max(backends, key=held_out)


def by_size(inputs: Sequence[LabelledInput], n_classes: int) -> list[tuple[float, list[LabelledInput]]]:
    """Gather sets into classes of neighbouring sizes, each named by the geometric mean size of its sets.

    Raises
    ------
    InvalidInputError
        If there are no sets or no classes.
    """
    if not inputs or n_classes < 1:
        raise InvalidInputError(
            "sets must hold at least one set of two items, in at least one size class. "
            f"Got {len(inputs)} such sets and {n_classes} classes."
        )
    distinct = np.unique([entry.n_items for entry in inputs])
    classes = []
    for sizes in np.array_split(distinct, min(n_classes, len(distinct))):
        members = [entry for entry in inputs if sizes[0] <= entry.n_items <= sizes[-1]]
        classes.append((math.exp(np.mean([math.log(entry.n_items) for entry in members])), members))
    return classes


def _most_likely(inputs: Sequence[LabelledInput]) -> Calibration:
    return fit_calibration(*labelled_pairs((entry.values, entry.labels) for entry in inputs))


def _search(
    backend: str,
    clusterer: Clusterer,
    n_items: float,
    inputs: Sequence[LabelledInput],
    likelihood: Calibration,
    config: CalibrationSearchConfig,
) -> CalibrationRecord:
    def score(calibration: Calibration) -> Float[np.ndarray, "sets"]:
        calibrated = [LabelledInput(calibration.apply(entry.values), entry.labels) for entry in inputs]
        predicted = run_clusterer(clusterer, calibrated, batch_size=config.batch_size)
        return np.array(
            [
                ami(entry.labels, labels) - config.number_weight * _number_error(entry.labels, labels)
                for entry, labels in zip(inputs, predicted)
            ]
        )

    tried = _explore(lambda candidate: score(at_threshold(likelihood, candidate)), config)
    candidates = sorted(tried)
    scores = np.stack([tried[candidate] for candidate in candidates])
    distances = np.array([_distance(candidate) for candidate in candidates])
    choice = choose_candidate(scores, distances, [entry.group for entry in inputs])
    return CalibrationRecord(
        backend=backend,
        n_items=n_items,
        n_sets=len(inputs),
        likelihood=likelihood,
        chosen=at_threshold(likelihood, candidates[choice.index]),
        score_raw=float(score(Calibration()).mean()),
        score_likelihood=float(tried[ANCHOR].mean()),
        score_chosen=float(scores[choice.index].mean()),
        score_held_out=choice.held_out,
        candidates=tuple((*candidate, float(found.mean())) for candidate, found in zip(candidates, scores)),
    )


def _number_error(labels: Shaped[np.ndarray, " n"], predicted: Shaped[np.ndarray, " n"]) -> float:
    r""":math:`|\ln(k' / k)|`: twice or half as many clusters are equally wrong."""
    return abs(math.log(len(np.unique(predicted)) / len(np.unique(labels))))


def _explore(
    score: Callable[[Candidate], np.ndarray], config: CalibrationSearchConfig
) -> dict[Candidate, np.ndarray]:
    """Thresholds on a grid, refined around the best; then other temperatures at the best threshold."""
    tried: dict[Candidate, np.ndarray] = {}

    def best_after(candidates: Iterable[Candidate]) -> Candidate:
        for candidate in candidates:
            if candidate not in tried:
                tried[candidate] = score(candidate)
        # Of equals the one nearest to the anchor: a flat top is searched from its near side.
        return max(tried, key=lambda candidate: (tried[candidate].mean(), -_distance(candidate)))

    threshold, _ = best_after([ANCHOR, *((threshold, 1.0) for threshold in config.thresholds)])
    step = float(np.diff(np.sort(config.thresholds)).min()) if len(config.thresholds) > 1 else 1.0
    for _ in range(config.refinements):
        step /= 2
        threshold, _ = best_after([(threshold - step, 1.0), (threshold + step, 1.0)])
    best_after((threshold, temperature) for temperature in config.temperatures)
    return tried


def at_threshold(likelihood: Calibration, candidate: Candidate) -> Calibration:
    """The likelihood calibration, then even odds moved to the threshold and the temperature multiplied."""
    threshold, temperature = candidate
    return likelihood.then(Calibration(temperature, -threshold / temperature))


def _distance(candidate: Candidate) -> float:
    threshold, temperature = candidate
    return abs(threshold) + abs(math.log2(temperature))
