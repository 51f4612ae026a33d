"""Copies of items that are still the same items: what systems that train on a set see instead of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from abclust.datasets.image_augmentation import AugmentationConfig, augment
from abclust.foundations.errors import InvalidInputError
from abclust.training.augmentation import torch_generator

Copies = Callable[[Tensor, torch.Generator], Tensor]
"""``copies(places (m,), generator) -> items (m, ...)``: what an update sees of the items at these places."""

_COPIES = 2**31 + 5  # a branch of the tree of random streams that no update uses


@dataclass(frozen=True)
class ItemVariation:
    """How far copies differ: images by geometry, vectors by noise."""

    images: AugmentationConfig = field(
        default_factory=lambda: AugmentationConfig(rotation=5.0, scale=0.15, shear=0.15, shift=0.1)
    )
    """Of images (n, H, W)."""
    noise: float = 0.05
    """Of vectors (n, d): Gaussian, in units of each feature's own deviation within the set (ours)."""

    def __post_init__(self) -> None:
        if self.noise < 0:
            raise InvalidInputError(f"noise must not be negative. Got {self.noise}.")


def vary(
    items: Float[Tensor, "n *item"],
    variation: ItemVariation,
    deviations: Float[Tensor, "*item"],
    generator: torch.Generator,
) -> Float[Tensor, "n *item"]:
    """A changed copy of each item.

    Parameters
    ----------
    items
        Images or vectors; a part of a set.
    variation
        How far.
    deviations
        The deviation of each feature within the whole set; images do not need it.
    generator
        What draws.

    Examples
    --------
    >>> points = torch.zeros(5, 2)
    >>> varied = vary(points, ItemVariation(noise=1.0), torch.tensor([0.0, 1.0]), torch.Generator())
    >>> bool((varied[:, 0] == 0).all()), bool((varied[:, 1] != 0).any())
    (True, True)
    """
    if items.ndim == 3:
        return augment(items, variation.images, generator)
    noise = torch.randn(items.shape, generator=generator, dtype=items.dtype)
    return items + variation.noise * deviations * noise


def varied_items(items: Float[Tensor, "n *item"], variation: ItemVariation) -> Copies:
    """Copies of the items themselves, varied anew each time."""
    deviations = items.std(dim=0)
    return lambda places, generator: vary(items[places], variation, deviations, generator)


def drawn_copies(encoded: Float[Tensor, "n copies h"]) -> Copies:
    """One of the copies of each item that were encoded beforehand."""

    def draw(places: Tensor, generator: torch.Generator) -> Tensor:
        return encoded[places, torch.randint(encoded.shape[1], (len(places),), generator=generator)]

    return draw


def encoded_copies(
    encode: Callable[[np.ndarray], np.ndarray],
    items: Float[np.ndarray, "n *item"],
    variation: ItemVariation,
    n_copies: int,
    seed: int,
) -> Float[np.ndarray, "n copies h"]:
    """Several looks at each item, encoded once and for all; the first one is unvaried.

    Parameters
    ----------
    encode
        ``encode(items) -> vectors (n, h)``.
    items
        Images (n, H, W) or vectors (n, d).
    variation
        How far the others differ.
    n_copies
        How many.
    seed
        Of the variation.
    """
    copies = varied_items(torch.from_numpy(items), variation)
    everything = torch.arange(len(items))
    varied = (copies(everything, torch_generator(seed, _COPIES, n)).numpy() for n in range(1, n_copies))
    return np.stack([encode(items), *map(encode, varied)], axis=1)
