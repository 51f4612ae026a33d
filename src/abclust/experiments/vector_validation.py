"""How a network for vectors is judged while it trains: held-out settings, the number of clusters unknown."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float
from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.default_method import PLAIN_METHOD
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vector_batch
from abclust.evaluation.scores import ari
from abclust.experiments.circle_evaluation import batch_kernels
from abclust.experiments.vector_held_out import SINGLE, HeldOutSetting


def vector_validation(
    settings: Sequence[HeldOutSetting], preparation: VectorPreparation
) -> Callable[[nn.Module], Mapping[str, float]]:
    """A validation by log-odds on raw kernels of one view.

    Gives ``ari_k_unknown``, the mean over settings of several clusters, ``ari_<setting>`` for each of them,
    and ``single_recognised``, the share of sets of one cluster that were left whole.
    """
    prepared = {
        setting.name: [prepare_vector_batch(batch.points, preparation) for batch in setting.batches]
        for setting in settings
    }

    def validate(network: nn.Module) -> dict[str, float]:
        scores = {setting.name: _mean_ari(network, setting, prepared[setting.name]) for setting in settings}
        # The adjusted Rand score of a set of one cluster is 1 if it was left whole, else 0.
        single = scores.pop(SINGLE)
        return {
            "ari_k_unknown": sum(scores.values()) / len(scores),
            "single_recognised": single,
            **{f"ari_{name}": score for name, score in scores.items()},
        }

    return validate


def _mean_ari(
    network: nn.Module, setting: HeldOutSetting, prepared: Sequence[Float[np.ndarray, "..."]]
) -> float:
    scores = []
    for batch, items in zip(setting.batches, prepared, strict=True):
        found = cluster_kernel(batch_kernels(network, items), method=PLAIN_METHOD)
        scores += [ari(true, labels) for true, labels in zip(batch.labels, found, strict=True)]
    return sum(scores) / len(scores)
