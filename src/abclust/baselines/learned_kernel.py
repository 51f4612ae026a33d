"""What pairwise similarity and ABC share: a learned kernel, then the paper's way from a kernel to labels."""

import numpy as np
from jaxtyping import Float, Int

from abclust.baselines.interface import MAXIMUM, SystemCard
from abclust.baselines.similarity_based import Model, SimilarityBasedSystem
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.clustering.backends import cluster_kernel

COMPATIBILITIES = {
    "multiplicative": "mul. compat.",
    "additive": "add. compat.",
    "siamese": "siamese",
}


class LearnedKernelSystem(SimilarityBasedSystem):
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
        model: Model | None = None,
        method: str = "spectral",
    ) -> None:
        super().__init__(card, similarity, model)
        self.method = method

    def describe(self, encoded: Float[np.ndarray, "n h"]) -> Float[np.ndarray, "n n"]:
        """The raw kernel."""
        return self.similarity.relate(encoded)

    def label(self, described: Float[np.ndarray, "n n"], n_clusters: int | None) -> Int[np.ndarray, " n"]:
        """The kernel cut by the back end."""
        allowed = (1, min(MAXIMUM, len(described))) if n_clusters is None else n_clusters
        labels = cluster_kernel(described, allowed, self.method, random_state=0)
        assert isinstance(labels, np.ndarray)  # one kernel in, one labelling out
        return labels
