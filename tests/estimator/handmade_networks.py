"""Networks whose weights are set by hand, and tables with an obvious answer."""

import numpy as np
import torch

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
FRAMING = {"image_size": 28, "ink_size": 20}


def distance_network(metadata=None, reach=6.0, steepness=50.0, **items):
    """Logits are reach - steepness |z_i - z_j|, so that near items belong together.

    Without blocks there is no context; with an encoder, the distance is that of encoded items.
    """
    torch.manual_seed(7)
    config = ContextKernelConfig(
        **items,
        n_blocks=0,
        compatibility="siamese",
        similarity_projections=False,
        similarity_scale="none",
        similarity_bias=True,
    )
    network = ContextKernelNetwork(config, metadata).eval()
    with torch.no_grad():
        network.head.bias.fill_(reach)
        network.head.compatibility.weight.fill_(-steepness)
    return network


def table_network_by_hand(steepness=50.0):
    """Takes tables of any width, as the weights `vectors` do, and looks at three principal components."""
    width = PREPARATION.width
    metadata = {"preparation": to_dict(PREPARATION), "vector_views": {"count": 2, "rotated_share": 0.0}}
    items = {"n_features": width, "width": width, "encoder": "identity"}
    network = distance_network(metadata, steepness=steepness, **items)
    with torch.no_grad():
        network.head.compatibility.weight[PREPARATION.n_components :] = 0.0
    return network


def image_network_by_hand():
    """Takes images of any size, framed to 28 x 28, in three views, as the weights `omniglot` do."""
    metadata = {"framing": FRAMING, "views": {"count": 3}}
    return distance_network(metadata, image_size=28, encoder="fast-cnn", width=32)


def blobs(rng, n_items, n_clusters, n_features=3, spread=0.05):
    """A table of clusters along a diagonal, and the cluster of each row, each there at least once."""
    labels = np.concatenate([np.arange(n_clusters), rng.integers(n_clusters, size=n_items)])[:n_items]
    centres = 3.0 * np.arange(n_clusters)[:, None] * np.ones(n_features)
    return centres[labels] + spread * rng.normal(size=(n_items, n_features)), labels


def strokes(rng, n_images, size=31):
    """Images of bright straight strokes on black, uint8."""
    images = np.zeros((n_images, size, size), dtype=np.uint8)
    for image in images:
        (top, left), (height, width) = rng.integers(2, 12, size=2), rng.integers(3, 17, size=2)
        image[top : top + height, left : left + width] = 255
    return images
