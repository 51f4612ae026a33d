"""Supervised contrastive loss on the encoder's output: items of a class attract, all others repel."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from abclust.foundations.errors import InvalidInputError


def supervised_contrastive_loss(
    embeddings: Float[Tensor, "N h"],
    labels: Int64[Tensor, "N"],
    pools: Int64[Tensor, "N"] | None = None,
    *,
    temperature: float = 0.1,
) -> Float[Tensor, ""]:
    r"""Mean over anchors of the log probability of their positives, L_out of Khosla et al. (2020), Eq. 2.

    .. math::
        \mathcal{L} = \frac{1}{N'} \sum_i \frac{-1}{|P(i)|} \sum_{p \in P(i)}
        \log \frac{\exp(z_i \cdot z_p / \tau)}{\sum_{a \in A(i)} \exp(z_i \cdot z_a / \tau)}

    with z of unit length, A(i) the other items of the same pool and P(i) those of them with the same label.
    An anchor without a positive is left out; N' counts the rest.

    The paper trains without it; here it gives the encoder a direct way to learn (ours: with it two cores get
    in minutes where the pair loss alone gets in hours).

    Parameters
    ----------
    embeddings
        The encoder's output, one row an item.
    labels
        The class of each item.
    pools
        Items are compared only within a pool; None is one pool.
    temperature
        tau. The reference found 0.1 best.

    Raises
    ------
    InvalidInputError
        If `temperature` is not positive.

    References
    ----------
    .. [1] P. Khosla et al. (2020). Supervised Contrastive Learning. NeurIPS 33.
       https://doi.org/10.48550/arXiv.2004.11362

    Examples
    --------
    >>> apart = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> bool(supervised_contrastive_loss(apart, torch.tensor([0, 0, 1, 1])) < 1e-3)
    True
    """
    if not temperature > 0:
        raise InvalidInputError(f"temperature must be positive. Got {temperature!r}.")
    directions = F.normalize(embeddings.float() if embeddings.dtype != torch.float64 else embeddings, dim=1)
    others = ~torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    if pools is not None:
        others = others & (pools[:, None] == pools[None, :])
    positives = others & (labels[:, None] == labels[None, :])
    similarities = directions @ directions.T / temperature
    # A finite floor, not -inf: the row of an item alone in its pool would otherwise be nan.
    floor = torch.finfo(similarities.dtype).min
    log_probabilities = similarities - torch.logsumexp(
        similarities.masked_fill(~others, floor), dim=1, keepdim=True
    )
    n_positives = positives.sum(1)
    per_anchor = -log_probabilities.masked_fill(~positives, 0.0).sum(1) / n_positives.clamp(min=1)
    return per_anchor.sum() / (n_positives > 0).sum().clamp(min=1)
