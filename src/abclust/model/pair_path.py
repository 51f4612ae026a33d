"""What two items of a table have to do with each other at first sight: their distances, given to every layer.

A Transformer sees vectors and has to learn what a distance is; clustering rows is about little else. Here the
distances of every pair, in several groups of columns, enter the compatibilities of every head in every block
as a bias, and the logits directly (ours; as edge features enter graph Transformers, Ying et al. 2021).

References
----------
C. Ying et al., "Do Transformers really perform badly for graph representation?", NeurIPS 2021,
arXiv:2106.05234.
"""

from collections.abc import Sequence

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

SMALLEST_SQUARE = 1e-3
"""Added to squared distances before the logarithm: closer than this is the same place."""
HIDDEN = 16


class PairPath(nn.Module):
    """From the geometry of the items to a bias for every block and head, and a share of every logit.

    For each group of columns the feature of a pair is log(|x_i - x_j|^2 + 0.001) / 2; for each of the summed
    columns it is x_i + x_j. One hidden layer turns them into numbers. The last layer starts at zero, where
    the network is the one without this path.

    Parameters
    ----------
    distance_widths
        Columns of each group that distances are measured in, from the left.
    n_summed
        Columns to the right of those, of which a pair has the sum.
    n_blocks, heads
        Of the network.

    Examples
    --------
    >>> path = PairPath((2, 1), n_summed=1, n_blocks=3, heads=4)
    >>> geometry = torch.zeros(5, 7, 4)
    >>> path.biases(geometry).shape, path.logits(geometry, geometry).shape
    (torch.Size([3, 5, 4, 7, 7]), torch.Size([5, 7, 7]))
    """

    def __init__(self, distance_widths: Sequence[int], n_summed: int, n_blocks: int, heads: int) -> None:
        super().__init__()
        self.widths = (*distance_widths, n_summed)
        self.n_blocks = n_blocks
        n_features = len(distance_widths) + n_summed
        self.to_biases = _from_zero(n_features, n_blocks * heads)
        self.to_logits = _from_zero(n_features, 1)

    def biases(self, geometry: Float[Tensor, "B n g"]) -> Float[Tensor, "blocks B heads n n"]:
        """What is added to the compatibilities of each block and head."""
        numbers = self.to_biases(self.features(geometry, geometry))
        return rearrange(numbers, "B i j (blocks heads) -> blocks B heads i j", blocks=self.n_blocks)

    def logits(
        self, rows: Float[Tensor, "B r g"], geometry: Float[Tensor, "B n g"]
    ) -> Float[Tensor, "B r n"]:
        """What is added to the logits of some items with all others."""
        return self.to_logits(self.features(rows, geometry)).squeeze(-1)

    def features(
        self, rows: Float[Tensor, "B r g"], geometry: Float[Tensor, "B n g"]
    ) -> Float[Tensor, "B r n p"]:
        """What is known of every pair, the same for (i, j) and (j, i)."""
        *groups, summed = zip(
            rows.split(self.widths, dim=-1), geometry.split(self.widths, dim=-1), strict=True
        )
        squares = torch.stack([_squared_distances(*group) for group in groups], dim=-1)
        sums = summed[0][:, :, None, :] + summed[1][:, None, :, :]
        return torch.cat([(squares + SMALLEST_SQUARE).log() / 2, sums], dim=-1)


def _from_zero(features: int, numbers: int) -> nn.Sequential:
    """A layer with one hidden layer whose output starts at zero."""
    last = nn.Linear(HIDDEN, numbers)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(features, HIDDEN), nn.GELU(), last)


def _squared_distances(
    rows: Float[Tensor, "B r c"], points: Float[Tensor, "B n c"]
) -> Float[Tensor, "B r n"]:
    norms = rows.square().sum(dim=-1)[:, :, None] + points.square().sum(dim=-1)[:, None, :]
    return (norms - 2 * rows @ points.mT).clamp(min=0.0)  # rounding may take it below zero
