"""What pairwise similarity and ABC share: a learned kernel, then the paper's way from a kernel to labels."""

from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped

from abclust.baselines.interface import MAXIMUM, Background, SystemCard, checked_labels
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.clustering.backends import cluster_kernel
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.zoo.loading import load

COMPATIBILITIES = {
    "multiplicative": "mul. compat.",
    "additive": "add. compat.",
    "siamese": "siamese",
}


class LearnedKernelSystem:
    """Learn a kernel on the background; cluster the kernel of each set.

    Parameters
    ----------
    card
        What a table says about it.
    similarity
        What is learned.
    model
        A network trained elsewhere: itself, its path or its shipped name. Learning then only loads it.
    method
        A method of :func:`abclust.cluster_kernel`; the paper's is spectral clustering with the eigengap.
    """

    def __init__(
        self,
        card: SystemCard,
        similarity: SimilarityNetwork,
        model: ContextKernelNetwork | str | Path | None = None,
        method: str = "spectral",
    ) -> None:
        self.card = card
        self.similarity = similarity
        self.model = model
        self.method = method

    @property
    def image_passes(self) -> int:
        """Items that the network was trained on, as far as its file says."""
        return self.similarity.image_passes

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Train the network, or take the one that was handed over."""
        if self.model is None:
            self.similarity.learn(background, folder)
        else:
            ready = isinstance(self.model, ContextKernelNetwork)
            self.similarity.use(self.model if ready else load(self.model))  # type: ignore[arg-type]

    def cluster(
        self, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set; see :class:`abclust.baselines.interface.Baseline`."""
        return checked_labels(self.card, items, n_clusters, self._labels)

    def _labels(self, items: np.ndarray, n_clusters: int | None) -> np.ndarray:
        allowed = (1, min(MAXIMUM, len(items))) if n_clusters is None else n_clusters
        labels = cluster_kernel(self.similarity.kernel(items), allowed, self.method, random_state=0)
        assert isinstance(labels, np.ndarray)  # one kernel in, one labelling out
        return labels
