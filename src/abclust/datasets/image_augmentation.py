"""Random variation of handwriting as batched tensor work: affine, elastic, stroke width, framing.

All geometry goes into one sampling grid, so an image is interpolated once however many kinds of variation are
on.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F

from abclust.datasets.image_geometry import smooth_displacement, turn_and_slant
from abclust.foundations.errors import InvalidInputError

INK_THRESHOLD = 0.2
"""As in the framing of images: what counts as ink when its box is looked for."""


@dataclass(frozen=True)
class AugmentationConfig:
    """How far images are varied; 0 (or None) turns a kind off.

    Geometry and `stroke` are drawn anew for each image. The pen and the scanner, `bold` and `coarse`, are
    those of a whole call: a set comes from one source. The defaults are the affine part of the recipe that
    carried furthest in our probes (ours).
    """

    rotation: float = 15.0
    """Degrees to either side, uniform."""
    scale: float = 0.15
    """Share by which height and width grow or shrink, each on its own, uniform."""
    shear: float = 0.2
    """Horizontal shift for each unit of height, uniform to either side."""
    shift: float = 0.15
    """Share of the side by which the image moves in both directions, uniform."""
    elastic: float = 0.0
    """Standard deviation, in pixels, of a smooth random displacement."""
    elastic_cells: int = 4
    """Knots along a side between which the displacement is interpolated."""
    stroke: float = 0.0
    """At 1, strokes grow or shrink by up to a pixel on each side; below, blended with the image itself."""
    ink_size: tuple[float, float] | None = None
    """Crop to the ink, its longer side scaled to pixels drawn from this range: framing jitter."""
    bold: float = 0.0
    """Pixels by which all strokes of a call grow besides, at most, in `bold_share` of the calls."""
    bold_share: float = 0.5
    coarse: float = 0.0
    """Share of the calls whose images are shown as if they had been stored with fewer pixels."""
    coarsest: int = 11
    """Pixels along a side then, at least; log-uniform up to all of them."""

    def __post_init__(self) -> None:
        amounts = (self.rotation, self.scale, self.shear, self.shift, self.elastic, self.stroke, self.bold)
        if min(amounts) < 0 or self.scale >= 1 or self.stroke > 1 or self.elastic_cells < 2:
            raise InvalidInputError(
                "amounts must not be negative, scale below 1, stroke at most 1, elastic_cells at least 2. "
                f"Got {self}."
            )
        if not (0 <= self.coarse <= 1 and 0 < self.bold_share <= 1) or self.coarsest < 1:
            raise InvalidInputError(
                f"coarse and bold_share must be shares and coarsest at least 1. Got {self}."
            )
        if self.ink_size is not None and not 0 < self.ink_size[0] <= self.ink_size[1]:
            raise InvalidInputError(
                f"ink_size must be a range (smallest, largest) above 0. Got {self.ink_size}."
            )


AUTHORS_AUGMENTATION = AugmentationConfig(rotation=15.0, scale=0.0, shear=0.0, shift=0.0)
"""(authors' code) torchvision's RandomAffine(15): rotation alone."""


def augment(
    images: Float[Tensor, "N S S"], config: AugmentationConfig, generator: torch.Generator
) -> Float[Tensor, "N S S"]:
    """Vary images: geometry first, then the width of strokes, then how fine they are.

    Parameters
    ----------
    images
        Ink = 1 on 0.
    config
        How far.
    generator
        The source of all random numbers; the same state gives the same images.

    Examples
    --------
    >>> images = torch.zeros(2, 7, 7)
    >>> images[:, 3, 1:6] = 1.0
    >>> varied = augment(images, AugmentationConfig(stroke=0.5), torch.Generator().manual_seed(0))
    >>> varied.shape, bool((varied[0] != varied[1]).any())
    (torch.Size([2, 7, 7]), True)
    """
    grid = F.affine_grid(
        _affine(images, config, generator), [len(images), 1, *images.shape[1:]], align_corners=False
    )
    if config.elastic > 0:
        grid = grid + _elastic_displacement(images, config, generator)
    moved = F.grid_sample(
        images.unsqueeze(1), grid, mode="bilinear", padding_mode="zeros", align_corners=False
    )
    varied = moved.squeeze(1)
    if config.stroke > 0:
        varied = vary_stroke_width(varied, _symmetric(images, (len(images),), generator) * config.stroke)
    if config.bold > 0:
        rest = 1.0 - float(_uniform(images, (), generator))
        varied = embolden(varied, max(0.0, 1.0 - rest / config.bold_share) * config.bold)
    if config.coarse > 0:
        is_coarse, size = torch.rand(2, generator=generator, device=generator.device).tolist()
        finest = images.shape[1]
        if is_coarse < config.coarse:
            varied = coarsen(varied, round(config.coarsest * (finest / config.coarsest) ** size))
    return varied


def vary_stroke_width(images: Float[Tensor, "N S S"], amounts: Float[Tensor, " N"]) -> Float[Tensor, "N S S"]:
    r"""Blend each image with its dilation (amount > 0) or its erosion (amount < 0), both over 3 x 3 pixels.

    .. math:: (1 - |a|) X + |a| Y, \quad Y = \max_{3 \times 3} X \;(a > 0), \; \min_{3 \times 3} X \;(a < 0)
    """
    amounts = amounts[:, None, None]
    dilated = F.max_pool2d(images.unsqueeze(1), 3, stride=1, padding=1).squeeze(1)
    eroded = -F.max_pool2d(-images.unsqueeze(1), 3, stride=1, padding=1).squeeze(1)
    return images + amounts.clamp(min=0) * (dilated - images) - amounts.clamp(max=0) * (eroded - images)


def embolden(images: Float[Tensor, "N S S"], pixels: float) -> Float[Tensor, "N S S"]:
    """Strokes that many pixels wider on each side: a dilation for each whole one, a blend for the rest.

    Examples
    --------
    >>> dot = torch.zeros(1, 5, 5)
    >>> dot[0, 2, 2] = 1.0
    >>> embolden(dot, 1.5)[0, 2].tolist()
    [0.5, 1.0, 1.0, 1.0, 0.5]
    """
    while pixels > 0:
        dilated = F.max_pool2d(images.unsqueeze(1), 3, stride=1, padding=1).squeeze(1)
        images = torch.lerp(images, dilated, min(pixels, 1.0))
        pixels -= 1.0
    return images


def coarsen(images: Float[Tensor, "N S S"], size: int) -> Float[Tensor, "N S S"]:
    """Shrink to `size` x `size` pixels by area, and stretch back: what a coarser source would have kept.

    Examples
    --------
    >>> coarsen(torch.eye(4)[None], 2)[0].max().item() < 1.0
    True
    """
    side = images.shape[1]
    if size >= side:
        return images
    small = F.interpolate(images.unsqueeze(1), size=(size, size), mode="area")
    return F.interpolate(small, size=(side, side), mode="bilinear", align_corners=False).squeeze(1)


def _affine(
    images: Float[Tensor, "N S S"], config: AugmentationConfig, generator: torch.Generator
) -> Float[Tensor, "N 2 3"]:
    """Where each output place looks in the input: x = c + f M (y - t), in coordinates from -1 to 1."""
    n = len(images)
    angle = torch.deg2rad(_symmetric(images, (n,), generator) * config.rotation)
    shear = _symmetric(images, (n,), generator) * config.shear
    scale = 1 + _symmetric(images, (n, 2), generator) * config.scale
    shift = _symmetric(images, (n, 2, 1), generator) * 2 * config.shift  # the side is 2 in these coordinates
    # columns divided: what grows is looked at more finely
    look = turn_and_slant(angle, shear) / scale.unsqueeze(1)
    if config.ink_size is None:
        return torch.cat([look, -look @ shift], dim=2)
    centre, longer_side = _ink_boxes(images)
    smallest, largest = config.ink_size
    wanted = smallest + (largest - smallest) * _uniform(images, (n,), generator)
    look = look * (longer_side / wanted).view(n, 1, 1)
    return torch.cat([look, centre.unsqueeze(2) - look @ shift], dim=2)


def _ink_boxes(images: Float[Tensor, "N S S"]) -> tuple[Float[Tensor, "N 2"], Float[Tensor, " N"]]:
    """Centre (x, y) from -1 to 1 and longer side in pixels of the ink's box; the whole frame if blank."""
    side = images.shape[1]
    is_ink = images > INK_THRESHOLD
    is_blank = ~is_ink.flatten(1).any(dim=1)
    (left, right), (top, bottom) = (_extent(is_ink.any(dim=axis)) for axis in (1, 2))
    centre = torch.stack([left + right, top + bottom], dim=1) / side - 1
    longer_side = torch.maximum(right - left, bottom - top)
    return centre.masked_fill(is_blank[:, None], 0.0), longer_side.masked_fill(is_blank, float(side))


def _extent(is_used: Bool[Tensor, "N S"]) -> tuple[Float[Tensor, " N"], Float[Tensor, " N"]]:
    """First and one past the last True of each row, as floats."""
    used = is_used.float()
    return used.argmax(dim=1).float(), is_used.shape[1] - used.flip(1).argmax(dim=1).float()


def _elastic_displacement(
    images: Float[Tensor, "N S S"], config: AugmentationConfig, generator: torch.Generator
) -> Float[Tensor, "N S S 2"]:
    shifts = smooth_displacement(images, len(images), config.elastic_cells, generator)
    return shifts * (config.elastic * 2 / images.shape[1])


def _uniform(like: Tensor, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=generator, device=generator.device).to(like)


def _symmetric(like: Tensor, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Uniform between -1 and 1."""
    return 2 * _uniform(like, shape, generator) - 1
