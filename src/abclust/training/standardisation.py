"""Features of any scale: learnt from in standard units, which then move into the network's first layer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from abclust.datasets.labelled_set import LabelledSet


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
        items = np.concatenate([each.items for each in sets]).astype(np.float64)
        deviation = items.std(axis=0)
        return cls(items.mean(axis=0), np.where(deviation > 0, deviation, 1.0))

    def apply(self, each: LabelledSet) -> LabelledSet:
        """The same set in standard units."""
        return replace(each, items=((each.items - self.mean) / self.deviation).astype(np.float32))

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
