"""Which weights are kept: validation scores, the best so far, and when to stop waiting for better ones."""

import logging
import math
from collections.abc import Callable, Mapping

from torch import nn

from abclust.foundations.errors import InvalidInputError
from abclust.training.config import TrainingConfig
from abclust.training.state import BestWeights, TrainingState

_log = logging.getLogger(__name__)

Validation = Callable[[nn.Module], Mapping[str, float]]
"""A network in, named scores out, higher is better; it must not depend on global random state."""


def run_validation(state: TrainingState, validate: Validation, config: TrainingConfig) -> dict[str, float]:
    """Score the weights that would be kept, write a row of history and remember the best.

    Raises
    ------
    InvalidInputError
        If early stopping waits for a score that the validation does not give.
    """
    network = state.evaluated
    was_training = network.training
    network.eval()
    try:
        scores = {name: float(value) for name, value in validate(network).items()}
    finally:
        network.train(was_training)
    finite = {name: value for name, value in scores.items() if math.isfinite(value)}
    state.history.append({"step": float(state.step), "seconds": state.seconds, **finite})
    if config.patience is not None:
        _remember_best(state, scores, config.monitor)
    return scores


def is_out_of_patience(state: TrainingState, config: TrainingConfig) -> bool:
    """Whether the score has not improved for as long as the configuration waits."""
    return config.patience is not None and state.best is not None and state.best.stale >= config.patience


def latest_scores(state: TrainingState) -> dict[str, float]:
    """The scores of the last validation, without step and time."""
    for row in reversed(state.history):
        if "loss" not in row:
            return {name: value for name, value in row.items() if name not in ("step", "seconds")}
    return {}


def _remember_best(state: TrainingState, scores: Mapping[str, float], monitor: str) -> None:
    if monitor not in scores:
        raise InvalidInputError(
            f"monitor must be one of the validation scores {sorted(scores)}. Got {monitor!r}. "
            "Early stopping (patience) needs it."
        )
    score = scores[monitor]
    if state.best is None or score > state.best.score:
        tensors = {name: tensor.detach().clone() for name, tensor in state.evaluated.state_dict().items()}
        state.best = BestWeights(score=score, step=state.step, stale=0, tensors=tensors)
    else:
        state.best.stale += 1
        _log.debug("no better %s for %d validations", monitor, state.best.stale)
