"""How honest the probabilities of pairs are on held-out sets, as rows of a results file.

Asked of many more sets than are clustered for scores: pairs of one set are right or wrong together, and with
a hundred sets chance alone makes an honest network look wrong by some hundredths.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from abclust.datasets.labelled_set import LabelledSet
from abclust.estimator.item_preparation import prepare_items
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.kernel_scores import pair_ece_interval, score_kernels
from abclust.experiments.vector_held_out import HeldOutSetting
from abclust.experiments.vector_systems import OURS
from abclust.kernel.calibration_table import LIKELIHOOD
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.raw_kernels import raw_kernels

HONESTY = "pairs of generated"
"""What the sets of these rows are, in the field ``data``."""
ALL = "all together"
"""The protocol of the row over all settings."""
_SETS_AT_ONCE = 64  # as many prepared tables as are held

Row = dict[str, Any]
LabelledKernel = tuple[np.ndarray, np.ndarray]

_logger = logging.getLogger(__name__)


def honesty_rows(network: ContextKernelNetwork, settings: Sequence[HeldOutSetting]) -> list[Row]:
    """A row of calibration errors for each setting, and one for all together.

    A setting is asked as it is met, with sets of one cluster among the others, and ``pair_ece_several`` is
    that of sets of several clusters alone. All together are the sets that are scored, those of one cluster
    in a setting of their own.
    """
    clusterer = SetClusterer(network)
    rows: list[Row] = []
    everything: list[LabelledKernel] = []
    for setting in settings:
        as_met = labelled_kernels(network, setting.sets_as_met)
        scored = as_met[: len(setting.sets)]
        found = honesty(clusterer, as_met)
        if setting.batches_of_one:
            found["pair_ece_several"] = honesty(clusterer, scored)["pair_ece"]
        _logger.info("calibration error of pairs on %s: %.3f", setting.name, found["pair_ece"])
        rows.append({"protocol": setting.name, **found})
        everything += scored
    rows.append({"protocol": ALL, **honesty(clusterer, everything)})
    return [{"system": OURS, "k": "unknown", "data": HONESTY, **row} for row in rows]


def labelled_kernels(network: ContextKernelNetwork, sets: Sequence[LabelledSet]) -> list[LabelledKernel]:
    """The network's own kernel of each set, in single precision to hold thousands, and its true labels."""
    found: list[LabelledKernel] = []
    for start in range(0, len(sets), _SETS_AT_ONCE):
        part = sets[start : start + _SETS_AT_ONCE]
        kernels = raw_kernels(network, [prepare_items(network, each.items) for each in part])
        found += [(kernel.astype(np.float32), each.labels) for kernel, each in zip(kernels, part)]
    return found


def honesty(clusterer: SetClusterer, kernels: Sequence[LabelledKernel]) -> Row:
    """Calibration error and Brier score of all pairs of some sets, from :func:`labelled_kernels`.

    ``pair_ece`` and ``pair_brier`` are those of the kernel that ``AttentionClustering.kernel_`` shows,
    ``pair_ece_raw`` of the network's own, ``pair_ece_likelihood`` of the calibration by likelihood alone;
    ``pair_ece_interval`` is of 95 %, over other draws of the sets.
    """

    def as_taken_by(backend: str | None) -> Iterator[LabelledKernel]:
        return ((clusterer.calibrated(kernel, backend), labels) for kernel, labels in kernels)

    scores = score_kernels(as_taken_by(None))
    return {
        "n_sets": len(kernels),
        "pair_ece": scores.pair_ece,
        "pair_ece_interval": pair_ece_interval(as_taken_by(None)).bounds(),
        "pair_ece_raw": score_kernels(kernels).pair_ece,
        "pair_ece_likelihood": score_kernels(as_taken_by(LIKELIHOOD)).pair_ece,
        "pair_brier": scores.pair_brier,
    }
