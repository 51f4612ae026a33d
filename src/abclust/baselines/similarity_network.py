"""The similarity of two items, learned on the background: with N = 0 blocks the paper's pairwise ablation.

One network serves as the pairwise system itself, as the similarity network of KCL and MCL, and as the source
of the predicted constraints of ITML, SKMS, SKKm and SKLR. With N = 2 it is ABC.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Shaped

from abclust.baselines.interface import Background
from abclust.baselines.learning import Learning, LearningConfig, load_or_learn, seeded
from abclust.datasets.labelled_set import as_float_items
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ENCODE_CHUNK, ContextKernelNetwork
from abclust.model.view_averaging import view_kernels
from abclust.training.trainer import fit

PAIRWISE_BLOCKS = 0
PAPER_BLOCKS = 2


class SimilarityNetwork:
    """The encoder's vectors of items, and probabilities that two of them belong together.

    Parameters
    ----------
    learning
        Encoder, budget and background sampling; the defaults are for Omniglot.
    compatibility
        "multiplicative", "additive" or "siamese" (paper Table 1).
    n_blocks
        Self-attention blocks: 0 is pairwise, no item sees another one.
    """

    def __init__(
        self,
        learning: LearningConfig | None = None,
        compatibility: str = "multiplicative",
        n_blocks: int = PAIRWISE_BLOCKS,
    ) -> None:
        self.learning = learning or LearningConfig()
        self.config = replace(self.learning.network, compatibility=compatibility, n_blocks=n_blocks)
        self.image_passes = 0
        self._network: ContextKernelNetwork | None = None

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{'abc' if self.config.n_blocks else 'pairwise'}-{self.config.compatibility}"

    @property
    def network(self) -> ContextKernelNetwork:
        """The learned network."""
        if self._network is None:
            raise InvalidInputError(
                f"{self.name} must learn before it is used. Got no background yet. "
                "Call learn(background) first."
            )
        return self._network

    def use(self, network: ContextKernelNetwork) -> None:
        """Take a network that was trained elsewhere."""
        self._network = network.eval()
        self.image_passes = int(network.metadata.get("image_passes", 0))

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Train by the pair loss, or load what was trained before; see :func:`load_or_learn`."""
        training = self.learning.training
        network = seeded(lambda: ContextKernelNetwork(self.config), training.seed)

        def train(run_folder: Path | None) -> int:
            source = self.learning.source(background)
            result = fit(network, source, training, folder=run_folder, resume=run_folder is not None)
            return result.n_items

        compatibility, n_blocks = self.config.compatibility, self.config.n_blocks
        learning = Learning.of(self.learning, background, compatibility=compatibility, n_blocks=n_blocks)
        self.image_passes = load_or_learn(network, self.name, learning, folder, train)
        self._network = network

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n h"]:
        """The encoder's vectors, each item alone, in evaluation mode."""
        network = self.network
        was_training = network.training
        network.eval()
        try:
            with torch.no_grad():
                parts = torch.from_numpy(as_float_items(items)).split(ENCODE_CHUNK)
                return torch.cat([network.encode(part) for part in parts]).numpy()
        finally:
            network.train(was_training)

    def relate(self, encoded: Float[np.ndarray, "n h"]) -> Float[np.ndarray, "n n"]:
        """The raw kernel of encoded items, float64."""
        (kernel,) = view_kernels(self.network, torch.from_numpy(encoded)[None], [np.arange(len(encoded))])
        return kernel.astype(np.float64)

    def kernel(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n n"]:
        """The raw kernel of a set, float64."""
        return self.relate(self.encode(items))


def directions(encoded: Float[np.ndarray, "n h"]) -> Float[np.ndarray, "n h"]:
    """Encoded items as float64 rows of unit length: the loss that taught the encoder compares directions.

    Examples
    --------
    >>> directions(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows = encoded.astype(np.float64)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
