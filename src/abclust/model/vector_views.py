"""Several looks at the same vectors: logits averaged over signs and rotations that mean the same (ours)."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.datasets.vector_variation import vary_vectors
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork

# Pairs in one forward pass: a few numbers are held for each, so the passes stay at some tens of megabytes.
PAIRS_AT_ONCE = 2**18


@dataclass(frozen=True)
class VectorViewConfig:
    """How many looks at a set of vectors. It travels in the header of the weights as ``vector_views``."""

    count: int = 1
    """1: the vectors as they were prepared. More: copies with other signs and rotations besides."""
    seed: int = 0
    """The same vectors always get the same views."""
    rotated_share: float = 0.3
    """Probability that a copy has its principal components rotated, as in training."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidInputError(f"count of views must be at least 1. Got {self.count}.")
        if not 0 <= self.rotated_share <= 1:
            raise InvalidInputError(f"rotated_share must be between 0 and 1. Got {self.rotated_share}.")


def vector_view_kernel(
    network: ContextKernelNetwork, prepared: Float[np.ndarray, "n w"], views: VectorViewConfig | None = None
) -> Float[np.ndarray, "n n"]:
    """The raw kernel of one prepared set, its logits averaged over views.

    Parameters
    ----------
    network
        Its header may name the ``preparation``; the default preparation is taken otherwise.
    prepared
        From :func:`~abclust.datasets.vector_preparation.prepare_vectors`.
    views
        One plain view by default.

    Raises
    ------
    InvalidInputError
        If the width is not that of the preparation.

    Examples
    --------
    >>> from abclust.datasets.vector_preparation import prepare_vectors
    >>> from abclust.model.config import ContextKernelConfig
    >>> network = ContextKernelNetwork(ContextKernelConfig(n_features=45, width=8, heads=2))
    >>> prepared = prepare_vectors([[0.0, 1.0], [0.0, 2.0], [5.0, 1.0]])
    >>> vector_view_kernel(network, prepared, VectorViewConfig(count=3)).shape
    (3, 3)
    """
    return vector_view_kernels(network, prepared[None], views)[0]


@torch.no_grad()
def vector_view_kernels(
    network: ContextKernelNetwork, prepared: Float[np.ndarray, "B n w"], views: VectorViewConfig | None = None
) -> list[Float[np.ndarray, "n n"]]:
    """The same for equally large sets, many in a forward pass; the network keeps the mode it came in."""
    views = views or VectorViewConfig()
    preparation = from_dict(VectorPreparation, network.metadata.get("preparation", {}))
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    kernels: list[Float[np.ndarray, "n n"]] = []
    at_once = max(1, PAIRS_AT_ONCE // prepared.shape[1] ** 2)
    try:
        for start in range(0, len(prepared), at_once):
            part = prepared[start : start + at_once]
            logits = [network(torch.from_numpy(look).to(device)) for look in _looks(part, preparation, views)]
            kernels += list(torch.stack(logits).mean(dim=0).sigmoid().cpu().numpy())
    finally:
        network.train(was_training)
    return kernels


def _looks(
    prepared: Float[np.ndarray, "B n w"], preparation: VectorPreparation, views: VectorViewConfig
) -> list[Float[np.ndarray, "B n w"]]:
    """The sets as they are, then copies; a set gets the same copies whichever sets stand beside it."""
    copies = [
        np.concatenate(
            [
                vary_vectors(one[None], preparation, stream(views.seed, view), views.rotated_share)
                for one in prepared
            ]
        )
        for view in range(1, views.count)
    ]
    return [prepared, *copies]
