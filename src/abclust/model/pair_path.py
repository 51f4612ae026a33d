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
from dataclasses import replace
from functools import partial

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import gelu

from abclust.attention.visibility import RowBias, Visibility

SMALLEST_SQUARE = 1e-3
"""Added to squared distances before the logarithm: closer than this is the same place."""
HIDDEN = 16
# Numbers, not bytes: 2**26 float32 values are 256 MB. Above this no more than some rows of pairs are held.
PAIR_PATH_BUDGET = 2**26


class PairPath(nn.Module):
    """From the geometry of the items to a bias for every block and head, and a share of every logit.

    For each group of columns the feature of a pair is log(|x_i - x_j|^2 + 0.001) / 2; for each of the summed
    columns it is x_i + x_j. Both are given, not learned. One hidden layer turns them into numbers. The last
    layer starts at zero, where the network is the one without this path.

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
        self.to_biases = _PairLayers(len(distance_widths) + n_summed, n_blocks * heads)
        self.to_logits = _PairLayers(len(distance_widths) + n_summed, 1)

    def biases(self, geometry: Float[Tensor, "B n g"]) -> Float[Tensor, "blocks B heads n n"]:
        """What is added to the compatibilities of each block and head."""
        numbers = self.to_biases(self.features(geometry, geometry))
        return rearrange(numbers, "B (blocks heads) i j -> blocks B heads i j", blocks=self.n_blocks)

    def visibilities(self, geometry: Float[Tensor, "B n g"], visibility: Visibility) -> list[Visibility]:
        """What the items of each block may look at: `visibility` with the biases of that block.

        Where all biases together would be too large, and no gradient is wanted, each block makes its own,
        some rows at a time.
        """
        n_rows = self._rows_at_a_time(geometry, geometry)
        if n_rows is None:
            return [visibility.with_bias(bias) for bias in self.biases(geometry)]
        return [
            replace(visibility, row_bias=RowBias(partial(self._bias_of_rows, geometry, block), n_rows))
            for block in range(self.n_blocks)
        ]

    def logits(
        self, rows: Float[Tensor, "B r g"], geometry: Float[Tensor, "B n g"]
    ) -> Float[Tensor, "B r n"]:
        """What is added to the logits of some items with all others."""
        n_rows = self._rows_at_a_time(rows, geometry)
        if n_rows is None:
            return self.to_logits(self.features(rows, geometry)).squeeze(1)
        return torch.cat([self.logits(part, geometry) for part in rows.split(n_rows, dim=1)], dim=1)

    def features(
        self, rows: Float[Tensor, "B r g"], geometry: Float[Tensor, "B n g"]
    ) -> Float[Tensor, "B f r n"]:
        """Logarithms of the distances, then the sums: planes of pairs, the same for (i, j) and (j, i)."""
        *groups, (left, right) = zip(
            rows.split(self.widths, dim=-1), geometry.split(self.widths, dim=-1), strict=True
        )
        squares = torch.stack([_squared_distances(*group) for group in groups], dim=1)
        sums = left.mT[..., :, None] + right.mT[..., None, :]
        return torch.cat([(squares + SMALLEST_SQUARE).log() / 2, sums], dim=1)

    def _bias_of_rows(
        self, geometry: Float[Tensor, "B n g"], block: int, rows: slice
    ) -> Float[Tensor, "B heads r n"]:
        features = self.features(geometry[:, rows], geometry)
        heads = self.to_biases.last.out_features // self.n_blocks
        return self.to_biases(features, numbers=slice(block * heads, (block + 1) * heads))

    def _rows_at_a_time(self, rows: Float[Tensor, "B r g"], geometry: Float[Tensor, "B n g"]) -> int | None:
        """How many rows of pairs may be held; None: all, as for gradients and for a graph."""
        if torch.compiler.is_compiling() or torch.is_grad_enabled():
            return None
        numbers_of_a_row = len(geometry) * geometry.shape[1] * max(HIDDEN, self.to_biases.last.out_features)
        n_rows = max(1, PAIR_PATH_BUDGET // numbers_of_a_row)
        return n_rows if n_rows < rows.shape[1] else None


class _PairLayers(nn.Module):
    """One hidden layer over the features of every pair; what comes out starts at zero.

    A feature is a plane of pairs, not a number beside others of its pair: three times as fast as a Linear on
    pairs of features.
    """

    def __init__(self, n_features: int, n_numbers: int) -> None:
        super().__init__()
        self.first = nn.Linear(n_features, HIDDEN)
        self.last = nn.Linear(HIDDEN, n_numbers)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(
        self, features: Float[Tensor, "B f r n"], numbers: slice = slice(None)
    ) -> Float[Tensor, "B o r n"]:
        """All numbers of every pair, or some of them."""
        hidden = gelu(_on_planes(self.first.weight, self.first.bias, features))
        return _on_planes(self.last.weight[numbers], self.last.bias[numbers], hidden)


def _on_planes(
    matrix: Float[Tensor, "o i"], bias: Float[Tensor, " o"], planes: Float[Tensor, "B i r n"]
) -> Float[Tensor, "B o r n"]:
    """A linear map of the numbers of every pair."""
    # One product a set: as one product of all, torch would first bring the planes into another order.
    of_every_set = matrix.expand(planes.shape[0], -1, -1)  # not len(): a graph takes any number of sets
    return torch.baddbmm(bias[None, :, None], of_every_set, planes.flatten(2)).unflatten(2, planes.shape[2:])


def _squared_distances(
    rows: Float[Tensor, "B r c"], points: Float[Tensor, "B n c"]
) -> Float[Tensor, "B r n"]:
    if torch.is_autocast_enabled(rows.device.type):
        # The difference of large numbers: of sixteen bits nothing would be left of small distances.
        with torch.autocast(rows.device.type, enabled=False):
            return _squared_distances(rows.float(), points.float())
    norms = rows.square().sum(dim=-1)[:, :, None] + points.square().sum(dim=-1)[:, None, :]
    return (norms - 2 * rows @ points.mT).clamp(min=0.0)  # rounding may take it below zero
