"""The loss of the paper: binary cross entropy of every pair, from logits, over what is not padding."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.training.config import PAIR_WEIGHTINGS


def pair_loss(
    logits: Float[Tensor, "B n n"],
    same_cluster: Bool[Tensor, "B n n"] | Float[Tensor, "B n n"],
    mask: Bool[Tensor, "B n"] | None = None,
    *,
    weighting: str = "uniform",
    pos_weight: float = 1.0,
    diagonal: bool = True,
) -> Float[Tensor, ""]:
    r"""Mean binary cross entropy of the pairs of each set, then the mean over sets (paper Sec. 3.3).

    .. math::
        \mathcal{L} = \frac1B \sum_b \frac{1}{\sum_{ij} w_{ij}} \sum_{ij} w_{ij} \left[
        -y_{ij} \log \sigma(x_{ij}) - (1 - y_{ij}) \log (1 - \sigma(x_{ij})) \right]

    computed from the logits x in log space, so that no confident pair becomes infinite.

    Parameters
    ----------
    logits
        Symmetric similarity logits; their sigmoid is the kernel.
    same_cluster
        1 or True where two items belong together.
    mask
        True where an item is real; None if all are.
    weighting
        ``"uniform"`` (paper): w = 1. ``"ratio"`` (authors' code on Omniglot): positives weigh negatives /
        positives of the batch. ``"balanced"`` (ours): in each set both kinds weigh one half.
    pos_weight
        A further factor on positives. Above 1 it shifts all logits up, which hurts the partition.
    diagonal
        False leaves out the pairs of an item with itself (ours); the paper counts them.

    Raises
    ------
    InvalidInputError
        If `weighting` is not one of the names, or `pos_weight` is not positive.

    Notes
    -----
    The mean is taken per set first (ours), so that a set of 400 in a batch of mixed sizes does not outweigh
    a hundred sets of 40. With equal sizes this is the paper's mean over each cell. ``"ratio"`` multiplies as
    torch's ``pos_weight`` does: it is not part of the denominator.

    Examples
    --------
    >>> logits = torch.tensor([[[9.0, -9.0], [-9.0, 9.0]]])
    >>> bool(pair_loss(logits, torch.eye(2, dtype=torch.bool)[None]) < 1e-3)
    True
    """
    check_choice("weighting", weighting, PAIR_WEIGHTINGS)
    if not pos_weight > 0:
        raise InvalidInputError(f"pos_weight must be positive. Got {pos_weight!r}.")
    # Half precision cannot sum ten thousand pairs.
    logits = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    target = same_cluster.to(logits.dtype)
    if mask is None and weighting == "uniform" and pos_weight == 1.0 and diagonal:
        return F.binary_cross_entropy_with_logits(logits, target)
    valid = _valid_pairs(target, mask, diagonal)
    positive_factor = torch.as_tensor(pos_weight, dtype=logits.dtype, device=logits.device)
    if weighting == "ratio":
        positives = (valid * target).sum()
        positive_factor = positive_factor * (valid.sum() - positives) / positives.clamp(min=1.0)
    cells = F.binary_cross_entropy_with_logits(logits, target, pos_weight=positive_factor, reduction="none")
    weights = _balanced(valid, target) if weighting == "balanced" else valid
    totals = weights.sum((1, 2))
    losses = (weights * cells).sum((1, 2)) / totals.clamp(min=torch.finfo(logits.dtype).tiny)
    # A set without a pair (one item, diagonal left out) teaches nothing and is not counted.
    return losses.sum() / (totals > 0).sum().clamp(min=1)


def _valid_pairs(
    target: Float[Tensor, "B n n"], mask: Bool[Tensor, "B n"] | None, diagonal: bool
) -> Float[Tensor, "B n n"]:
    if mask is None:
        valid = torch.ones_like(target)
    else:
        valid = (mask[:, :, None] & mask[:, None, :]).to(target.dtype)
    if not diagonal:
        valid = valid * (1 - torch.eye(target.shape[-1], dtype=target.dtype, device=target.device))
    return valid


def _balanced(valid: Float[Tensor, "B n n"], target: Float[Tensor, "B n n"]) -> Float[Tensor, "B n n"]:
    positives, negatives = valid * target, valid * (1 - target)
    return positives / positives.sum((1, 2), keepdim=True).clamp(min=1.0) + (
        negatives / negatives.sum((1, 2), keepdim=True).clamp(min=1.0)
    )
