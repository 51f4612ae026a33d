"""The progress bar of a terminal: step, loss, rate, validation scores, time left."""

import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from abclust.training.reporter import LogReporter, Reporter, time_left, worded
from abclust.training.state import TrainingState

_SCORES_IN_THE_BAR = 2


class ProgressBarReporter:
    """A rich progress bar on standard error.

    Parameters
    ----------
    console
        Where to draw; standard error by default, so that results can be piped.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._progress = Progress(
            TextColumn("step {task.completed:.0f}/{task.fields[goal]}"),
            BarColumn(),
            TextColumn("{task.fields[losses]}"),
            TextColumn("{task.fields[rate]}"),
            TextColumn("[bold]{task.fields[scores]}"),
            TextColumn("left {task.fields[left]}"),
            console=console or Console(stderr=True),
            # The refreshing thread shares the cores with the training.
            refresh_per_second=2,
        )
        self._task: TaskID | None = None
        self._scores = ""

    def started(self, state: TrainingState) -> None:
        """Show the bar."""
        self._progress.start()
        self._task = self._progress.add_task("training", total=state.total_steps, **self._fields(state, {}))
        self._progress.update(self._task, completed=state.step)

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """Move the bar."""
        if self._task is not None:
            fields = self._fields(state, losses)
            self._progress.update(self._task, completed=state.step, total=state.total_steps, **fields)

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """Show the first scores beside the bar and keep all of them above it."""
        self._scores = worded(dict(list(scores.items())[:_SCORES_IN_THE_BAR]))
        self._progress.console.print(f"step {state.step}  validation  {worded(scores)}", highlight=False)

    def finished(self, state: TrainingState) -> None:
        """Leave the bar standing."""
        self._progress.stop()

    def _fields(self, state: TrainingState, losses: Mapping[str, float]) -> dict[str, Any]:
        rate = state.n_items / state.seconds if state.seconds else 0.0
        return {
            "goal": str(state.total_steps or "?"),
            "losses": worded(losses),
            "rate": f"{rate:,.0f} items/s",
            "scores": self._scores,
            "left": time_left(state),
        }


def default_reporter() -> Reporter:
    """A progress bar where a person watches, log lines where none does."""
    return ProgressBarReporter() if sys.stderr.isatty() else LogReporter()
