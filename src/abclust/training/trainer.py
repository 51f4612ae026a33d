"""Train any module (B, n, ...) -> (B, n, n) logits from any source of batches, in a way that survives.

Everything that is drawn is a function of (seed, step, rank), and everything else that changes is in the
state that a checkpoint holds: a run that was killed and resumed ends with the same bits as one that was not.
"""

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from lightning_fabric import Fabric
from torch import nn

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.storage.tensor_file import TensorFile
from abclust.training.batch_source import BatchSource
from abclust.training.checkpoint import checkpoint_paths, load_latest, restore
from abclust.training.config import TrainingConfig
from abclust.training.curve import CurveReporter
from abclust.training.disk_room import check_room
from abclust.training.fabric_setup import IN_PROCESS_LAUNCHERS, build_fabric
from abclust.training.reporter import LogReporter, Reporter, Reporters
from abclust.training.run import TrainingRun, fresh_state
from abclust.training.selection import Validation, latest_scores
from abclust.training.signals import TrainingInterrupted, stop_on_signals
from abclust.training.state import HistoryRow, TrainingState

_log = logging.getLogger(__name__)
_OF_NO_CONSEQUENCE = ("steps", "minutes", "checkpoint_every", "keep_checkpoints", "report_every")


@dataclass(frozen=True)
class TrainingResult:
    """What a run left behind.

    Attributes
    ----------
    network
        The trained module with the weights that are kept: averaged, or the best ones with early stopping.
    step, seconds, n_items
        Steps done, time spent and items encoded, over all parts of the run.
    scores
        The last validation's scores.
    history
        Rows of the curve.
    resumed_from
        The step that the run was resumed from; None for a fresh one.
    checkpoint
        The last checkpoint, if the run keeps any.
    is_first_process
        False in all but one process of a run: those have nothing to write or say.
    """

    network: nn.Module
    step: int
    seconds: float
    n_items: int
    scores: dict[str, float]
    history: list[HistoryRow]
    resumed_from: int | None = None
    checkpoint: Path | None = None
    is_first_process: bool = True


def fit(
    network: nn.Module,
    source: BatchSource,
    config: TrainingConfig | None = None,
    *,
    folder: str | Path | None = None,
    validate: Validation | None = None,
    reporter: Reporter | None = None,
    resume: bool = False,
) -> TrainingResult:
    """Train `network` in place on the batches of `source`.

    Parameters
    ----------
    network
        (B, n, ...) -> (B, n, n) logits; with ``encode`` and ``relate`` every item is encoded once a step.
    source
        Says what each step learns from.
    config
        How to train; :class:`TrainingConfig` by default.
    folder
        Where checkpoints, ``curve.csv`` and ``curve.png`` go; None keeps nothing.
    validate
        ``validate(network) -> {name: score}``, called in evaluation mode with the weights that would be kept.
    reporter
        Who hears of the progress; log lines by default.
    resume
        Go on from the newest checkpoint in `folder`, or start fresh if there is none. Without it, a folder
        that holds checkpoints is an error: nothing is overwritten by accident.

    Raises
    ------
    InvalidInputError
        If options do not fit together, or the folder is unwritable, full, or holds another run.
    TrainingError
        If the loss or a gradient is no longer finite, or a checkpoint cannot be written; it names the last
        good one.
    TrainingInterrupted
        After SIGTERM or Ctrl-C, when the checkpoint is written.

    Examples
    --------
    >>> import numpy as np
    >>> from abclust.training.set_source import LabelledSetSource
    >>> class Distances(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.bias = nn.Parameter(torch.zeros(()))
    ...     def forward(self, items, mask=None):
    ...         return self.bias - torch.cdist(items, items)
    >>> sets = [(np.array([[0.0], [0.1], [9.0]]), [0, 0, 1])]
    >>> config = TrainingConfig(steps=3, sets_per_step=1, accelerator="cpu")
    >>> fit(Distances(), LabelledSetSource(sets, sets_per_step=1), config).step
    3
    """
    config = config or TrainingConfig()
    folder = None if folder is None else Path(folder)
    _check(source, config, folder, resume)
    if folder is not None:
        check_room(folder, network, config.keep_checkpoints)
    entry = _Entry(network, source, config, folder, validate, reporter or LogReporter(), resume)
    fabric = build_fabric(config)
    if config.strategy in IN_PROCESS_LAUNCHERS:
        fabric.launch(entry.run_and_forget)
        return _from_last_checkpoint(network, config, folder)
    with torch.random.fork_rng(devices=[]):
        return fabric.launch(entry.run)


@dataclass(frozen=True)
class _Entry:
    """What every process of a run starts with."""

    network: nn.Module
    source: BatchSource
    config: TrainingConfig
    folder: Path | None
    validate: Validation | None
    reporter: Reporter
    resume: bool

    def run(self, fabric: Fabric) -> TrainingResult:
        folder = self.folder if fabric.is_global_zero else None
        reporter = self.reporter if fabric.is_global_zero else None
        if folder is not None:
            reporter = Reporters([self.reporter, CurveReporter(folder)])
        run = TrainingRun(
            fabric,
            self.network,
            self.source,
            self.config,
            validate=self.validate,
            reporter=reporter,
            folder=folder,
        )
        resumed_from = self._resume(run)
        with stop_on_signals() as request:
            reason = run.loop(request)
        # Nobody reads or removes checkpoints before the first process has written the last one.
        fabric.barrier()
        latest = None if folder is None else (checkpoint_paths(folder) or [None])[-1]
        if request.signal_number or reason > 1:
            raise TrainingInterrupted(request.signal_number or reason, run.state.step, latest)
        return replace(_result(run.state, resumed_from, latest), is_first_process=fabric.is_global_zero)

    def run_and_forget(self, fabric: Fabric) -> None:
        """The same where results cannot be handed back to the process that launched this one."""
        self.run(fabric)

    def _resume(self, run: TrainingRun) -> int | None:
        latest = load_latest(self.folder) if self.resume and self.folder is not None else None
        if latest is None:
            return None
        path, stored = latest
        restore(run.state, stored, path)
        run.fabric.strategy.precision.load_state_dict(stored.header["precision"])
        if self.config.minutes is None:
            run.state.total_steps = self.config.steps
        _tell_changes(stored, self.config)
        return run.state.step


def _check(source: BatchSource, config: TrainingConfig, folder: Path | None, resume: bool) -> None:
    if config.relation_steps and not hasattr(source, "cached"):
        raise InvalidInputError(
            f"relation_steps must be 0 unless the source can cache embeddings. Got {type(source).__name__}."
        )
    if folder is None and (resume or config.strategy in IN_PROCESS_LAUNCHERS):
        raise InvalidInputError(
            "folder must be given to resume, or to train with a strategy that starts processes."
        )
    if folder is not None and not resume and checkpoint_paths(folder):
        raise InvalidInputError(
            f"folder must hold no checkpoints of another run. Got {str(folder)!r} with "
            f"{checkpoint_paths(folder)[-1].name}. Resume that run, or choose another folder."
        )


def _tell_changes(stored: TensorFile, config: TrainingConfig) -> None:
    before, now = stored.header["config"], to_dict(config)
    changes = [
        f"{name} {before.get(name)!r} -> {now[name]!r}"
        for name in now
        if before.get(name) != now[name] and name not in _OF_NO_CONSEQUENCE
    ]
    if changes:
        _log.warning("resuming with another configuration: %s", ", ".join(changes))


def _from_last_checkpoint(network: nn.Module, config: TrainingConfig, folder: Path | None) -> TrainingResult:
    latest = None if folder is None else load_latest(folder)
    if latest is None:
        raise InvalidInputError(f"folder must hold the checkpoint of the finished run. Got {str(folder)!r}.")
    path, stored = latest
    state = fresh_state(network, config)
    restore(state, stored, path)
    return _result(state, None, path)


def _result(state: TrainingState, resumed_from: int | None, checkpoint: Path | None) -> TrainingResult:
    kept = state.best.tensors if state.best is not None else state.evaluated.state_dict()
    state.network.load_state_dict(kept)
    return TrainingResult(
        network=state.network.cpu().eval(),
        step=state.step,
        seconds=state.seconds,
        n_items=state.n_items,
        scores=latest_scores(state),
        history=state.history,
        resumed_from=resumed_from,
        checkpoint=checkpoint,
    )
