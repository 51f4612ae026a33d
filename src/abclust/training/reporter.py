"""What a person is told while a run goes on: one protocol, and log lines for where there is no terminal."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from abclust.training.state import TrainingState

_log = logging.getLogger(__name__)


@runtime_checkable
class Reporter(Protocol):
    """Hears of a run; must be quick, it stands in the loop."""

    def started(self, state: TrainingState) -> None:
        """Before the first step."""
        ...

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """After every step."""
        ...

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """After every validation."""
        ...

    def finished(self, state: TrainingState) -> None:
        """After the last step, or when the run is interrupted."""
        ...


class LogReporter:
    """Plain lines through :mod:`logging`, at most one every few seconds.

    Parameters
    ----------
    seconds
        Smallest time between two lines about losses; validations are always told.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self.seconds = seconds
        self._last = -seconds

    def started(self, state: TrainingState) -> None:
        """Say where the run starts and how far it goes."""
        _log.info(
            "training from step %d to %s", state.step, state.total_steps or "a measured number of steps"
        )

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """Say the losses of now, if it is time again."""
        now = time.monotonic()
        if now - self._last >= self.seconds:
            self._last = now
            _log.info(
                "step %d/%s  %s  left %s",
                state.step,
                state.total_steps or "?",
                worded(losses),
                time_left(state),
            )

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """Say the scores."""
        _log.info("step %d  validation  %s", state.step, worded(scores))

    def finished(self, state: TrainingState) -> None:
        """Say how long it took."""
        _log.info("training ended at step %d after %.1f minutes", state.step, state.seconds / 60)


class Reporters:
    """Several reporters as one."""

    def __init__(self, reporters: Sequence[Reporter]) -> None:
        self.reporters = tuple(reporters)

    def started(self, state: TrainingState) -> None:
        """Tell all."""
        for reporter in self.reporters:
            reporter.started(state)

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """Tell all."""
        for reporter in self.reporters:
            reporter.stepped(state, losses)

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """Tell all."""
        for reporter in self.reporters:
            reporter.validated(state, scores)

    def finished(self, state: TrainingState) -> None:
        """Tell all."""
        for reporter in self.reporters:
            reporter.finished(state)


def worded(values: Mapping[str, float]) -> str:
    """Named numbers as one short line.

    Examples
    --------
    >>> worded({"loss": 0.25, "nmi": 0.5})
    'loss 0.2500  nmi 0.5000'
    """
    return "  ".join(f"{name} {value:.4f}" for name, value in values.items())


def time_left(state: TrainingState) -> str:
    """Time to the end at the pace so far, as ``1:02:03``; ``?`` while nothing is known."""
    if state.total_steps is None or state.step == 0 or state.seconds == 0:
        return "?"
    left = int((state.total_steps - state.step) * state.seconds / state.step)
    hours, rest = divmod(left, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}"
