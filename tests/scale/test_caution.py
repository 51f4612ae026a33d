"""Why the pass over items is cautious: on overlapping classes larger than a neighbourhood."""

import numpy as np
import pytest

from abclust.evaluation.scores import nmi
from abclust.experiments.scaling_mixtures import EmbeddingDomain
from abclust.scale.config import LocalContextConfig
from abclust.scale.item_encoding import directions
from abclust.scale.large_set import cluster_large_set


class LocallyScaledDistance:
    """What a network with the right directions and an eye for the scale around a pair would say."""

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows

    def log_odds(self, sets: np.ndarray) -> np.ndarray:
        rows = self._rows[sets]
        squares = (rows**2).sum(axis=-1)
        products = rows @ rows.swapaxes(1, 2)
        distances = np.sqrt(np.maximum(squares[:, :, None] + squares[:, None] - 2 * products, 0))
        scales = np.sqrt(np.sort(distances, axis=-1)[..., 5:6])
        return (12 * (1.5 - distances / scales / scales.swapaxes(1, 2))).astype(np.float32)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_nearest_pairs_of_two_classes_speak_too_well_of_their_union(seed: int) -> None:
    """Measured: .91 and .89 without caution, .98 and .95 with it."""
    domain = EmbeddingDomain()
    items, labels = domain.mixture(3_001, seed)
    rows = (items @ domain.rotation)[:, : domain.n_telling]
    careless, careful = (
        cluster_large_set(
            LocallyScaledDistance(rows), directions(rows), LocalContextConfig(caution=caution, placements=0)
        )
        for caution in (0.0, 3.0)
    )
    assert nmi(labels, careful.labels) > nmi(labels, careless.labels) + 0.03
