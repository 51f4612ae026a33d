"""The similarity of the paper's Section 3.2: from contextual embeddings to the probability of every pair."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import softplus

from abclust.attention.compatibility import Compatibility
from abclust.foundations.options import resolve


def logit_of_mean_probability(
    forward: Float[Tensor, "*sets m n"], backward: Float[Tensor, "*sets m n"]
) -> Float[Tensor, "*sets m n"]:
    """logit((sigmoid(a) + sigmoid(b)) / 2), exact in value and gradient however large the logits are.

    With s = (a + b)/2 and c = log cosh((a - b)/2) it equals softplus(s - c) - softplus(-s - c): no
    probability is ever formed, so nothing under- or overflows. While e^(a + b) is far from both, a quotient
    of exponentials is the same number in less than half the time.

    Examples
    --------
    >>> logit_of_mean_probability(torch.tensor([[100.0]]), torch.tensor([[-100.0]]))  # (1 + 0) / 2
    tensor([[0.]])
    """
    if _products_are_exact(forward) and _products_are_exact(backward):
        # A transposed matrix is read once for the copy instead of in every operation.
        return _QuotientOfExponentials.apply(forward, backward.contiguous())
    centre = (forward + backward) / 2
    distance = (forward - backward).abs() / 2
    log_cosh = distance + softplus(-2 * distance) - math.log(2)
    return softplus(centre - log_cosh) - softplus(-centre - log_cosh)


class _QuotientOfExponentials(torch.autograd.Function):
    """log N - log M with N = x + y + 2xy, M = x + y + 2, x = e^a, y = e^b: the same logit.

    Its derivative by a is 2x(1 + y)^2 / (N M). Nothing cancels in either.
    """

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        x, y = a.exp(), b.exp()
        total = x + y
        numerator = torch.addcmul(total, x, y, value=2)
        denominator = total.add_(2)
        ctx.save_for_backward(x, y, numerator, denominator)
        return (numerator / denominator).log_()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        x, y, numerator, denominator = ctx.saved_tensors
        doubled = 2 * upstream

        def derivative(x: Tensor, y: Tensor) -> Tensor:
            return (x / denominator).mul_((y + 1).square_().div_(numerator)).mul_(doubled)

        return derivative(x, y), derivative(y, x)


def _products_are_exact(logits: Tensor) -> bool:
    """Whether e^(a + b) and its inverse are normal numbers; a traced graph cannot look at its data."""
    if torch.compiler.is_compiling() or logits.numel() == 0:
        return False
    smallest, largest = logits.detach().aminmax()
    limit = -0.45 * math.log(torch.finfo(logits.dtype).tiny)  # 39 in float32, 318 in float64
    return bool((largest < limit) & (smallest > -limit))


def mean_of_logits(
    forward: Float[Tensor, "*sets m n"], backward: Float[Tensor, "*sets m n"]
) -> Float[Tensor, "*sets m n"]:
    """(a + b) / 2: the symmetrisation of the authors' code."""
    return (forward + backward) / 2


SYMMETRISATIONS = {"probability": logit_of_mean_probability, "logit": mean_of_logits}


class SimilarityHead(nn.Module):
    """kappa(z_i, z_j) = (sigmoid(compat(z_i, z_j)) + sigmoid(compat(z_j, z_i))) / 2 (paper Sec. 3.2).

    Gives the logit of kappa, so that ``sigmoid(head(z))`` is the kernel and the loss stays in log space.

    Parameters
    ----------
    width
        h, the width of an embedding.
    compatibility
        Between queries and keys of that width, without an axis of heads.
    projections
        Own biased query and key projections before the compatibility (authors' code; the default). False is
        the literal reading of the paper, with which both forms are symmetric before the averaging.
    symmetrisation
        "probability" (paper) or "logit" (authors' code).
    bias
        A learned number added to every logit (ours).
    """

    def __init__(
        self,
        width: int,
        compatibility: Compatibility,
        projections: bool = True,
        symmetrisation: str = "probability",
        bias: bool = False,
    ) -> None:
        super().__init__()
        self.compatibility = compatibility
        self.queries = nn.Linear(width, width) if projections else nn.Identity()
        self.keys = nn.Linear(width, width) if projections else nn.Identity()
        self.symmetrise = resolve("symmetrisation", symmetrisation, SYMMETRISATIONS)
        self.bias = nn.Parameter(torch.zeros(())) if bias else None

    def forward(self, embeddings: Float[Tensor, "B n h"]) -> Float[Tensor, "B n n"]:
        directed = self.compatibility.of_projections(embeddings, self.queries, self.keys)
        return self._shifted(self.symmetrise(directed, directed.mT))

    def rows(self, embeddings: Float[Tensor, "B n h"], start: int, stop: int) -> Float[Tensor, "B r n"]:
        """Rows start to stop of the same matrix, without the others: for sets whose kernel is large."""
        queries, keys = self.queries(embeddings), self.keys(embeddings)
        forward = self.compatibility(queries[:, start:stop], keys)
        backward = self.compatibility(queries, keys[:, start:stop]).mT
        return self._shifted(self.symmetrise(forward, backward))

    def _shifted(self, logits: Tensor) -> Tensor:
        return logits if self.bias is None else logits + self.bias
