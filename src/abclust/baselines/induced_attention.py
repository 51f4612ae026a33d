"""The two blocks of the Set Transformer that the paper's network does without: ISAB and PMA."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from abclust.attention.blocks import MAB, FeedForward
from abclust.attention.compatibility import build_compatibility
from abclust.attention.multihead import MultiHeadAttention, width_of_a_head
from abclust.attention.visibility import Visibility


class PMA(nn.Module):
    r"""Pooling by attention: a fixed number of learned seeds look at the set.

    .. math:: \mathrm{PMA}_m(X) = \mathrm{MAB}(S, X, X), \qquad S \in \mathbb{R}^{m \times h}

    Parameters
    ----------
    n_seeds
        m, the rows that come out whatever the size of the set.
    width, heads
        Of the attention.

    References
    ----------
    Lee, Lee, Kim, Kosiorek, Choi, Teh, "Set Transformer", ICML 2019. DOI 10.48550/arXiv.1810.00825

    Examples
    --------
    >>> PMA(3, width=8, heads=2)(torch.randn(2, 5, 8)).shape
    torch.Size([2, 3, 8])
    """

    def __init__(self, n_seeds: int, width: int, heads: int) -> None:
        super().__init__()
        self.seeds = nn.Parameter(torch.empty(n_seeds, width))
        nn.init.xavier_uniform_(self.seeds)
        self.attention = build_mab(width, heads)

    def forward(
        self,
        items: Float[Tensor, "B n h"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B m h"]:
        seeds = self.seeds.expand(len(items), -1, -1)
        return self.attention(seeds, items, items, visibility)


class ISAB(nn.Module):
    r"""Self-attention by way of m inducing points: O(n m) instead of O(n^2).

    .. math:: \mathrm{ISAB}_m(X) = \mathrm{MAB}(X, H, H), \qquad H = \mathrm{PMA}_m(X)

    Parameters
    ----------
    n_induced
        m.
    width, heads
        Of both attentions.

    References
    ----------
    Lee, Lee, Kim, Kosiorek, Choi, Teh, "Set Transformer", ICML 2019. DOI 10.48550/arXiv.1810.00825

    Examples
    --------
    >>> ISAB(3, width=8, heads=2)(torch.randn(2, 5, 8)).shape
    torch.Size([2, 5, 8])
    """

    def __init__(self, n_induced: int, width: int, heads: int) -> None:
        super().__init__()
        self.induce = PMA(n_induced, width, heads)
        self.attention = build_mab(width, heads)

    def forward(
        self,
        items: Float[Tensor, "B n h"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B n h"]:
        induced = self.induce(items, visibility)
        return self.attention(items, induced, induced)


def build_mab(width: int, heads: int) -> MAB:
    """A multi-head attention block with multiplicative compatibility, as in both references."""
    compatibility = build_compatibility("multiplicative", width_of_a_head(width, heads), heads)
    return MAB(MultiHeadAttention(width, heads, compatibility), FeedForward(width, 2 * width), width)
