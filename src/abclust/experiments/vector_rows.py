"""Systems on sets of vectors, as rows of a results file: scores, means, honesty of the kernel."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abclust.datasets.labelled_set import LabelledSet
from abclust.estimator.item_preparation import prepare_items
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.kernel_scores import score_kernels
from abclust.evaluation.protocol import Evaluation, evaluate
from abclust.evaluation.scores import mean_scores
from abclust.experiments.vector_held_out import SINGLE, HeldOutSetting
from abclust.experiments.vector_real_sets import random_halves
from abclust.experiments.vector_systems import OURS, VectorSystem
from abclust.kernel.calibration_table import LIKELIHOOD
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.raw_kernels import raw_kernels

GENERATED, REAL, HALVES, POOLED = "generated", "real", "random halves of real", "generated, pooled"
"""What a row's sets are, in its field ``data``."""
MEAN = "mean"
"""The protocol of a row over all sets of its kind."""
ALL = "all together"
"""The protocol of the row of :data:`POOLED`."""

Row = dict[str, Any]

_logger = logging.getLogger(__name__)


def generated_rows(
    systems: Sequence[VectorSystem], settings: Sequence[HeldOutSetting], network: ContextKernelNetwork
) -> list[Row]:
    """A row for each system and setting, and its mean over the settings of several clusters.

    Sets of one cluster are no question to those who are told so, and stay out of the mean. Rows of our own
    system without the true number also hold the calibration errors of pairs, on the sets of a setting as they
    are met, of one cluster among them, and ``pair_ece_several`` on those of several alone. One more row has
    those of all settings together.
    """
    rows: list[Row] = []
    parts: dict[VectorSystem, list[Evaluation]] = {system: [] for system in systems}
    for setting in settings:
        sets = setting.sets
        for system in systems:
            if setting.name == SINGLE and system.is_told_k:
                continue
            evaluation = _evaluate(system, sets, setting.name)
            more = _setting_honesty(network, setting) if system.name == OURS and not system.is_told_k else {}
            rows.append({**_row(evaluation, GENERATED), **more})
            if setting.name != SINGLE:
                parts[system].append(evaluation)
    rows += [_row(_joined(found), GENERATED) for found in parts.values()]
    everything = [each for setting in settings for each in setting.sets]
    told: Row = {"system": OURS, "k": "unknown", "protocol": ALL, "data": POOLED}
    told |= {"n_sets": len(everything), "n_sets_as_met": len(everything)}
    return [*rows, {**told, **honesty(network, everything)}]


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


def honesty(network: ContextKernelNetwork, sets: Sequence[LabelledSet]) -> dict[str, float]:
    """Calibration error and Brier score of all pairs of some sets.

    ``pair_ece`` and ``pair_brier`` are those of the kernel that ``AttentionClustering.kernel_`` shows,
    ``pair_ece_raw`` of the network's own, ``pair_ece_likelihood`` of the calibration by likelihood alone.
    """
    clusterer = SetClusterer(network)
    prepared = [prepare_items(network, each.items) for each in sets]
    labels = [each.labels for each in sets]
    raw = raw_kernels(network, prepared)
    kernels = {
        "": clusterer.kernels(prepared),
        "_raw": raw,
        "_likelihood": [clusterer.calibrations.apply(kernel, LIKELIHOOD) for kernel in raw],
    }
    scores = {name: score_kernels(zip(found, labels, strict=True)) for name, found in kernels.items()}
    errors = {f"pair_ece{name}": found.pair_ece for name, found in scores.items()}
    return {**errors, "pair_brier": scores[""].pair_brier}


def _setting_honesty(network: ContextKernelNetwork, setting: HeldOutSetting) -> Row:
    more: Row = {"n_sets_as_met": len(setting.sets_as_met), **honesty(network, setting.sets_as_met)}
    if setting.batches_of_one:
        more["pair_ece_several"] = honesty(network, setting.sets)["pair_ece"]
    return more


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
