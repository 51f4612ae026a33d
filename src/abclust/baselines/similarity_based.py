"""What the systems on top of a similarity network share: it is learned or handed over, and encodes items."""

from pathlib import Path

import numpy as np
from jaxtyping import Float, Shaped
from torch import nn

from abclust.baselines.interface import Background, SystemCard
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.baselines.staged_system import StagedSystem
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.zoo.loading import load

Model = ContextKernelNetwork | str | Path
"""A network trained elsewhere: itself, its path or its shipped name."""


class SimilarityBasedSystem(StagedSystem):
    """Learn a similarity network on the background; encode items by it.

    Parameters
    ----------
    card
        What a table says about it.
    similarity
        What is learned.
    model
        A network trained elsewhere. Learning then only loads it.
    """

    def __init__(self, card: SystemCard, similarity: SimilarityNetwork, model: Model | None = None) -> None:
        self.card = card
        self.similarity = similarity
        self.model = model

    @property
    def image_passes(self) -> int:
        """Items that the network was trained on, as far as its file says."""
        return self.similarity.image_passes

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Train the network, or take the one that was handed over."""
        if self.model is None:
            self.similarity.learn(background, folder)
        else:
            ready = self.model if isinstance(self.model, ContextKernelNetwork) else load(self.model)
            self.similarity.use(ready)

    def learned_modules(self) -> tuple[nn.Module, ...]:
        """The similarity network."""
        return (self.similarity.network,)

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n h"]:
        """The encoder's vectors."""
        return self.similarity.encode(items)
