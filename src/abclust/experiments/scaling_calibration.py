"""The calibration of the scaling network: the shift by which whole held-out mixtures are clustered best.

The pair loss makes each pair's probability honest. A union of two clusters rests on many pairs that err
together, and what is right for one of them need not be right for their mean; so the shift is chosen by what
the whole way from items to labels scores (ours).
"""

from collections.abc import Sequence

import numpy as np

from abclust.evaluation.scores import nmi
from abclust.experiments.scaling_mixtures import EmbeddingDomain
from abclust.experiments.scaling_systems import LargeSetTask, by_network
from abclust.foundations.frozen_config import from_dict
from abclust.kernel.calibration import Calibration
from abclust.kernel.calibration_table import CalibrationPoint, CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.config import local_context

SHIFTS = (0.5, 0.0, -0.5, -1.0, -1.5, -2.0)
SIZES = (1_000, 3_000, 10_000)
SEEDS = (1_900_4001, 1_900_4002)  # mixtures that no training, validation or scaling run draws


def calibrate_on_mixtures(
    network: ContextKernelNetwork,
    *,
    shifts: Sequence[float] = SHIFTS,
    sizes: Sequence[int] = SIZES,
    seeds: Sequence[int] = SEEDS,
) -> dict[float, float]:
    """Put the best shift of log-odds into the network's header, and give the mean NMI of each that was tried.

    Parameters
    ----------
    network
        With the domain and the local sets in its header.
    shifts
        What to try; of equals the first wins.
    sizes, seeds
        One mixture for each pair of them.
    """
    domain = from_dict(EmbeddingDomain, network.metadata.get("domain", {}))
    n_items = local_context(network.metadata, is_for_images=False).set_size
    mixtures = [(*domain.mixture(size, seed), seed) for size in sizes for seed in seeds]

    def use(shift: float) -> None:
        table = CalibrationTable({"log-odds": [CalibrationPoint(n_items, Calibration(shift=shift))]})
        network.metadata["calibration"] = table.to_dict()

    def score(shift: float) -> float:
        use(shift)
        found = [
            (truth, by_network(LargeSetTask(items, int(truth.max()) + 1, network, seed)))
            for items, truth, seed in mixtures
        ]
        return float(np.mean([nmi(truth, labels) for truth, labels in found]))

    tried = {shift: score(shift) for shift in shifts}
    use(max(tried, key=tried.__getitem__))
    return tried
