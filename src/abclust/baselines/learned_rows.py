"""What ITML, SKKm and SKLR share: predictions move the encoder's space, and k-means cuts it."""

from abc import abstractmethod

import numpy as np
from jaxtyping import Float, Int

from abclust.baselines.interface import SystemCard
from abclust.baselines.k_means import in_own_span, k_means_labels
from abclust.baselines.learning import LearningConfig
from abclust.baselines.number_choice import NumberChoice, labels_for_number
from abclust.baselines.similarity_based import SimilarityBasedSystem
from abclust.baselines.similarity_network import SimilarityNetwork, directions
from abclust.foundations.random_state import stream


class LearnedRowsSystem(SimilarityBasedSystem):
    """The pairwise network encodes items and predicts constraints; they make rows; k-means on the rows.

    Parameters
    ----------
    card
        What a table says about it.
    learning
        Of the pairwise network.
    number
        What k is where nobody knows it.
    seed
        Of the sample of constraints and of k-means.
    """

    def __init__(
        self, card: SystemCard, learning: LearningConfig | None, number: NumberChoice, seed: int
    ) -> None:
        super().__init__(card, SimilarityNetwork(learning))
        self.number = number
        self.seed = seed

    @abstractmethod
    def learned_rows(
        self,
        features: Float[np.ndarray, "n h"],
        kernel: Float[np.ndarray, "n n"],
        generator: np.random.Generator,
    ) -> Float[np.ndarray, "n r"]:
        """Rows in which the plain distance is the learned one.

        Parameters
        ----------
        features
            The encoder's vectors, of unit length.
        kernel
            Predicted probabilities that two items belong together.
        generator
            Draws the constraints.
        """

    def describe(self, encoded: Float[np.ndarray, "n h"]) -> Float[np.ndarray, "n r"]:
        """The learned rows."""
        kernel = self.similarity.relate(encoded)
        return in_own_span(self.learned_rows(directions(encoded), kernel, stream(self.seed)))

    def label(self, described: Float[np.ndarray, "n r"], n_clusters: int | None) -> Int[np.ndarray, " n"]:
        """The best of ten runs of k-means."""
        return labels_for_number(
            lambda number: k_means_labels(described, number, self.seed), described, n_clusters, self.number
        )
