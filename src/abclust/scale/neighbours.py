"""Nearest neighbours of all items: exact in blocks for small sets, by an inverted file (faiss) for large."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from abclust.foundations.errors import InvalidInputError, MissingExtraError
from abclust.scale.progress import LogProgress, ScaleProgress

LARGEST_EXACT = 20_000
"""Items up to which every pair is looked at: 4e8 distances, some seconds."""
_BLOCK_NUMBERS = 2**24
"""Distances held at a time: 64 MB."""
_QUERIES = 16_384
_TRAINING_POINTS_PER_CELL = 64
_PROBED_SHARE = 1 / 64


def nearest_neighbours(
    features: Float[np.ndarray, "n f"],
    n_neighbors: int,
    *,
    largest_exact: int = LARGEST_EXACT,
    seed: int = 0,
    progress: ScaleProgress | None = None,
    first: int = 0,
) -> Int[np.ndarray, "q k"]:
    """The nearest other items of each item by Euclidean distance, nearest first.

    Parameters
    ----------
    features
        Finite; may be a memory map, which is read in blocks.
    n_neighbors
        How many, at most: k is smaller where there are not so many other items.
    largest_exact
        Sets of more items are searched by faiss's inverted file: items are put into about 4 sqrt(n) cells by
        k-means, and each looks only into the cells next to its own. Some neighbours are missed.
    seed
        Of the k-means.
    first
        Neighbours are sought for the items from this one on; among all.

    Returns
    -------
    int32 array of shape (n - first, k), k = min(n_neighbors, n - 1)

    Raises
    ------
    InvalidInputError
        If there are no items or no neighbours asked for.
    MissingExtraError
        If the set is large and faiss is not installed.

    References
    ----------
    Johnson, Douze, Jégou: Billion-scale similarity search with GPUs. IEEE Transactions on Big Data 7 (2021).
    DOI 10.1109/TBDATA.2019.2921572

    Examples
    --------
    >>> nearest_neighbours(np.array([[0.0], [1.0], [5.0]]), 1).tolist()
    [[1], [0], [1]]
    """
    if n_neighbors < 1 or len(features) < 1:
        raise InvalidInputError(
            f"n_neighbors and the number of items must be at least 1. Got {n_neighbors} and {len(features)}."
        )
    wanted = min(n_neighbors, len(features) - 1)
    progress = progress or LogProgress()
    progress.stage("neighbours", len(features) - first)
    if wanted == 0:
        return np.empty((len(features) - first, 0), dtype=np.int32)
    if len(features) <= largest_exact:
        return _exact(features, wanted, first, progress)
    return _by_cells(features, wanted, first, seed, progress)


def _exact(
    features: Float[np.ndarray, "n f"], wanted: int, first: int, progress: ScaleProgress
) -> np.ndarray:
    points = np.asarray(features, dtype=np.float32)
    points = points - points.mean(axis=0)  # smaller numbers cancel less
    squares = np.einsum("nf,nf->n", points, points)
    found = np.empty((len(points) - first, wanted), dtype=np.int32)
    step = max(1, _BLOCK_NUMBERS // len(points))
    for start in range(first, len(points), step):
        block = points[start : start + step]
        distances = squares - 2 * (block @ points.T)  # the block's own squares change no order
        rows = np.arange(len(block))
        distances[rows, start + rows] = np.inf
        # numpy's argpartition takes 2.6 times as long, and as many 64-bit numbers as there are distances.
        nearest = torch.topk(torch.from_numpy(distances), wanted, largest=False).indices.numpy()
        found[start - first : start - first + step] = nearest
        progress.advance(start - first + len(block))
    return found


def _by_cells(
    features: Float[np.ndarray, "n f"], wanted: int, first: int, seed: int, progress: ScaleProgress
) -> np.ndarray:
    index = _cell_index(features, seed)
    found = np.empty((len(features) - first, wanted), dtype=np.int32)
    for start in range(first, len(features), _QUERIES):
        block = _block(features, start)
        _, nearest = index.search(block, wanted + 1)
        place = start - first
        found[place : place + _QUERIES] = _others(nearest, start, wanted, len(features))
        progress.advance(place + len(block))
    return found


def _cell_index(features: Float[np.ndarray, "n f"], seed: int) -> Any:
    try:
        import faiss
    except ImportError as error:
        raise MissingExtraError("faiss-cpu", "scale", "a set of this size") from error
    n_items, width = features.shape
    n_cells = int(4 * np.sqrt(n_items))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(width), width, n_cells)
    index.cp.seed = seed + 1  # 0 would mean faiss's own
    index.cp.niter = 10
    n_points = min(n_items, _TRAINING_POINTS_PER_CELL * n_cells)
    sample = np.sort(np.random.default_rng(seed).choice(n_items, n_points, replace=False))
    index.train(np.ascontiguousarray(features[sample], dtype=np.float32))
    for start in range(0, n_items, _QUERIES):
        index.add(_block(features, start))
    index.nprobe = max(8, int(n_cells * _PROBED_SHARE))
    return index


def _block(features: Float[np.ndarray, "n f"], start: int) -> Float[np.ndarray, "q f"]:
    return np.ascontiguousarray(features[start : start + _QUERIES], dtype=np.float32)


def _others(nearest: Int[np.ndarray, "q k"], start: int, wanted: int, n_items: int) -> Int[np.ndarray, "q j"]:
    """Without the item itself, which need not come first among equals; gaps (-1) repeat the nearest one."""
    own = np.arange(start, start + len(nearest))[:, None]
    is_other = (nearest != own) & (nearest >= 0)
    order = np.argsort(~is_other, axis=1, kind="stable")[:, :wanted]
    found = np.take_along_axis(nearest, order, axis=1)
    usable = np.take_along_axis(is_other, order, axis=1)
    # An item whose cells hold nothing else is far from all: any neighbour is as good as another.
    first = np.where(usable[:, :1], found[:, :1], (own + 1) % n_items)
    return np.where(usable, found, first).astype(np.int32)
