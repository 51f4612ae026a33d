"""A moving average of the weights: steadier than any single step, and the one that is kept."""

from copy import deepcopy

import torch
from torch import nn


class WeightAverage(nn.Module):
    r"""Exponential moving average of the parameters and buffers of a network.

    .. math::
        \bar\theta_t = \beta_t \bar\theta_{t-1} + (1 - \beta_t) \theta_t, \qquad
        \beta_t = \min(\beta, (1 + t) / (10 + t)), \quad \beta_0 = 0

    The rising decay forgets the random start in short runs; buffers are averaged too, because batch norm's
    statistics must fit the averaged weights. torch's own ``AveragedModel`` walks the tree of modules in every
    step, which costs ten times the arithmetic.

    Parameters
    ----------
    network
        What is averaged; a copy of it, :attr:`module`, holds the averages.
    decay
        beta, in [0, 1).

    Examples
    --------
    >>> network = nn.Linear(2, 3)
    >>> average = WeightAverage(network, 0.99)
    >>> average.update()
    >>> bool((average.module.weight == network.weight).all())
    True
    """

    n_averaged: torch.Tensor

    def __init__(self, network: nn.Module, decay: float) -> None:
        super().__init__()
        self.module = deepcopy(network)
        self.register_buffer("n_averaged", torch.zeros((), dtype=torch.int64))
        self.decay = decay
        self._pairs = list(zip(_tensors(self.module), _tensors(network)))

    @torch.no_grad()
    def update(self) -> None:
        """Take the network's weights of now into the average."""
        count = int(self.n_averaged)
        decay = min(self.decay, (1 + count) / (10 + count)) if count else 0.0
        for average, current in self._pairs:
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(current)  # counters
        self.n_averaged += 1


def _tensors(network: nn.Module) -> list[torch.Tensor]:
    return [*network.parameters(), *network.buffers()]
