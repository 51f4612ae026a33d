"""abclust as it comes: shipped weights, their framing, views and calibration, log-odds."""

from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped

from abclust.baselines.interface import Background, SystemCard, check_learned, checked_labels
from abclust.estimator.set_clusterer import SetClusterer
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.zoo.loading import load


class LibraryDefaultSystem:
    """What ``abclust.AttentionClustering(model)`` does: the row "abclust" of the comparison.

    Parameters
    ----------
    model
        A network, its path or its shipped name.
    method
        The back end; log-odds on the calibrated kernel is the library's default.
    seed
        For back ends that draw.

    Notes
    -----
    Deviations from the paper: all of ours (``docs/fidelity.md``). The weights were trained before; learning
    only loads them, so `image_passes` is what their header says.

    Cost: unmeasured in this room.
    """

    card = SystemCard("abclust", "abclust", "learned kernel", reference="this library", uses_context=True)

    def __init__(
        self,
        model: ContextKernelNetwork | str | Path = "omniglot",
        method: str = "log-odds",
        seed: int = 0,
    ) -> None:
        self.model = model
        self.method = method
        self.seed = seed
        self.image_passes = 0
        self._network: ContextKernelNetwork | None = None

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Load the weights."""
        self._network = self.model if isinstance(self.model, ContextKernelNetwork) else load(self.model)
        self.image_passes = int(self._network.metadata.get("image_passes", 0))

    def cluster(
        self, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set; see :class:`abclust.baselines.interface.Baseline`."""
        return checked_labels(self.card, items, n_clusters, self._labels)

    def _labels(self, items: np.ndarray, n_clusters: int | None) -> np.ndarray:
        check_learned(self._network, self.card)
        assert self._network is not None
        clusterer = SetClusterer(
            self._network, n_clusters=n_clusters, method=self.method, random_state=self.seed, n_samples=0
        )
        return clusterer.cluster(items).partition.labels
