"""Encode items as a stream: chunks in, rows of an array or of a memory map out."""

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from abclust.foundations.frozen_config import from_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig, encode_views
from abclust.scale.progress import LogProgress, ScaleProgress

ENCODE_CHUNK = 4096


def encode_stream(
    network: ContextKernelNetwork,
    items: Float[np.ndarray, "n *item"],
    path: str | Path | None = None,
    progress: ScaleProgress | None = None,
) -> Float[np.ndarray, "V n h"]:
    """Encode each item alone, in each of the views that the network's header asks for.

    Parameters
    ----------
    network
        What encodes.
    items
        Prepared items; may be a memory map, of which a chunk is in memory at a time.
    path
        A ``.npy`` file to hold the result as a memory map; None keeps it in memory.
    progress
        Hears of every chunk.

    Examples
    --------
    >>> from abclust.zoo.loading import load
    >>> encode_stream(load("circles"), np.zeros((5, 2), np.float32)).shape
    (1, 5, 128)
    """
    views = from_dict(ViewConfig, network.metadata.get("views", {}))
    progress = progress or LogProgress()
    progress.stage("encoding", len(items))
    shape = (views.count, len(items), network.config.width)
    if path is None:
        encoded = np.empty(shape, dtype=np.float32)
    else:
        encoded = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    for start in range(0, len(items), ENCODE_CHUNK):
        chunk = np.asarray(items[start : start + ENCODE_CHUNK], dtype=np.float32)
        encoded[:, start : start + len(chunk)] = _encoded(network, chunk, views)
        progress.advance(start + len(chunk))
    return encoded


@torch.no_grad()
def _encoded(
    network: ContextKernelNetwork, chunk: Float[np.ndarray, "n *item"], views: ViewConfig
) -> Float[np.ndarray, "V n h"]:
    if network.config.image_size is not None:
        return encode_views(network, chunk, views).cpu().numpy()
    first = next(network.parameters())
    was_training = network.training
    network.eval()
    try:
        return network.encode(torch.from_numpy(chunk).to(first))[None].cpu().numpy()
    finally:
        network.train(was_training)


def directions(encoded: Float[np.ndarray, "n h"]) -> Float[np.ndarray, "n h"]:
    """Rows of length 1, so that the nearest by distance are the nearest by angle; zeros stay zeros."""
    lengths = np.linalg.norm(encoded, axis=1, keepdims=True)
    return encoded / np.maximum(lengths, np.finfo(np.float32).tiny)
