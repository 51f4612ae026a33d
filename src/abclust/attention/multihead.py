"""Multi-head attention (paper Sec. 2.2) with any compatibility."""

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear

from abclust.attention.compatibility import Compatibility
from abclust.attention.visibility import Visibility
from abclust.foundations.errors import InvalidInputError


class MultiHeadAttention(nn.Module):
    """MHA(Q, K, V) = concat(O_1, ..., O_h) W_O with O_j = Att(Q W_j^q, K W_j^k, V W_j^v).

    Parameters
    ----------
    width
        d, the width of queries, keys and values.
    heads
        h, the number of heads.
    compatibility
        Scores (B, heads, m, p) queries against (B, heads, n, p) keys.
    head_width
        p, the width of one head; d / h unless given ("typically set to", paper Sec. 2.2).
    output_projection
        Whether there is a W_O. Without it (authors' code on circles) heads x p must be d.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        compatibility: Compatibility,
        head_width: int | None = None,
        output_projection: bool = True,
    ) -> None:
        super().__init__()
        self.heads = heads
        self.compatibility = compatibility
        inner = heads * width_of_a_head(width, heads, head_width)
        if not output_projection and inner != width:
            raise InvalidInputError(
                f"heads x head_width must be the width ({width}) when output_projection is False. "
                f"Got {inner}."
            )
        # One matrix for the three projections: one product instead of three when Q, K and V are the same set.
        self.projection = nn.Parameter(torch.empty(3, inner, width))
        for part in self.projection:
            nn.init.xavier_uniform_(part)
        self.output = nn.Linear(inner, width, bias=False) if output_projection else nn.Identity()

    def forward(
        self,
        queries: Float[Tensor, "B m h"],
        keys: Float[Tensor, "B n h"],
        values: Float[Tensor, "B n h"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B m h"]:
        if queries is keys and keys is values:
            projected = linear(queries, self.projection.flatten(0, 1)).chunk(3, dim=-1)
        else:
            projected = [linear(x, w) for x, w in zip((queries, keys, values), self.projection, strict=True)]
        q, k, v = (rearrange(x, "B n (heads p) -> B heads n p", heads=self.heads) for x in projected)
        if visibility.row_bias is None:
            attended = self.compatibility.attend(q, k, v, visibility)
        else:
            parts = visibility.parts(q.shape[2])
            attended = torch.cat(
                [self.compatibility.attend(q[:, :, rows], k, v, seen) for rows, seen in parts], dim=2
            )
        return self.output(rearrange(attended, "B heads n p -> B n (heads p)"))


def width_of_a_head(width: int, heads: int, head_width: int | None = None) -> int:
    """p: the chosen width, or d / h where h divides d."""
    if head_width is not None:
        return head_width
    if width % heads:
        raise InvalidInputError(
            "width must be a multiple of heads unless head_width is given. "
            f"Got width {width} and {heads} heads."
        )
    return width // heads
