"""Leaving cleanly: SIGTERM and Ctrl-C are noted, the step is finished, a checkpoint is written."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from abclust.foundations.errors import TrainingError

_WATCHED = (signal.SIGTERM, signal.SIGINT)


@dataclass
class StopRequest:
    """The signal that asked the run to stop; 0 as long as none has."""

    signal_number: int = 0


class TrainingInterrupted(TrainingError):
    """A run that was asked to stop and has written its state.

    Attributes
    ----------
    signal_number
        The signal that asked. A command ends with ``128 + signal_number``: 143 (SIGTERM), 130 (Ctrl-C).
    step
        Steps done.
    checkpoint
        Where to resume from; None if the run keeps no checkpoints.
    """

    def __init__(self, signal_number: int, step: int, checkpoint: Path | None) -> None:
        where = "It keeps no checkpoints." if checkpoint is None else f"Resume from {str(checkpoint)!r}."
        super().__init__(
            f"training stopped by {signal.Signals(signal_number).name} after step {step}. {where}"
        )
        self.signal_number = signal_number
        self.step = step
        self.checkpoint = checkpoint

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ends so."""
        return 128 + self.signal_number


@contextmanager
def stop_on_signals() -> Iterator[StopRequest]:
    """Note the first SIGTERM or SIGINT instead of dying of it; a second one acts as it always does.

    Outside the main thread Python cannot watch signals, and the request stays empty.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {number: signal.getsignal(number) for number in _WATCHED}

    def note(number: int, _frame: FrameType | None) -> None:
        request.signal_number = number
        signal.signal(number, before[signal.Signals(number)])

    for number in _WATCHED:
        signal.signal(number, note)
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
