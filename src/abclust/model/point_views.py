"""Several looks at points of the plane: logits averaged over turned and mirrored copies of a set (ours).

A set of points that is turned or mirrored about the origin has the same clusters. The network has learnt that
from examples only, so its errors on the copies differ, and their mean is closer to the truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class PointViewConfig:
    """How many looks at a set of points. It travels in the header of the weights as ``point_views``."""

    count: int = 1
    """1: the points as they are. More: turned by equal angles; from 2 on every second one mirrored too."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidInputError(f"count of views must be at least 1. Got {self.count}.")

    def maps(self) -> Float[Tensor, "V 2 2"]:
        """The orthogonal matrices of the views, the identity first.

        Examples
        --------
        >>> PointViewConfig(count=2).maps()[1].diagonal().tolist()
        [1.0, -1.0]
        """
        turns = (self.count + 1) // 2
        maps = []
        for view in range(self.count):
            angle, mirror = 2 * np.pi * (view // 2) / turns, -1.0 if view % 2 else 1.0
            cosine, sine = np.cos(angle), np.sin(angle)
            maps.append([[cosine, -sine * mirror], [sine, cosine * mirror]])
        return torch.tensor(maps, dtype=torch.float32)


@torch.no_grad()
def point_view_kernels(
    network: nn.Module,
    points: Float[np.ndarray, "B n 2"],
    views: PointViewConfig | None = None,
    pairs_at_once: int = 2**18,
) -> list[Float[np.ndarray, "n n"]]:
    """The raw kernels of equally large sets; the network keeps the mode, training or evaluation, it came in.

    Parameters
    ----------
    network
        (B, n, 2) -> (B, n, n) logits.
    points
        B sets of n points.
    views
        One plain view by default.
    pairs_at_once
        How many pairs of points a forward pass may hold.

    Examples
    --------
    >>> from abclust.model.config import ContextKernelConfig
    >>> from abclust.model.context_kernel_network import ContextKernelNetwork
    >>> network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2))
    >>> points = np.zeros((3, 5, 2), np.float32)
    >>> [kernel.shape for kernel in point_view_kernels(network, points, PointViewConfig(count=4))]
    [(5, 5), (5, 5), (5, 5)]
    """
    maps = (views or PointViewConfig()).maps()
    device = next(network.parameters()).device
    sets = torch.as_tensor(points, dtype=torch.float32, device=device)
    was_training = network.training
    network.eval()
    try:
        at_once = max(1, pairs_at_once // points.shape[1] ** 2)
        kernels = [_mean_kernels(network, some, maps.to(device)) for some in sets.split(at_once)]
    finally:
        network.train(was_training)
    return [kernel for part in kernels for kernel in part]


def _mean_kernels(network: nn.Module, sets: Tensor, maps: Tensor) -> Sequence[Float[np.ndarray, "n n"]]:
    logits = sum(network(sets @ each.T) for each in maps) / len(maps)
    return list(torch.sigmoid(torch.as_tensor(logits)).cpu().numpy())
