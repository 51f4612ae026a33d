"""Everything about a run that changes while it runs, and nothing else: what a checkpoint holds."""

from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.optim import Optimizer

from abclust.training.weight_average import WeightAverage

HistoryRow = dict[str, float]


@dataclass
class BestWeights:
    """The weights with the best validation score so far, and how many validations ago that was."""

    score: float
    step: int
    stale: int
    tensors: dict[str, Tensor]


@dataclass
class TrainingState:
    """A run between two steps.

    Random numbers are not among it: every stream is a function of (seed, step, rank), so that knowing the
    step is knowing the streams.

    Parameters
    ----------
    network
        The module that is trained.
    optimizer
        Its optimizer.
    average
        The moving average of the weights, if one is kept.
    step
        Steps done.
    total_steps
        Steps to do; None while a time budget is being measured.
    seconds
        Time spent, over all parts of an interrupted run.
    n_items
        Items encoded so far.
    history
        Rows of the curve: losses, learning rate, validation scores.
    best
        Best weights so far, if validations were made.
    """

    network: nn.Module
    optimizer: Optimizer
    average: WeightAverage | None = None
    step: int = 0
    total_steps: int | None = None
    seconds: float = 0.0
    n_items: int = 0
    history: list[HistoryRow] = field(default_factory=list)
    best: BestWeights | None = None

    @property
    def evaluated(self) -> nn.Module:
        """The module whose weights are judged and kept: the average, if there is one."""
        return self.network if self.average is None else self.average.module
