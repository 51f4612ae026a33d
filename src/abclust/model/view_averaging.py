"""Several looks at the same items: logits averaged over the items as they are and over varied copies.

A copy of a handwritten character that is turned a little is the same character. The network's errors on the
copies are not the same errors, so their mean is closer to the truth than any one of them (ours; in a probe
before this was written five views were worth about .01 of NMI).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from abclust.datasets.image_augmentation import AugmentationConfig, augment
from abclust.datasets.labelled_set import as_float_items
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork

ENCODE_AT_ONCE = 512
# Pairs in one forward pass. Multiplicative compatibility holds little for each; the additive form holds 128
# numbers, and is twice as fast when those of a pass stay in the cache.
PAIRS_AT_ONCE = {"multiplicative": 2**18}
PAIRS_AT_ONCE_OTHERWISE = 2**15


@dataclass(frozen=True)
class ViewConfig:
    """How many looks, and how far each but the first is varied. It travels in the header of the weights."""

    count: int = 1
    """1: the items as they are. More: varied copies besides."""
    augmentation: AugmentationConfig = field(
        default_factory=lambda: AugmentationConfig(rotation=10.0, scale=0.1, shear=0.15, shift=0.05)
    )
    seed: int = 0
    """The same items always get the same views."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidInputError(f"count of views must be at least 1. Got {self.count}.")


@torch.no_grad()
def encode_views(
    network: ContextKernelNetwork, images: Shaped[np.ndarray, "N S S"], views: ViewConfig | None = None
) -> Float[Tensor, "V N h"]:
    """Encode every image once in each view; the network is left in the mode that it came in.

    Parameters
    ----------
    network
        Made for images.
    images
        uint8 (0-255) or floats (0-1), framed as the network expects them.
    views
        One plain view by default.

    Examples
    --------
    >>> from abclust.model.config import ContextKernelConfig
    >>> network = ContextKernelNetwork(ContextKernelConfig(image_size=16, encoder="fast-cnn", width=8))
    >>> encode_views(network, np.zeros((5, 16, 16), np.uint8), ViewConfig(count=3)).shape
    torch.Size([3, 5, 8])
    """
    views = views or ViewConfig()
    plain = torch.from_numpy(as_float_items(images))
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    try:
        encoded = []
        for view in range(views.count):
            seed = int(stream(views.seed, view).integers(2**63 - 1))
            generator = torch.Generator().manual_seed(seed)
            parts = [
                network.encode((augment(part, views.augmentation, generator) if view else part).to(device))
                for part in plain.split(ENCODE_AT_ONCE)
            ]
            encoded.append(torch.cat(parts))
    finally:
        network.train(was_training)
    return torch.stack(encoded)


@torch.no_grad()
def view_kernels(
    network: ContextKernelNetwork,
    encoded: Float[Tensor, "V N h"],
    sets: Int[np.ndarray, "B n"] | Sequence[Int[np.ndarray, " n"]],
) -> list[Float[np.ndarray, "n n"]]:
    """The raw kernels of equally large sets of encoded items, their logits averaged over the views.

    Parameters
    ----------
    network
        What encoded the items.
    encoded
        From :func:`encode_views`.
    sets
        Places of items, one row a set.

    Examples
    --------
    >>> from abclust.model.config import ContextKernelConfig
    >>> network = ContextKernelNetwork(ContextKernelConfig(image_size=16, encoder="fast-cnn", width=8))
    >>> encoded = encode_views(network, np.zeros((5, 16, 16), np.uint8))
    >>> [kernel.shape for kernel in view_kernels(network, encoded, np.array([[0, 1, 2], [2, 3, 4]]))]
    [(3, 3), (3, 3)]
    """
    places = torch.from_numpy(np.asarray(sets, dtype=np.int64))
    budget = PAIRS_AT_ONCE.get(network.config.compatibility, PAIRS_AT_ONCE_OTHERWISE)
    was_training = network.training
    network.eval()
    try:
        kernels = [
            _symmetric(torch.stack([network.relate(view[part]) for view in encoded]).mean(dim=0))
            .sigmoid()
            .cpu()
            .numpy()
            for part in places.split(max(1, budget // places.shape[1] ** 2))
        ]
    finally:
        network.train(was_training)
    return [kernel for part in kernels for kernel in part]


def _symmetric(logits: Float[Tensor, "B n n"]) -> Float[Tensor, "B n n"]:
    """A product of matrices adds up (i, j) and (j, i) in different orders: they differ in the last digits."""
    return (logits + logits.mT) / 2
