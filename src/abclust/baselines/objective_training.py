"""A training loop for losses that are not a pair loss: mixtures of Gaussians, prototypes.

:func:`abclust.training.trainer.fit` knows one kind of loss. This is its small sister for one process, with
the same batches, schedules, averages, checkpoints and manners: what is drawn in a step depends on the seed
and the step alone, and a run that was killed goes on from its last checkpoint to the same weights.
"""

import math
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from abclust.foundations.errors import InvalidInputError, TrainingError
from abclust.training.augmentation import torch_generator
from abclust.training.batch_source import BatchSource, TrainingBatch
from abclust.training.checkpoint import checkpoint_paths, last_good, load_latest, restore, save_checkpoint
from abclust.training.config import TrainingConfig, parse_interval
from abclust.training.disk_room import check_room
from abclust.training.reporter import LogReporter
from abclust.training.run import fresh_state
from abclust.training.schedule import learning_rate
from abclust.training.signals import TrainingInterrupted, stop_on_signals
from abclust.training.state import TrainingState

Objective = Callable[[TrainingBatch], Tensor]
"""The loss of a batch, a scalar with gradient."""

_STEP_SEEDS = 2**31 + 3  # a branch of the tree of random streams that no source uses


def fit_objective(
    module: nn.Module,
    objective: Objective,
    source: BatchSource,
    config: TrainingConfig,
    folder: str | Path | None = None,
) -> int:
    """Train `module` in place until `objective` has seen ``config.steps`` batches.

    Parameters
    ----------
    module
        What is trained; holds the averaged weights, in evaluation mode, afterwards.
    objective
        The loss of a batch under `module`.
    source
        Says what each step learns from. How far the run is goes to :mod:`logging`.
    config
        Steps, optimizer, schedule, clipping, average, checkpoints and seed are honoured; stages, pair loss,
        validation and several processes are none of this loop's business.
    folder
        Where checkpoints go; those that lie there are gone on from. None keeps nothing.

    Returns
    -------
    int
        Items encoded, over all parts of the run.

    Raises
    ------
    InvalidInputError
        If the budget is in minutes, or the folder unwritable, full, or another run's.
    TrainingError
        If the loss is no longer finite.
    TrainingInterrupted
        After SIGTERM or Ctrl-C, when the checkpoint is written.

    Examples
    --------
    >>> from abclust.training.set_source import LabelledSetSource
    >>> source = LabelledSetSource([(torch.randn(7, 2).numpy(), [0] * 7)], sets_per_step=1)
    >>> centre = nn.Linear(2, 1)
    >>> fit_objective(centre, lambda batch: centre(batch.items).square().mean(), source,
    ...               TrainingConfig(steps=3))
    21
    """
    if config.minutes is not None:
        raise InvalidInputError(f"minutes must be None: this loop counts steps. Got {config.minutes}.")
    folder = None if folder is None else Path(folder)
    state = fresh_state(module, config)
    if folder is not None:
        check_room(folder, module, config.keep_checkpoints)
        latest = load_latest(folder)
        if latest is not None:
            restore(state, latest[1], latest[0])
            state.total_steps = config.steps
    with torch.random.fork_rng(devices=[]), stop_on_signals() as request:
        module.train()
        _walk(state, objective, source, config, folder, lambda: request.signal_number != 0)
    if request.signal_number:
        latest_path = None if folder is None else (checkpoint_paths(folder) or [None])[-1]
        raise TrainingInterrupted(request.signal_number, state.step, latest_path)
    module.load_state_dict(state.evaluated.state_dict())
    module.eval()
    return state.n_items


def _walk(
    state: TrainingState,
    objective: Objective,
    source: BatchSource,
    config: TrainingConfig,
    folder: Path | None,
    is_stopped: Callable[[], bool],
) -> None:
    interval = parse_interval(config.checkpoint_every)
    clock = last_checkpoint = time.perf_counter()
    reporter = LogReporter()
    reporter.started(state)
    while state.step < config.steps and not is_stopped():
        loss = _take_step(state, objective, source.batch(state.step, 0, 1), config, folder)
        reporter.stepped(state, {"loss": loss})
        now = time.perf_counter()
        state.seconds += now - clock
        clock = now
        is_last = state.step == config.steps or is_stopped()
        if folder is not None and (is_last or interval.is_due(state.step, now - last_checkpoint)):
            save_checkpoint(folder, state, config)
            last_checkpoint = clock = time.perf_counter()
    reporter.finished(state)


def _take_step(
    state: TrainingState,
    objective: Objective,
    batch: TrainingBatch,
    config: TrainingConfig,
    folder: Path | None,
) -> float:
    """One step; its loss."""
    torch.default_generator.set_state(torch_generator(config.seed, _STEP_SEEDS, state.step).get_state())
    for group in state.optimizer.param_groups:
        group["lr"] = learning_rate(state.step, config.steps, config)
    loss = objective(batch)
    value = float(loss.detach())
    if not math.isfinite(value):
        raise TrainingError(
            f"loss must stay finite. Got {value} at step {state.step}. {last_good(folder)} "
            "Lower learning_rate, or look for items that are not numbers."
        )
    loss.backward()
    nn.utils.clip_grad_norm_(state.network.parameters(), config.clip_norm or math.inf)
    state.optimizer.step()
    state.optimizer.zero_grad()
    if state.average is not None:
        state.average.update()
    state.step += 1
    state.n_items += batch.n_items
    return value
