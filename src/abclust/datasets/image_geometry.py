"""Where a bent image looks: the two pieces that variation of an image and of a class have in common."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def turn_and_slant(angle: Float[Tensor, " N"], shear: Float[Tensor, " N"]) -> Float[Tensor, "N 2 2"]:
    """A rotation by each angle (radians), after a horizontal shift of `shear` for each unit of height.

    Examples
    --------
    >>> turn_and_slant(torch.zeros(1), torch.tensor([0.5]))[0].tolist()
    [[1.0, 0.5], [0.0, 1.0]]
    """
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], dim=1).view(-1, 2, 2)
    slant = torch.eye(2, device=shear.device, dtype=shear.dtype).repeat(len(shear), 1, 1)
    slant[:, 0, 1] = shear
    return turn @ slant


def smooth_displacement(
    like: Tensor, count: int, cells: int, generator: torch.Generator
) -> Float[Tensor, "N S S 2"]:
    """Random shifts of deviation 1 at `cells` x `cells` knots, interpolated to the images' size.

    Parameters
    ----------
    like
        Images (_, S, S): size, type and place of the result.
    count
        How many.
    cells
        Knots along a side.
    generator
        The source of all random numbers.
    """
    knots = torch.randn((count, 2, cells, cells), generator=generator, device=generator.device)
    size = (like.shape[1], like.shape[1])
    smooth = F.interpolate(knots.to(like), size=size, mode="bicubic", align_corners=True)
    return smooth.permute(0, 2, 3, 1)
