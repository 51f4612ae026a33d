"""New characters from old ones: every class of a pool bent in a way of its own, the same for all its items.

Twenty people drew each character, and a network soon knows the few hundred characters by heart. A strong bend
that all twenty drawings share makes another character of them, with the variation between people kept; and
there is no end of bends (ours; rotations by quarter turns as further classes, as in Santoro et al. 2016,
arXiv:1605.06065, are the special case of four of them).
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from abclust.datasets.image_geometry import smooth_displacement, turn_and_slant
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ClassWarpConfig:
    """How far a class is bent; drawn once for each class."""

    rotation: float = 30.0
    """Degrees to either side, uniform."""
    shear: float = 0.4
    """Horizontal shift for each unit of height, uniform to either side."""
    scale: float = 0.25
    """Logarithm by which height and width grow or shrink, each on its own, uniform to either side."""
    elastic: float = 0.09
    """Largest standard deviation of a smooth displacement, as a share of the side; uniform from 0."""
    elastic_cells: int = 4
    """Knots along a side between which the displacement is interpolated."""

    def __post_init__(self) -> None:
        if min(self.rotation, self.shear, self.scale, self.elastic) < 0 or self.elastic_cells < 2:
            raise InvalidInputError(
                f"amounts must not be negative, and elastic_cells at least 2. Got {self}."
            )


def warp_classes(
    images: Float[Tensor, "N S S"],
    labels: Int[Tensor, " N"],
    config: ClassWarpConfig,
    generator: torch.Generator,
) -> Float[Tensor, "N S S"]:
    """Bend all images of a class in the same way, and each class in another.

    Parameters
    ----------
    images
        Ink = 1 on 0.
    labels
        The class of each image, from 0.
    config
        How far.
    generator
        The source of all random numbers.

    Examples
    --------
    >>> images = torch.zeros(4, 9, 9)
    >>> images[:, 2:7, 4] = 1.0
    >>> labels = torch.tensor([0, 1, 0, 1])
    >>> bent = warp_classes(images, labels, ClassWarpConfig(), torch.Generator().manual_seed(0))
    >>> torch.equal(bent[0], bent[2]), torch.equal(bent[0], bent[1])
    (True, False)
    """
    n_classes, side = int(labels.max()) + 1, images.shape[1]

    def uniform(*shape: int) -> Tensor:
        return (2 * torch.rand(shape, generator=generator, device=generator.device) - 1).to(images)

    angle = torch.deg2rad(uniform(n_classes) * config.rotation)
    look = turn_and_slant(angle, uniform(n_classes) * config.shear)
    look = look * torch.exp(uniform(n_classes, 1, 2) * config.scale)
    affine = torch.cat([look, torch.zeros_like(look[..., :1])], dim=2)
    grid = F.affine_grid(affine, [n_classes, 1, side, side], align_corners=False)
    bend = smooth_displacement(images, n_classes, config.elastic_cells, generator)
    amounts = uniform(n_classes, 1, 1, 1).abs() * config.elastic * 2  # the side is 2 in these coordinates
    grid = grid + bend * amounts
    return F.grid_sample(
        images.unsqueeze(1), grid[labels], mode="bilinear", padding_mode="zeros", align_corners=False
    ).squeeze(1)
