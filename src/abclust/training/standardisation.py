"""Features of any scale: learnt from in standard units, which then move into the network's first layer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Float32, Shaped
from torch import nn

from abclust.datasets.labelled_set import LabelledSet

_CHUNK_NUMBERS = 2**16
"""Numbers that are looked at together, about: half a MB. Data of any size pass in such chunks."""


@dataclass(frozen=True, eq=False)
class Standardisation:
    """(x - mean) / deviation, feature by feature (ours).

    Attributes
    ----------
    mean, deviation
        Of the training items. Shape (d,). A constant feature keeps its scale.
    """

    mean: Float[np.ndarray, " d"]
    deviation: Float[np.ndarray, " d"]

    @classmethod
    def of(cls, sets: Sequence[LabelledSet]) -> "Standardisation":
        """The standardisation of vectors (n, d), all sets together: what differs between sets stays."""
        n_items = sum(each.n_items for each in sets)
        mean = _sum_of_rows(_chunks(sets)) / n_items
        # Twice through the data: a sum of squares in one pass loses all digits far away from zero.
        variance = _sum_of_rows((chunk - mean) ** 2 for chunk in _chunks(sets)) / n_items
        return cls(mean, np.where(variance > 0, np.sqrt(variance), 1.0))

    def scale(self, items: Shaped[np.ndarray, "n d"]) -> Float32[np.ndarray, "n d"]:
        """Items in standard units."""
        return ((items - self.mean) / self.deviation).astype(np.float32)

    def apply(self, each: LabelledSet) -> LabelledSet:
        """The same set in standard units."""
        return replace(each, items=self.scale(each.items))

    @torch.no_grad()
    def fold_into(self, layer: nn.Linear) -> None:
        r"""Change a first layer so that it takes raw features: W' = W / s, b' = b - W (m / s).

        Examples
        --------
        >>> layer, units = nn.Linear(2, 3), Standardisation(np.array([5.0, 7.0]), np.array([2.0, 10.0]))
        >>> raw = torch.tensor([[9.0, 27.0]])
        >>> expected = layer(torch.tensor([[2.0, 2.0]]))
        >>> units.fold_into(layer)
        >>> bool(torch.allclose(layer(raw), expected, atol=1e-5))
        True
        """
        weight = layer.weight.double() / torch.from_numpy(self.deviation)
        layer.bias.copy_(layer.bias.double() - weight @ torch.from_numpy(self.mean))
        layer.weight.copy_(weight)


def _chunks(sets: Sequence[LabelledSet]) -> Iterator[Float[np.ndarray, "m d"]]:
    """All items in order, some thousands at a time; all at once where they are few."""
    n_rows = max(_CHUNK_NUMBERS // max(sets[0].items.shape[1], 1), 1)
    pending: list[np.ndarray] = []
    n_pending = 0
    for each in sets:
        for start in range(0, each.n_items, n_rows):
            pending.append(each.items[start : start + n_rows])
            n_pending += len(pending[-1])
            if n_pending >= n_rows:
                yield np.concatenate(pending).astype(np.float64, copy=False)
                pending, n_pending = [], 0
    if pending:
        yield np.concatenate(pending).astype(np.float64, copy=False)


def _sum_of_rows(chunks: Iterator[Float[np.ndarray, "_ d"]]) -> Float[np.ndarray, " d"]:
    """One row after the other, so that the last bit does not depend on where chunks end (for d > 1)."""
    total = next(chunks).sum(axis=0)
    for chunk in chunks:
        total = np.concatenate([total[None], chunk]).sum(axis=0)
    return total
