"""What KCL, MCL and the hybrids share: a kernel from somewhere, then a classifier trained on the set."""

import copy

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import nn

from abclust.baselines.interface import SystemCard
from abclust.baselines.item_variation import drawn_copies, encoded_copies, varied_items
from abclust.baselines.predicted_constraints import predicted_similar
from abclust.baselines.set_classifier import PairwiseLoss, SetClassifier, SetTrainingConfig, classify_set
from abclust.baselines.similarity_based import Model, SimilarityBasedSystem
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.datasets.labelled_set import as_float_items
from abclust.model.element_encoders import build_encoder


class SetTrainedSystem(SimilarityBasedSystem):
    """Predict which pairs of a set are similar; train a classifier on them; its verdict is the partition.

    Parameters
    ----------
    card
        What a table says about it.
    loss
        KCL's or MCL's.
    similarity
        What predicts pairs: the pairwise network, or ABC for the hybrids.
    config
        Of the training on the set.
    model
        A similarity network trained elsewhere: itself, its path or its shipped name.
    seed
        Of everything that is drawn while a set is clustered.
    """

    def __init__(
        self,
        card: SystemCard,
        loss: PairwiseLoss,
        similarity: SimilarityNetwork,
        config: SetTrainingConfig | None = None,
        model: Model | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(card, similarity, model)
        self.loss = loss
        self.config = config or SetTrainingConfig()
        self.seed = seed

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n ..."]:
        """Encoded copies of each item under a frozen trunk, (n, copies, h); else the items as they are."""
        plain = as_float_items(items)
        if self.config.trunk != "frozen":
            return plain
        config = self.config
        return encoded_copies(self.similarity.encode, plain, config.variation, config.n_copies, self.seed)

    def describe(
        self, encoded: Float[np.ndarray, "n ..."]
    ) -> tuple[Float[np.ndarray, "n ..."], Bool[np.ndarray, "n n"]]:
        """The copies, and which pairs are predicted similar."""
        is_frozen = self.config.trunk == "frozen"
        plain = encoded[:, 0] if is_frozen else self.similarity.encode(encoded)
        return encoded, predicted_similar(self.similarity.relate(plain), self.config.threshold)

    def label(
        self,
        described: tuple[Float[np.ndarray, "n ..."], Bool[np.ndarray, "n n"]],
        n_clusters: int | None,
    ) -> Int[np.ndarray, " n"]:
        """Train on the set; the likeliest output of each item."""
        items, similar = torch.from_numpy(described[0]), described[1]
        is_frozen = self.config.trunk == "frozen"
        return classify_set(
            items[:, 0] if is_frozen else items,
            drawn_copies(items) if is_frozen else varied_items(items, self.config.variation),
            similar,
            self.loss,
            lambda: self._classifier(n_clusters or self.config.n_outputs),
            self.config,
            self.seed,
        )

    def _classifier(self, n_outputs: int) -> SetClassifier:
        network = self.similarity.network
        trunk: nn.Module = nn.Identity()
        if self.config.trunk == "trained":
            trunk = copy.deepcopy(network.encoder)
        elif self.config.trunk == "random":
            trunk = build_encoder(network.config)
        return SetClassifier(trunk, network.config.width, n_outputs, self.config.spread)
