"""Random change of a step's items, and the random stream it draws from."""

from collections.abc import Callable

import torch
from torch import Tensor

from abclust.datasets.image_augmentation import AugmentationConfig, augment
from abclust.foundations.random_state import stream

Augmentation = Callable[[Tensor, torch.Generator], Tensor]
"""Items (N, ...) and a generator in, changed items of the same shape out."""


def as_augmentation(wanted: Augmentation | AugmentationConfig | None) -> Augmentation | None:
    """A configuration of image augmentation as a function of items and generator; a function as it is."""
    if isinstance(wanted, AugmentationConfig):
        return lambda items, generator: augment(items, wanted, generator)
    return wanted


def torch_generator(seed: int, *path: int) -> torch.Generator:
    """A torch generator whose numbers depend on `seed` and `path` alone, as :func:`stream` does for numpy.

    Examples
    --------
    >>> first, second = (torch.rand(3, generator=torch_generator(1, 7)) for _ in range(2))
    >>> bool((first == second).all())
    True
    """
    return torch.Generator().manual_seed(int(stream(seed, *path).integers(2**63 - 1)))
