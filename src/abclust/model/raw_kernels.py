"""Many prepared sets through one network: equal sizes together, views averaged as the header asks."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from abclust.foundations.frozen_config import from_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.item_checks import as_items
from abclust.model.point_views import PointViewConfig, point_view_kernels
from abclust.model.vector_views import VectorViewConfig, vector_view_kernels
from abclust.model.view_averaging import PAIRS_AT_ONCE, PAIRS_AT_ONCE_OTHERWISE, ViewConfig, encode_views

Prepared = Shaped[np.ndarray, "_ ..."]
Kernel = Float[np.ndarray, "_ _"]


def raw_kernels(network: ContextKernelNetwork, sets: Sequence[Prepared]) -> list[Kernel]:
    """The raw kernel of each set, in double precision and symmetric to the last bit.

    Sets of one size share forward passes; what a set gets does not depend on its company, beyond rounding.

    Parameters
    ----------
    network
        Its header may ask for ``views`` (images), ``vector_views`` (tables) or ``point_views`` (points of the
        plane): logits are averaged over them.
    sets
        Sets of any sizes, of items as the network takes them; the estimator prepares them as the header says.

    Raises
    ------
    InvalidInputError
        If a set is not of the network's shape or not finite.

    Examples
    --------
    >>> from abclust.zoo.loading import load
    >>> [kernel.shape for kernel in raw_kernels(load("circles"), [np.zeros((3, 2)), np.zeros((1, 2))])]
    [(3, 3), (1, 1)]
    """
    found: list[Kernel] = [np.empty((0, 0))] * len(sets)
    for places in _equal_sizes(network, sets):
        for place, kernel in zip(places, _kernels_of_one_size(network, [sets[place] for place in places])):
            found[place] = kernel
    return found


def _equal_sizes(network: ContextKernelNetwork, sets: Sequence[Prepared]) -> Iterator[list[int]]:
    """Places of sets of one size, as many at once as a forward pass shall hold."""
    budget = PAIRS_AT_ONCE.get(network.config.compatibility, PAIRS_AT_ONCE_OTHERWISE)
    by_size: dict[int, list[int]] = {}
    for place, items in enumerate(sets):
        by_size.setdefault(len(items), []).append(place)
    for n_items, places in by_size.items():
        step = max(1, budget // n_items**2)
        for start in range(0, len(places), step):
            yield places[start : start + step]


def _kernels_of_one_size(network: ContextKernelNetwork, sets: list[Prepared]) -> list[Kernel]:
    if "vector_views" in network.metadata:
        looks = from_dict(VectorViewConfig, network.metadata["vector_views"])
        return [_symmetric(kernel) for kernel in vector_view_kernels(network, np.stack(sets), looks)]
    if "point_views" in network.metadata:
        sides = from_dict(PointViewConfig, network.metadata["point_views"])
        points = _stacked(network, sets).cpu().numpy()
        return [_symmetric(kernel) for kernel in point_view_kernels(network, points, sides)]
    views = from_dict(ViewConfig, network.metadata.get("views", {}))
    if views.count == 1 and len(sets) == 1:  # in blocks of rows, which is how the largest sets fit
        return [_symmetric(network.kernel(sets[0]))]
    with _evaluating(network):
        if views.count == 1:
            logits = network(_stacked(network, sets))
        else:
            encoded = torch.stack([_encode_by_content(network, items, views) for items in sets], dim=1)
            logits = torch.zeros(())
            for view in encoded:
                logits = logits + network.relate(view) / views.count
        return [_symmetric(kernel) for kernel in logits.sigmoid().cpu().numpy()]


def _stacked(network: ContextKernelNetwork, sets: list[Prepared]) -> Float[Tensor, "B n *item"]:
    first = next(network.parameters())
    shape = network.config.item_shape
    return torch.stack([as_items(items, shape, first.dtype, first.device) for items in sets])


def _encode_by_content(
    network: ContextKernelNetwork, images: Shaped[np.ndarray, "n S S"], views: ViewConfig
) -> Float[Tensor, "V n h"]:
    """Encode every view of every different image, in an order that does not depend on that of the items.

    So the order of items does not matter, and equal images are varied alike and stay equal.
    """
    digests = [hashlib.blake2b(image.tobytes(), digest_size=16).hexdigest() for image in images]
    _, first, place = np.unique(digests, return_index=True, return_inverse=True)
    return encode_views(network, images[first], views)[:, place]


def _symmetric(kernel: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    double = kernel.astype(np.float64)
    return (double + double.T) / 2


@contextmanager
def _evaluating(network: ContextKernelNetwork) -> Iterator[None]:
    """Without gradients and in evaluation mode; afterwards in the mode that the network came in."""
    was_training = network.training
    network.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        network.train(was_training)
