"""Encoders: each item alone becomes a vector, before it sees its set."""

import math
from itertools import pairwise

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from abclust.foundations.errors import InvalidInputError
from abclust.model.config import ContextKernelConfig
from abclust.model.conv_blocks import ConvBlock, ImageConvBlock
from abclust.model.residual_encoder import RESIDUAL_CHANNELS, RESIDUAL_UNITS, ResidualEncoder

PAPER_CHANNELS = (64, 64, 64, 64)  # (paper Figure 3; Vinyals et al. 2016, arXiv:1606.04080)
FAST_CHANNELS = (48, 96, 192)  # 8 times the images a second of the paper's CNN on two CPU cores (ours)


class FourierFeatures(nn.Module):
    """x, sin(2^j pi x), cos(2^j pi x) for j = 0 ... octaves - 1 (ours; Tancik et al. 2020, arXiv:2006.10739).

    Coordinates that differ by little become vectors that differ by much, which lets attention pick out fine
    geometry such as points on one of several crossing circles.
    """

    def __init__(self, octaves: int) -> None:
        super().__init__()
        self.octaves = octaves

    def forward(self, items: Float[Tensor, "N d"]) -> Float[Tensor, "N f"]:
        frequencies = math.pi * 2.0 ** torch.arange(self.octaves, dtype=items.dtype, device=items.device)
        angles = rearrange(items[..., None] * frequencies, "N d j -> N (d j)")
        return torch.cat([items, angles.sin(), angles.cos()], dim=-1)

    def out_features(self, n_features: int) -> int:
        return n_features * (1 + 2 * self.octaves)


class ImageEncoder(nn.Module):
    """ConvBlocks over one grey channel, flattened; optionally after a pixel-unshuffle.

    The pixel-unshuffle turns each 2 x 2 patch into four channels, so that no convolution runs at full
    resolution: that is where the paper's CNN spends its time. Weights and images are kept channels-last,
    which is about twice as fast on CPUs.
    """

    def __init__(self, image_size: int, channels: tuple[int, ...], unshuffle: bool) -> None:
        super().__init__()
        if unshuffle and image_size % 2:
            raise InvalidInputError(f"image_size must be even for the unshuffle. Got {image_size}.")
        self.unshuffle = nn.PixelUnshuffle(2) if unshuffle else nn.Identity()
        first = ConvBlock(4, channels[0]) if unshuffle else ImageConvBlock(channels[0])
        self.blocks = nn.Sequential(first, *(ConvBlock(a, b) for a, b in pairwise(channels)))
        self.blocks.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        side = (image_size // 2 if unshuffle else image_size) // 2 ** len(channels)
        if side < 1:
            raise InvalidInputError(
                f"image_size must allow {len(channels)} halvings"
                f"{' after the unshuffle' if unshuffle else ''}. Got {image_size}."
            )
        self.out_features = channels[-1] * side * side

    def forward(self, images: Float[Tensor, "N H W"]) -> Float[Tensor, "N f"]:
        maps = self.unshuffle(images[:, None]).contiguous(memory_format=torch.channels_last)
        return self.blocks(maps).flatten(1)


def build_encoder(config: ContextKernelConfig) -> nn.Module:
    """The encoder that `config` names: (N, d) or (N, H, W) items to (N, width) vectors."""
    if config.image_size is not None:
        images = _image_encoder(config, config.image_size)
        return nn.Sequential(images, *_linear_tanh_linear(images.out_features, config.width))
    fourier = FourierFeatures(config.fourier_octaves)
    features = fourier.out_features(config.n_features or 0)
    first = [fourier] if config.fourier_octaves else []
    if config.encoder == "mlp":
        return nn.Sequential(*first, *_linear_tanh_linear(features, config.width))
    if features != config.width:
        raise InvalidInputError(
            f"width must be the number of features ({features}) with the identity encoder. "
            f'Got {config.width}. encoder="mlp" takes any.'
        )
    return nn.Sequential(*first) if first else nn.Identity()


def _image_encoder(config: ContextKernelConfig, image_size: int) -> ImageEncoder | ResidualEncoder:
    if config.encoder == "residual-cnn":
        return ResidualEncoder(
            image_size, config.encoder_channels or RESIDUAL_CHANNELS, config.encoder_units or RESIDUAL_UNITS
        )
    fast = config.encoder == "fast-cnn"
    channels = config.encoder_channels or (FAST_CHANNELS if fast else PAPER_CHANNELS)
    return ImageEncoder(image_size, channels, unshuffle=fast)


def _linear_tanh_linear(features: int, width: int) -> tuple[nn.Module, ...]:
    """(authors' code) The paper does not say how items reach the width of the blocks."""
    return nn.Linear(features, width), nn.Tanh(), nn.Linear(width, width)
