"""The blocks that the network is made of: MAB and SAB (paper Sec. 2.2, Eqs. 1 and 2) and their options."""

from jaxtyping import Float
from torch import Tensor, nn

from abclust.attention.multihead import MultiHeadAttention
from abclust.attention.visibility import Visibility
from abclust.foundations.options import resolve

FEED_FORWARD_ACTIVATIONS: dict[str, type[nn.Module]] = {"gelu": nn.GELU, "relu": nn.ReLU}


class FeedForward(nn.Sequential):
    """FF, element by element: Linear - act - Linear; with ``hidden=None`` a single Linear (authors' code)."""

    def __init__(self, width: int, hidden: int | None, activation: str = "relu") -> None:
        if hidden is None:
            super().__init__(nn.Linear(width, width))
        else:
            act = resolve("feed_forward_activation", activation, FEED_FORWARD_ACTIVATIONS)
            super().__init__(nn.Linear(width, hidden), act(), nn.Linear(hidden, width))


class PlainSkip(nn.Module):
    """x + update."""

    def forward(self, x: Float[Tensor, "B n h"], update: Float[Tensor, "B n h"]) -> Float[Tensor, "B n h"]:
        return x + update


class GatedSkip(nn.Module):
    """2 (1 - g) x + 2 g update with g = sigmoid(x W + b): the paper's own proposal in its Discussion.

    The weighted skip connection of Highway Networks (Srivastava et al. 2015, arXiv:1505.00387): the gate
    learns when to look at the context and when at the item. It starts at g = 1/2, where it is the plain skip.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, width)
        nn.init.zeros_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, x: Float[Tensor, "B n h"], update: Float[Tensor, "B n h"]) -> Float[Tensor, "B n h"]:
        return 2 * x.lerp(update, self.gate(x).sigmoid())


SKIPS = {"plain": lambda width: PlainSkip(), "gated": GatedSkip}


class MAB(nn.Module):
    """MAB(Q, K, V) = LayerNorm(H + FF(H)) with H = LayerNorm(Q + MHA(Q, K, V)) (paper Eqs. 1 and 2).

    Parameters
    ----------
    attention
        MHA.
    feed_forward
        FF, element by element.
    width
        d.
    pre_norm
        H = Q + MHA(LN Q, LN K, LN V) and H + FF(LN H) instead (ours; steadier for deep stacks). A network
        of such blocks ends with one more layer norm.
    skip
        "plain" (paper) or "gated" (the paper's Discussion).
    """

    def __init__(
        self,
        attention: MultiHeadAttention,
        feed_forward: FeedForward,
        width: int,
        pre_norm: bool = False,
        skip: str = "plain",
    ) -> None:
        super().__init__()
        make_skip = resolve("skip", skip, SKIPS)
        self.attention = attention
        self.feed_forward = feed_forward
        self.pre_norm = pre_norm
        self.attention_norm = nn.LayerNorm(width)
        self.feed_forward_norm = nn.LayerNorm(width)
        self.attention_skip = make_skip(width)
        self.feed_forward_skip = make_skip(width)

    def forward(
        self,
        queries: Float[Tensor, "B m h"],
        keys: Float[Tensor, "B n h"],
        values: Float[Tensor, "B n h"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B m h"]:
        if self.pre_norm:
            q, k, v = self._normed(queries, keys, values)
            hidden = self.attention_skip(queries, self.attention(q, k, v, visibility))
            return self.feed_forward_skip(hidden, self.feed_forward(self.feed_forward_norm(hidden)))
        attended = self.attention(queries, keys, values, visibility)
        hidden = self.attention_norm(self.attention_skip(queries, attended))
        return self.feed_forward_norm(self.feed_forward_skip(hidden, self.feed_forward(hidden)))

    def _normed(self, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Layer norm of each, computed once where they are the same set."""
        q = self.attention_norm(queries)
        k = q if keys is queries else self.attention_norm(keys)
        v = k if values is keys else self.attention_norm(values)
        return q, k, v


class SAB(MAB):
    """SAB(X) = MAB(X, X, X): every item looks at the whole set (paper Sec. 2.2)."""

    def forward(  # type: ignore[override]
        self,
        items: Float[Tensor, "B n h"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B n h"]:
        return super().forward(items, items, items, visibility)
