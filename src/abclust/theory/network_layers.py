"""A trained network's clusters, block by block, with skips and without."""

import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.theory.contraction import diameter


@dataclass(frozen=True, eq=False)
class LayerSeparation:
    """How far clusters stand apart after the encoder (index 0) and after every block. All shapes (N + 1,).

    Attributes
    ----------
    separation
        Mean distance of two clusters' centroids over the mean diameter of a cluster: the corollary's ratio,
        which layer norm and any other rescaling leave alone.
    extent
        Diameter of the whole set over the root mean square length of its vectors: 0 is total collapse.
    """

    separation: Float[np.ndarray, " layers"]
    extent: Float[np.ndarray, " layers"]


class _NoSkip(nn.Module):
    """What stands in a block in place of x + update."""

    def forward(self, x: Float[Tensor, "B n h"], update: Float[Tensor, "B n h"]) -> Float[Tensor, "B n h"]:
        return update


def without_attention_skips(network: ContextKernelNetwork) -> ContextKernelNetwork:
    """A copy of the network in which attention takes the items' place instead of being added to them.

    The skip around the feed-forward layer stays: that layer looks at each item alone and is no part of the
    analysis (paper Sec. 4).
    """
    bare = copy.deepcopy(network)
    for block in bare.blocks:
        block.attention_skip = _NoSkip()
    return bare


@torch.no_grad()
def layer_embeddings(network: ContextKernelNetwork, items: np.ndarray) -> list[Float[np.ndarray, "n h"]]:
    """The items of one set after the encoder and after every block, in float64."""
    parameter = next(network.parameters())
    layers: list[Tensor] = []

    def keep(_block: nn.Module, _inputs: Any, output: Any) -> None:
        layers.append(output)

    watches = [block.register_forward_hook(keep) for block in network.blocks]
    was_training = network.training
    network.eval()
    try:
        encoded = network.encode(torch.as_tensor(items, dtype=parameter.dtype, device=parameter.device))[None]
        network.contextualise(encoded)
    finally:
        network.train(was_training)
        for watch in watches:
            watch.remove()
    return [layer[0].double().cpu().numpy() for layer in (encoded, *layers)]


def layer_separation(
    network: ContextKernelNetwork, items: np.ndarray, labels: Int[np.ndarray, " n"], *, skip: bool = True
) -> LayerSeparation:
    """Measure one labelled set on its way through the network.

    Parameters
    ----------
    network
        Trained or not.
    items
        One set as the network takes it.
    labels
        The true cluster of each item; at least two clusters.
    skip
        False measures :func:`without_attention_skips` instead.

    Raises
    ------
    InvalidInputError
        If there are fewer than two clusters, or no cluster has two items.

    Examples
    --------
    >>> from abclust import ContextKernelConfig
    >>> network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2, n_blocks=3))
    >>> items = np.random.default_rng(0).normal(size=(5, 2))
    >>> layer_separation(network, items, np.array([0, 0, 1, 1, 1])).separation.shape
    (4,)
    """
    clusters = np.unique(labels)
    if not 2 <= len(clusters) < len(labels):
        raise InvalidInputError(
            "labels must name at least two clusters, one of them with two items or more. "
            f"Got {len(clusters)} clusters of {len(labels)} items."
        )
    layers = layer_embeddings(network if skip else without_attention_skips(network), items)
    return LayerSeparation(
        separation=np.array([_separation([layer[labels == each] for each in clusters]) for layer in layers]),
        extent=np.array([diameter(layer) / np.sqrt((layer**2).sum(axis=1).mean()) for layer in layers]),
    )


def _separation(clusters: list[Float[np.ndarray, "_ h"]]) -> float:
    centroids = [cluster.mean(axis=0) for cluster in clusters]
    apart = np.mean([np.linalg.norm(one - other) for one, other in combinations(centroids, 2)])
    return float(apart / np.mean([diameter(cluster) for cluster in clusters]))
