"""What each item may look at, and how strongly: padding, explicit context and the size of the set."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor


@dataclass(frozen=True)
class RowBias:
    """A bias that is too large to hold: made for some queries at a time, where no gradient is wanted.

    Attributes
    ----------
    of_rows
        From a slice of the queries to their bias, shape (B, heads, r, n).
    n_rows
        Queries at a time.
    """

    of_rows: Callable[[slice], Float[Tensor, "B heads r n"]]
    n_rows: int


@dataclass(frozen=True)
class Visibility:
    """Terms that enter every attention of one forward pass; None everywhere is the plain network.

    Attributes
    ----------
    bias
        Added to the compatibilities: log of the edge weight, -inf where there is nothing to see.
        Shape (B, 1, 1, n) for padding alone, (B, 1, n, n) with explicit context, (B, heads, n, n) where every
        head has its own.
    reachable
        False for items that see nothing at all (a fully padded set, an isolated node): their attention
        is zero instead of the NaN of a softmax over nothing, and only the skip connection carries them.
    sharpness
        Factor on the compatibilities of each set, for the log-n softmax scale.
    row_bias
        Added to the compatibilities like `bias`, and in parts; see :meth:`parts`.
    """

    bias: Float[Tensor, "B _ r n"] | None = None
    reachable: Bool[Tensor, "B 1 _ 1"] | None = None
    sharpness: Float[Tensor, "B 1 1 1"] | None = None
    row_bias: RowBias | None = None

    @classmethod
    def of(
        cls,
        like: Float[Tensor, "B n h"],
        mask: Bool[Tensor, "B n"] | None = None,
        adjacency: Shaped[Tensor, "B n n"] | None = None,
        log_n_reference: int | None = None,
    ) -> "Visibility":
        """Combine a padding mask, edge weights and the log-n scale for a batch shaped like `like`.

        Edge weights a_ij >= 0 enter as log a_ij before the softmax, so the attention weights become
        a_ij exp(C_ij) / sum_l a_il exp(C_il): zero means no edge, and unit weights are exactly the plain
        network ("a fully connected graph with unit weights", paper Sec. 7).
        """
        bias = None
        if adjacency is not None and _any_false(adjacency == 1):  # unit weights keep the fused path
            bias = adjacency.to(like.dtype).log()[:, None]
        if mask is not None and _any_false(mask):
            hidden = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
            hidden = hidden.masked_fill(~mask, -math.inf)[:, None, None, :]
            bias = hidden if bias is None else bias + hidden
        reachable = None
        if bias is not None:
            seen = (bias > -math.inf).any(dim=-1, keepdim=True)
            if _any_false(seen):
                reachable = seen
                bias = bias.masked_fill(~seen, 0.0)
        return cls(bias, reachable, _sharpness(like, mask, log_n_reference))

    def with_bias(self, bias: Float[Tensor, "B heads r n"]) -> "Visibility":
        """The same with more added to the compatibilities."""
        return replace(self, bias=bias if self.bias is None else self.bias + bias)

    def parts(self, n_queries: int) -> Iterator[tuple[slice, "Visibility"]]:
        """The same for some queries at a time, each with its part of the row bias."""
        assert self.row_bias is not None
        for start in range(0, n_queries, self.row_bias.n_rows):
            rows = slice(start, min(start + self.row_bias.n_rows, n_queries))
            bias, reachable = (_of_queries(term, rows) for term in (self.bias, self.reachable))
            yield rows, Visibility(bias, reachable, self.sharpness).with_bias(self.row_bias.of_rows(rows))


def _of_queries(term: Tensor | None, rows: slice) -> Tensor | None:
    """Its rows for these queries; a term with one row is the same for all of them."""
    return term if term is None or term.shape[2] == 1 else term[:, :, rows]


def _sharpness(
    like: Float[Tensor, "B n h"], mask: Bool[Tensor, "B n"] | None, reference: int | None
) -> Float[Tensor, "B 1 1 1"] | None:
    """log n / log reference: keeps the entropy of the softmax when a set outgrows those trained on (ours)."""
    if reference is None:
        return None
    n_sets, n_items = like.shape[:2]
    sizes = like.new_full((n_sets,), n_items) if mask is None else mask.sum(dim=1).to(like.dtype)
    return (sizes.clamp(min=1).log() / math.log(reference))[:, None, None, None]


def _any_false(condition: Tensor) -> bool:
    """Whether to take the general path; an exported graph cannot look at its data and always takes it."""
    return torch.compiler.is_compiling() or not bool(condition.all())
