"""What KCL, MCL and the hybrids share: a kernel from somewhere, then a classifier trained on the set."""

from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped

from abclust.baselines.interface import Background, SystemCard, checked_labels
from abclust.baselines.predicted_constraints import predicted_similar
from abclust.baselines.set_classifier import (
    PairwiseLoss,
    SetTrainingConfig,
    classify_set,
    fresh_classifier,
)
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.element_encoders import build_encoder
from abclust.zoo.loading import load


class SetTrainedSystem:
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
        model: ContextKernelNetwork | str | Path | None = None,
        seed: int = 0,
    ) -> None:
        self.card = card
        self.loss = loss
        self.similarity = similarity
        self.config = config or SetTrainingConfig()
        self.model = model
        self.seed = seed

    @property
    def image_passes(self) -> int:
        """Items that the similarity network was trained on; those of each set come on top."""
        return self.similarity.image_passes

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Learn the similarity network, or take the one that was handed over."""
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
        network, config = self.similarity.network, self.config
        similar = predicted_similar(self.similarity.kernel(items), config.threshold)
        return classify_set(
            items,
            similar,
            self.loss,
            lambda: fresh_classifier(
                network.encoder,
                lambda: build_encoder(network.config),
                network.config.width,
                n_clusters or config.n_outputs,
                config,
            ),
            config,
            self.seed,
        )
