"""DAC: deep amortized clustering, one cluster a pass until none is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from abclust.baselines.filtering_network import FilteringNetwork, filter_clusters, filtering_loss
from abclust.baselines.interface import MAXIMUM, Background, SystemCard, check_learned
from abclust.baselines.learning import Learning, LearningConfig, load_or_learn, seeded
from abclust.baselines.objective_training import fit_objective
from abclust.baselines.staged_system import StagedSystem
from abclust.datasets.labelled_set import as_float_items
from abclust.model.context_kernel_network import ENCODE_CHUNK
from abclust.training.augmentation import torch_generator
from abclust.training.batch_source import TrainingBatch
from abclust.training.contrastive_loss import supervised_contrastive_loss


@dataclass(frozen=True)
class DeepAmortizedConfig:
    """The part of the network that looks at a set."""

    n_layers: int = 4
    """ISABs."""
    n_induced: int = 32
    """Inducing points of each (authors' code)."""
    anchors_per_set: int = 8
    """Anchors drawn from each set in a step of training."""
    largest_number: int = MAXIMUM
    """Passes at most."""


class DeepAmortizedSystem(StagedSystem):
    r"""Draw an item, let the network say which others are of its cluster, take them out, repeat.

    .. math:: \min \; \mathbb{E}_a \frac1n \sum_i \mathrm{BCE}(\ell_{a i}, [y_i = y_a])

    is the anchored filtering loss (:class:`~abclust.baselines.filtering_network.FilteringNetwork`).

    Parameters
    ----------
    config
        Layers of the network.
    learning
        Encoder and budget; the defaults are for Omniglot.
    seed
        Of the anchors.

    Notes
    -----
    Deviations from the original:

    - The shared encoder instead of the reference's residual one, and beside the filtering loss the
      contrastive loss on it that all systems of the comparison have.
    - Eight anchors are drawn from each set in training, not one.
    - FF has a hidden layer, as in all blocks of this library (authors' code: a single one with ReLU).
    - 4 ISABs without dropout (authors' code for images: 6 with dropout .2, all but the first of which share
      their weights).
    - The version for Omniglot could not be consulted; this is the authors' anchored version for images.

    Cost: one training of the background budget, two hours of one core beside another training; a set of 100
    took 0.19 s of one core for 25 passes.

    References
    ----------
    Lee, Lee, Teh, "Deep amortized clustering", 2019. DOI 10.48550/arXiv.1909.13433
    """

    card = SystemCard(
        "dac",
        "DAC",
        "synthesised clusters",
        reference="DOI 10.48550/arXiv.1909.13433",
        uses_context=True,
        takes_n_clusters=False,
    )

    def __init__(
        self,
        config: DeepAmortizedConfig | None = None,
        learning: LearningConfig | None = None,
        seed: int = 0,
    ) -> None:
        self.config = config or DeepAmortizedConfig()
        self.learning = learning or LearningConfig()
        self.seed = seed
        self._network: FilteringNetwork | None = None

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Train by the filtering loss, or load what was trained before."""
        training = self.learning.training
        network = seeded(
            lambda: FilteringNetwork(self.learning.network, self.config.n_layers, self.config.n_induced),
            training.seed,
        )

        def train(run_folder: Path | None) -> int:
            return fit_objective(
                network,
                lambda batch: self._loss(network, batch),
                self.learning.source(background),
                training,
                run_folder,
            )

        details = {
            "n_layers": self.config.n_layers,
            "n_induced": self.config.n_induced,
            "anchors_per_set": self.config.anchors_per_set,
        }
        learning = Learning.of(self.learning, background, **details)
        self._image_passes = load_or_learn(network, self.card.name, learning, folder, train)
        self._network = network

    def learned_modules(self) -> tuple[nn.Module, ...]:
        """The filtering network."""
        return (self._learned(),)

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n h"]:
        """The encoder's vectors."""
        network = self._learned()
        with torch.no_grad():
            parts = torch.from_numpy(as_float_items(items)).split(ENCODE_CHUNK)
            return torch.cat([network.encode(part) for part in parts]).numpy()

    def label(self, described: Float[np.ndarray, "n h"], n_clusters: int | None) -> Int[np.ndarray, " n"]:
        """One cluster a pass."""
        return self.label_many([described], [n_clusters])[0]

    def label_many(
        self, described: Sequence[Float[np.ndarray, "_ h"]], n_clusters: Sequence[int | None]
    ) -> list[Int[np.ndarray, " _"]]:
        """Sets of one size go through the network together; what each gets does not depend on the others."""
        labels: list[np.ndarray] = [np.empty(0)] * len(described)
        for size in dict.fromkeys(map(len, described)):
            places = [place for place, rows in enumerate(described) if len(rows) == size]
            embeddings = torch.from_numpy(np.stack([described[place] for place in places]))
            anchors = [torch_generator(self.seed) for _ in places]
            found = filter_clusters(self._learned(), embeddings, anchors, self.config.largest_number)
            for place, own in zip(places, found.numpy()):
                labels[place] = own
        return labels

    def _loss(self, network: FilteringNetwork, batch: TrainingBatch) -> Tensor:
        training = self.learning.training
        embeddings = network.encode(batch.items)
        loss = training.pair_weight * filtering_loss(network, embeddings, batch, self.config.anchors_per_set)
        if training.contrastive_weight:
            loss = loss + training.contrastive_weight * supervised_contrastive_loss(
                embeddings, batch.labels, batch.pools, temperature=training.contrastive_temperature
            )
        return loss

    def _learned(self) -> FilteringNetwork:
        check_learned(self._network, self.card)
        assert self._network is not None
        return self._network
