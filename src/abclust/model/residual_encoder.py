"""A deeper image encoder that keeps where things are: residual units, and a map of 4 x 4 at the end."""

from collections.abc import Sequence
from itertools import chain

import torch
from jaxtyping import Float
from torch import Tensor, nn

from abclust.foundations.errors import InvalidInputError

RESIDUAL_CHANNELS = (48, 96, 192)
RESIDUAL_UNITS = (0, 1, 1)  # none at the highest resolution, where one costs as much as all the rest


class ResidualUnit(nn.Module):
    """x + relu(batch norm(conv 3 x 3 (x))): depth that can be learnt away (He et al. 2016).

    References
    ----------
    K. He, X. Zhang, S. Ren and J. Sun, "Deep residual learning for image recognition", CVPR 2016,
    doi:10.1109/CVPR.2016.90.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.branch = conv_norm_relu(channels, channels)

    def forward(self, maps: Float[Tensor, "N c h w"]) -> Float[Tensor, "N c h w"]:
        return maps + self.branch(maps)


class ResidualEncoder(nn.Module):
    """Stages of convolution and residual units on a grey image, behind a pixel-unshuffle (ours).

    Between stages the maps are halved by max pooling, an odd side upwards, so that no row of the image is
    left out; after the last stage they are not pooled but flattened: 28 x 28 pixels end as 4 x 4 places. A
    character is told from its neighbour in the alphabet by *where* a stroke is, which pooling to one place
    forgets.

    Parameters
    ----------
    image_size
        Height and width of an image; even.
    channels
        Channels of the stages.
    units
        Residual units of each stage, after its first convolution.

    Raises
    ------
    InvalidInputError
        If the side is odd, or `channels` and `units` are of different lengths.

    Examples
    --------
    >>> encoder = ResidualEncoder(28, (3, 5, 7))
    >>> encoder.out_features, encoder(torch.zeros(2, 28, 28)).shape
    (112, torch.Size([2, 112]))
    """

    def __init__(
        self,
        image_size: int,
        channels: Sequence[int] = RESIDUAL_CHANNELS,
        units: Sequence[int] = RESIDUAL_UNITS,
    ) -> None:
        super().__init__()
        if image_size % 2:
            raise InvalidInputError(f"image_size must be even for the unshuffle. Got {image_size}.")
        if len(channels) != len(units):
            raise InvalidInputError(
                "encoder_channels and encoder_units must have one entry for each stage. "
                f"Got {tuple(channels)} and {tuple(units)}."
            )
        widths = (4, *channels)  # the pixel-unshuffle makes four channels of one
        stages = [
            [conv_norm_relu(before, width), *(ResidualUnit(width) for _ in range(depth))]
            for before, width, depth in zip(widths, channels, units, strict=False)
        ]
        pools = [[nn.MaxPool2d(2, ceil_mode=True)] for _ in stages[1:]] + [[]]
        self.unshuffle = nn.PixelUnshuffle(2)
        self.stages = nn.Sequential(*chain.from_iterable(map(chain, stages, pools)))
        self.stages.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        side = image_size // 2
        for _ in stages[1:]:
            side = (side + 1) // 2
        self.out_features = channels[-1] * side * side

    def forward(self, images: Float[Tensor, "N H W"]) -> Float[Tensor, "N f"]:
        maps = self.unshuffle(images[:, None]).contiguous(memory_format=torch.channels_last)
        return self.stages(maps).flatten(1)


def conv_norm_relu(channels_in: int, channels_out: int) -> nn.Sequential:
    """A 3 x 3 convolution that keeps the size, batch norm, ReLU."""
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel_size=3, padding=1, bias=False),  # batch norm has one
        nn.BatchNorm2d(channels_out),
        nn.ReLU(),
    )
