"""Compatibility functions: how well a query and a key fit (paper Sec. 2.1, Table 1).

One interface, to which a user can add a form of their own::

    class Distance(Compatibility):
        def forward(self, queries, keys):
            return -torch.cdist(queries, keys)

    register_compatibility("distance", lambda width, heads, scale, activation: Distance())
"""

from collections.abc import Callable

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from abclust.attention.tanh_scores import can_factorise, tanh_scores
from abclust.attention.visibility import Visibility
from abclust.foundations.options import resolve

Activation = Callable[[Tensor], Tensor]

ACTIVATIONS: dict[str, Activation] = {
    "abs": torch.abs,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}

# Numbers, not bytes: 2**25 float32 values are 128 MB. Above this the additive form works in chunks.
PAIR_BUDGET = 2**25


class Compatibility(nn.Module):
    """compat(Q, K): a score for every query and key.

    A subclass implements :meth:`forward`; :meth:`attend` and :meth:`weights` follow from it.
    """

    def forward(
        self, queries: Float[Tensor, "*sets m p"], keys: Float[Tensor, "*sets n p"]
    ) -> Float[Tensor, "*sets m n"]:
        raise TypeError(f"{type(self).__name__} must implement forward(queries, keys).")

    def weights(
        self,
        queries: Float[Tensor, "B heads m p"],
        keys: Float[Tensor, "B heads n p"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B heads m n"]:
        """A = softmax(compat(Q, K)) row by row (paper Sec. 2.2); zero rows where nothing is visible."""
        compatibilities = self(queries, keys)
        if visibility.sharpness is not None:
            compatibilities = compatibilities * visibility.sharpness
        if visibility.bias is not None:
            compatibilities = compatibilities + visibility.bias
        attention_weights = compatibilities.softmax(dim=-1)
        if visibility.reachable is not None:
            attention_weights = attention_weights * visibility.reachable
        return attention_weights

    def attend(
        self,
        queries: Float[Tensor, "B heads m p"],
        keys: Float[Tensor, "B heads n p"],
        values: Float[Tensor, "B heads n v"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B heads m v"]:
        """Att(Q, K, V) = A V (paper Sec. 2.2)."""
        return self.weights(queries, keys, visibility) @ values

    def of_projections(
        self, items: Float[Tensor, "B n h"], queries: nn.Module, keys: nn.Module
    ) -> Float[Tensor, "B n n"]:
        """compat(queries(Z), keys(Z)): every item of a set against every other, for the similarity head."""
        return self(queries(items), keys(items))


class MultiplicativeCompatibility(Compatibility):
    """compat(q, k) = q . k / sqrt(d) (paper Table 1; Vaswani et al. 2017, arXiv:1706.03762).

    Parameters
    ----------
    width
        d, the length of a query and of a key.
    scale
        Factor instead of 1/sqrt(d) (the authors' code uses other ones).
    """

    def __init__(self, width: int, scale: float | None = None) -> None:
        super().__init__()
        self.scale = width**-0.5 if scale is None else scale

    def forward(
        self, queries: Float[Tensor, "*sets m p"], keys: Float[Tensor, "*sets n p"]
    ) -> Float[Tensor, "*sets m n"]:
        return (queries * self.scale) @ keys.mT

    def attend(
        self,
        queries: Float[Tensor, "B heads m p"],
        keys: Float[Tensor, "B heads n p"],
        values: Float[Tensor, "B heads n v"],
        visibility: Visibility = Visibility(),  # noqa: B008 (frozen)
    ) -> Float[Tensor, "B heads m v"]:
        """The same as in the base class by torch's fused kernel, which never holds the m x n weights.

        The kernel has no gradient for what is added to the compatibilities: where that is learned, torch
        would fall back on slower steps than those of the base class.
        """
        if visibility.bias is not None and visibility.bias.requires_grad:
            return super().attend(queries, keys, values, visibility)
        if visibility.sharpness is not None:
            queries = queries * visibility.sharpness
        attended = scaled_dot_product_attention(
            queries, keys, values, attn_mask=visibility.bias, scale=self.scale
        )
        return attended if visibility.reachable is None else attended * visibility.reachable

    def of_projections(
        self, items: Float[Tensor, "B n h"], queries: nn.Module, keys: nn.Module
    ) -> Float[Tensor, "B n n"]:
        """The same as in the base class with one product of the size of the batch instead of two.

        (z W + b) . (z' V + c) = (z W V^T + b V^T) . z' + (z W + b) . c, and W V^T is the same for all items.
        """
        if not isinstance(queries, nn.Linear) or not isinstance(keys, nn.Linear):
            return super().of_projections(items, queries, keys)
        matrix = queries.weight.T @ keys.weight * self.scale
        turned = items @ matrix + queries.bias @ keys.weight * self.scale
        constant = (
            linear(items, (keys.bias @ queries.weight * self.scale)[None])
            + queries.bias @ keys.bias * self.scale
        )
        return torch.baddbmm(constant, turned, items.mT)


class AdditiveCompatibility(Compatibility):
    """compat(q, k) = act(q + k) . w (paper Table 1; Bahdanau et al. 2015, arXiv:1409.0473).

    The sums q_i + k_j of all pairs make a tensor of B x heads x m x n x p numbers. Above `budget` numbers it
    is never held: rows of queries are worked off in chunks, and the backward pass recomputes each chunk. The
    smallest chunk is one query of one set.

    Parameters
    ----------
    width
        d, the length of a query, of a key and of w.
    heads
        One w for each head; None where there is no axis of heads.
    activation
        Any element-wise function: "tanh", "sigmoid", "relu", "abs", or a callable.
    scale
        Factor on the result; 1 in the paper.
    budget
        How many numbers the tensor of pair sums may have.
    """

    def __init__(
        self,
        width: int,
        heads: int | None = None,
        activation: str | Activation = "tanh",
        scale: float | None = None,
        budget: int = PAIR_BUDGET,
    ) -> None:
        super().__init__()
        self.activation = (
            resolve("activation", activation, ACTIVATIONS) if isinstance(activation, str) else activation
        )
        self.scale = 1.0 if scale is None else scale
        self.budget = budget
        shape = (width,) if heads is None else (heads, 1, width)
        # Unit variance of the score for activations of order one, as a Linear layer would start.
        self.weight = nn.Parameter(torch.empty(shape).uniform_(-1, 1) * (3 / width) ** 0.5)

    def forward(
        self, queries: Float[Tensor, "*sets m p"], keys: Float[Tensor, "*sets n p"]
    ) -> Float[Tensor, "*sets m n"]:
        sums_of_a_row = queries[..., :1, :].numel() * keys.shape[-2]
        if sums_of_a_row * queries.shape[-2] <= self.budget:
            return self._scores(queries, keys)
        if sums_of_a_row > self.budget and self._sets_can_be_split(queries):
            # Not self(...): a subclass such as the Siamese form has already changed the keys.
            return torch.stack(
                [AdditiveCompatibility.forward(self, *one) for one in zip(queries, keys, strict=True)]
            )
        rows = max(1, self.budget // sums_of_a_row)
        chunks = [self._recomputed(chunk, keys) for chunk in queries.split(rows, dim=-2)]
        return torch.cat(chunks, dim=-2)

    def _sets_can_be_split(self, queries: Tensor) -> bool:
        axes_of_a_set = 2 if self.weight.dim() == 1 else 3
        return queries.dim() > axes_of_a_set

    def _recomputed(self, queries: Tensor, keys: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            return checkpoint(self._scores, queries, keys, use_reentrant=False)
        return self._scores(queries, keys)

    def _scores(self, queries: Tensor, keys: Tensor) -> Tensor:
        weight = self.weight * self.scale
        if self.activation is torch.tanh and can_factorise(queries, keys):
            return tanh_scores(queries, keys, weight)
        sums = queries[..., :, None, :] + keys[..., None, :, :]  # (..., m, n, p)
        if weight.dim() == 1:
            return self.activation(sums) @ weight
        return (self.activation(sums) @ rearrange(weight, "heads 1 p -> heads 1 p 1")).squeeze(-1)


class SiameseCompatibility(AdditiveCompatibility):
    """compat(q, k) = ``|q - k| . w``, the weighted L1 distance of Siamese networks (Koch et al. 2015).

    The paper's remark that this is a special case of additive compatibility, as code: act = abs, negated
    keys.
    """

    def __init__(
        self, width: int, heads: int | None = None, scale: float | None = None, budget: int = PAIR_BUDGET
    ) -> None:
        super().__init__(width, heads, "abs", scale, budget)

    def forward(
        self, queries: Float[Tensor, "*sets m p"], keys: Float[Tensor, "*sets n p"]
    ) -> Float[Tensor, "*sets m n"]:
        return super().forward(queries, -keys)


CompatibilityFactory = Callable[[int, int | None, float | None, str], Compatibility]

_FACTORIES: dict[str, CompatibilityFactory] = {
    "multiplicative": lambda width, heads, scale, activation: MultiplicativeCompatibility(width, scale),
    "additive": lambda width, heads, scale, activation: AdditiveCompatibility(
        width, heads, activation, scale
    ),
    "siamese": lambda width, heads, scale, activation: SiameseCompatibility(width, heads, scale),
}


def register_compatibility(name: str, factory: CompatibilityFactory) -> None:
    """Make a compatibility available by `name` in configurations.

    Parameters
    ----------
    name
        The name to use as ``ContextKernelConfig(compatibility=name)``.
    factory
        Called as ``factory(width, heads, scale, activation)``; heads is None in the similarity head, scale is
        None for the form's own. What does not apply is ignored.
    """
    _FACTORIES[name] = factory


def build_compatibility(
    name: str, width: int, heads: int | None = None, scale: float | None = None, activation: str = "tanh"
) -> Compatibility:
    """The compatibility registered as `name`; the error lists the names there are."""
    return resolve("compatibility", name, _FACTORIES)(width, heads, scale, activation)
