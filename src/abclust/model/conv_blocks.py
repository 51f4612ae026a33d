"""The ConvBlock of the paper's Figure 3, and the same block made fast where its input is a bare image."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import conv2d, pad

# Maps of this many images stay in the cache of a core between convolution and pooling.
IMAGES_AT_ONCE = 32


class ConvBlock(nn.Sequential):
    """Conv2d 3 x 3 with padding 1, batch norm, max pooling 2, ReLU (paper Figure 3).

    The figure has ReLU before the pooling. Both are monotone, so they commute exactly, in value and gradient,
    and after the pooling there is a quarter of the numbers left (ours).
    """

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__(
            nn.Conv2d(channels_in, channels_out, kernel_size=3, padding=1, bias=False),  # batch norm has one
            nn.BatchNorm2d(channels_out),
            nn.MaxPool2d(2),
            nn.ReLU(),
        )


class ImageConvBlock(ConvBlock):
    """A ConvBlock on one grey channel, whose batch norm never looks at the maps it normalises (ours).

    A convolution is linear in the nine pixels x it sees, so the mean and variance of its maps follow from the
    mean m and covariance S of those pixels,

        E[w . x] = w . m        Var[w . x] = w' S w,

    and batch norm can be folded into the weights *before* the convolution runs, in training too. The maps at
    full resolution are where the paper's CNN spends its time; this way they are written once and read once,
    a few images at a time. The result, all gradients and the running statistics are those of the plain block.
    """

    def __init__(self, channels_out: int) -> None:
        super().__init__(1, channels_out)

    def forward(self, input: Float[Tensor, "N 1 H W"]) -> Float[Tensor, "N c h w"]:
        conv, norm, pool, relu = self
        # In evaluation the statistics are known; batch norm of another kind (over many processes, say) and
        # a batch without images are left to torch.
        if not isinstance(conv, nn.Conv2d) or not isinstance(norm, nn.BatchNorm2d):
            return super().forward(input)
        if not self.training or len(input) == 0:
            return super().forward(input)
        mean, covariance = _moments_of_patches(input)
        weight = conv.weight.flatten(1)  # (c, 9)
        means = weight @ mean
        variances = ((weight @ covariance) * weight).sum(dim=1)
        _update_running_statistics(norm, means, variances, count=input.numel())
        gain = norm.weight * (variances + norm.eps).rsqrt()
        folded = conv.weight * gain[:, None, None, None]
        bias = norm.bias - means * gain
        maps = [relu(pool(conv2d(part, folded, bias, padding=1))) for part in input.split(IMAGES_AT_ONCE)]
        return torch.cat(maps)


def _moments_of_patches(
    images: Float[Tensor, "N 1 H W"],
) -> tuple[Float[Tensor, "9"], Float[Tensor, "9 9"]]:
    """Mean and covariance of the 3 x 3 patches around all pixels, zeros beyond the border."""
    height, width = images.shape[-2:]
    padded = pad(images[:, 0], (1, 1, 1, 1))
    patches = torch.stack(
        [padded[:, i : i + height, j : j + width].flatten() for i in range(3) for j in range(3)]
    )
    mean = patches.mean(dim=1)
    centred = patches - mean[:, None]
    return mean, centred @ centred.T / patches.shape[1]


@torch.no_grad()
def _update_running_statistics(norm: nn.BatchNorm2d, means: Tensor, variances: Tensor, count: int) -> None:
    """As torch does: an exponential average, of the unbiased variance."""
    norm.num_batches_tracked += 1  # type: ignore[operator]
    for running, new in (
        (norm.running_mean, means),
        (norm.running_var, variances * count / max(1, count - 1)),
    ):
        if running is not None:
            running.lerp_(new, norm.momentum or 0.0)
