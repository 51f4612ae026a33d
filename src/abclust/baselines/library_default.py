"""abclust as it comes: shipped weights, their framing, views, calibration and back end."""

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import nn

from abclust.baselines.interface import Background, SystemCard, check_learned
from abclust.baselines.staged_system import StagedSystem
from abclust.clustering.backends import cluster_kernel
from abclust.clustering.default_method import DEFAULT_METHOD, settled_method
from abclust.estimator.item_preparation import prepare_set, read_items
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.frozen_config import from_dict
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig, encode_views, view_kernels
from abclust.zoo.loading import load


class LibraryDefaultSystem(StagedSystem):
    """What ``abclust.AttentionClustering(model)`` does: the row "abclust" of the comparison.

    Parameters
    ----------
    model
        A network, its path or its shipped name.
    method
        The back end; by default the library's own.
    seed
        For back ends that draw.

    Notes
    -----
    Deviations from the paper: all of ours (``docs/fidelity.md``). The weights were trained before; learning
    only loads them, so `image_passes` is what their header says. Where a header asks for several views, they
    are drawn once an image, whatever the sets it stands in; the estimator draws them for each set anew.

    Cost: none on the background, the weights are shipped; at a set a pass for each view.
    """

    card = SystemCard("abclust", "abclust", "learned kernel", reference="this library", uses_context=True)

    def __init__(
        self,
        model: ContextKernelNetwork | str | Path = "omniglot",
        method: str = DEFAULT_METHOD,
        seed: int = 0,
    ) -> None:
        self.model = model
        self.method = method
        self.seed = seed
        self._network: ContextKernelNetwork | None = None

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Load the weights."""
        self._network = self.model if isinstance(self.model, ContextKernelNetwork) else load(self.model)
        self._image_passes = int(self._network.metadata.get("image_passes", 0))

    def learned_modules(self) -> tuple[nn.Module, ...]:
        """The shipped network."""
        return (self._learned(),)

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n ..."]:
        """Images in the network's frame, encoded in each view; tables as they are."""
        network = self._learned()
        read = read_items(network, items)
        if network.config.image_size is None:
            return read
        views = from_dict(ViewConfig, network.metadata.get("views", {}))
        return encode_views(network, read, views).transpose(0, 1).numpy()

    def describe(self, encoded: Float[np.ndarray, "n ..."]) -> tuple[Float[np.ndarray, "n n"], float]:
        """The calibrated kernel, and what the header knows of one cluster."""
        network = self._learned()
        if network.config.image_size is None:
            clusterer = SetClusterer(network, method=self.method)
            prepared = prepare_set(network, encoded)
            return clusterer.kernels([prepared])[0], clusterer.one_cluster_odds(prepared)
        views = torch.from_numpy(encoded).transpose(0, 1)
        (raw,) = view_kernels(network, views, [np.arange(len(encoded))])
        calibration = CalibrationTable.from_dict(network.metadata.get("calibration", {}))
        return calibration.apply(raw.astype(np.float64), settled_method(self.method, network.metadata)), 1.0

    def label(
        self, described: tuple[Float[np.ndarray, "n n"], float], n_clusters: int | None
    ) -> Int[np.ndarray, " n"]:
        """The kernel cut by the library's back end."""
        method = settled_method(self.method, self._learned().metadata)
        kernel, odds = described
        labels = cluster_kernel(kernel, n_clusters, method, random_state=self.seed, one_cluster_odds=odds)
        assert isinstance(labels, np.ndarray)  # one kernel in, one labelling out
        return labels

    def _learned(self) -> ContextKernelNetwork:
        check_learned(self._network, self.card)
        assert self._network is not None
        return self._network
