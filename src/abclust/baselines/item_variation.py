"""Copies of items that are still the same items: what systems that train on a set see instead of it."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from abclust.datasets.image_augmentation import AugmentationConfig, augment
from abclust.foundations.errors import InvalidInputError


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
