"""Systems on sets of vectors, as rows of a results file: scores and their means."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation.protocol import Evaluation, evaluate
from abclust.evaluation.scores import mean_scores
from abclust.experiments.vector_held_out import SINGLE, HeldOutSetting
from abclust.experiments.vector_real_sets import random_halves
from abclust.experiments.vector_systems import VectorSystem

GENERATED, REAL, HALVES = "generated", "real", "random halves of real"
"""What a row's sets are, in its field ``data``."""
MEAN = "mean"
"""The protocol of a row over all sets of its kind."""

Row = dict[str, Any]

_logger = logging.getLogger(__name__)


def generated_rows(systems: Sequence[VectorSystem], settings: Sequence[HeldOutSetting]) -> list[Row]:
    """A row for each system and setting, and its mean over the settings of several clusters.

    Sets of one cluster are no question to those who are told so, and stay out of the mean.
    """
    rows: list[Row] = []
    parts: dict[VectorSystem, list[Evaluation]] = {system: [] for system in systems}
    for setting in settings:
        for system in systems:
            if setting.name == SINGLE and system.is_told_k:
                continue
            evaluation = _evaluate(system, setting.sets, setting.name)
            rows.append(_row(evaluation, GENERATED))
            if setting.name != SINGLE:
                parts[system].append(evaluation)
    return rows + [_row(_joined(found), GENERATED) for found in parts.values()]


def real_rows(
    systems: Sequence[VectorSystem], sets: Sequence[LabelledSet], n_halves: int, seed: int
) -> list[Row]:
    """A row for each system and set, its mean over the whole sets, and one on random halves of each set."""
    rows: list[Row] = []
    for system in systems:
        whole = [_evaluate(system, [each], each.name) for each in sets]
        halved = [_evaluate(system, random_halves(each, n_halves, seed), each.name) for each in sets]
        rows += [_row(found, REAL) for found in (*whole, _joined(whole))]
        rows += [_row(found, HALVES) for found in halved]
    return rows


def kind_rows(
    systems: Sequence[VectorSystem], sets: Mapping[str, Sequence[LabelledSet]], data: str
) -> list[Row]:
    """A row for each system and kind of sets."""
    return [
        _row(_evaluate(system, of_kind, kind), data) for kind, of_kind in sets.items() for system in systems
    ]


def _evaluate(system: VectorSystem, sets: Sequence[LabelledSet], protocol: str) -> Evaluation:
    found = evaluate(
        system.cluster, sets, system=system.name, protocol=protocol, n_clusters_known=system.is_told_k
    )
    _logger.info("%s, k %s, on %s: ARI %.3f", found.system, found.k, protocol, mean_scores(found.scores).ari)
    return found


def _joined(parts: Sequence[Evaluation]) -> Evaluation:
    """One evaluation over the sets of several."""
    scores = tuple(score for part in parts for score in part.scores)
    seconds = float(
        np.average([part.seconds_per_set for part in parts], weights=[len(p.scores) for p in parts])
    )
    first = parts[0]
    return Evaluation(first.system, MEAN, first.k, scores, ("",) * len(scores), seconds)


def _row(evaluation: Evaluation, data: str) -> Row:
    row = evaluation.row()
    return {**row, "data": data, "ari_interval": row["intervals"]["ari"]}
