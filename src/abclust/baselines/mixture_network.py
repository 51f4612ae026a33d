"""A Set Transformer that reads the parameters of a mixture of Gaussians off a set."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import softplus

from abclust.attention.visibility import Visibility
from abclust.baselines.induced_attention import ISAB, PMA, build_mab
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class Mixture:
    """Mixtures of k Gaussians with diagonal covariance, one for each set of a batch."""

    log_weights: Float[Tensor, "B k"]
    means: Float[Tensor, "B k d"]
    scales: Float[Tensor, "B k d"]

    def log_joint(self, items: Float[Tensor, "B n d"]) -> Float[Tensor, "B n k"]:
        r""":math:`\log \pi_j + \log N(x_i; \mu_j, \operatorname{diag} \sigma_j^2)` of every item and j."""
        standard = (items[:, :, None] - self.means[:, None]) / self.scales[:, None]
        normaliser = self.scales.log().sum(-1) + items.shape[-1] * math.log(2 * math.pi) / 2
        return self.log_weights[:, None] - normaliser[:, None] - standard.square().sum(-1) / 2


class MixtureNetwork(nn.Module):
    """Linear, two ISABs, PMA with one seed a component, one SAB, Linear (authors' code, with fewer SABs).

    Parameters
    ----------
    n_features
        d, numbers that describe an item.
    n_components
        k, fixed once and for all: the limit that the paper names (Sec. 6).
    width, heads, n_induced
        Of the attention.
    """

    features_mean: Tensor
    features_axes: Tensor
    smallest_scale: Tensor

    def __init__(
        self,
        encoded_width: int,
        n_features: int,
        n_components: int,
        width: int = 128,
        heads: int = 4,
        n_induced: int = 32,
    ) -> None:
        super().__init__()
        if not 1 <= n_features <= encoded_width:
            raise InvalidInputError(
                f"n_features must lie in 1 to the encoder's width ({encoded_width}). Got {n_features}."
            )
        self.first = nn.Linear(n_features, width)
        self.blocks = nn.ModuleList(ISAB(n_induced, width, heads) for _ in range(2))
        self.pool = PMA(n_components, width, heads)
        self.decode = build_mab(width, heads)
        self.last = nn.Linear(width, 1 + 2 * n_features)
        self.register_buffer("features_mean", torch.zeros(encoded_width))
        self.register_buffer("features_axes", torch.eye(encoded_width)[:, :n_features].clone())
        self.register_buffer("smallest_scale", torch.full((n_features,), 1e-3))

    def describe(self, encoded: Float[Tensor, "N e"]) -> Float[Tensor, "N d"]:
        """Encoded items on the axes that the mixture lives in."""
        return (encoded - self.features_mean) @ self.features_axes

    def forward(self, items: Float[Tensor, "B n d"], mask: Bool[Tensor, "B n"] | None = None) -> Mixture:
        hidden = self.first(items)
        visibility = Visibility.of(hidden, mask)
        for block in self.blocks:
            hidden = block(hidden, visibility)
        pooled = self.pool(hidden, visibility)
        pooled = self.decode(pooled, pooled, pooled)
        raw = self.last(pooled)
        means, scales = raw[..., 1:].chunk(2, dim=-1)
        # A Gaussian on a single item has any likelihood it likes: none is narrower than a class is wide.
        return Mixture(raw[..., 0].log_softmax(-1), means, self.smallest_scale + softplus(scales))


def mixture_loss(
    network: MixtureNetwork, items: Float[Tensor, "B n d"], mask: Bool[Tensor, "B n"] | None = None
) -> Float[Tensor, ""]:
    r"""Minus the mean log likelihood of the items under their own set's mixture.

    .. math:: -\frac1n \sum_i \log \sum_j \pi_j(X) \, N(x_i; \mu_j(X), \sigma_j(X))

    Labels play no part in it.

    Examples
    --------
    >>> loss = mixture_loss(MixtureNetwork(2, 2, 3, width=8, heads=2), torch.randn(5, 7, 2))
    >>> loss.shape
    torch.Size([])
    """
    likelihoods = network(items, mask).log_joint(items).logsumexp(-1)
    return -(likelihoods.mean() if mask is None else likelihoods[mask].mean())
