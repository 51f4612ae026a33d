"""What a person is told while a large set is clustered: stages, each with a count that grows."""

import logging
import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, runtime_checkable

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_log = logging.getLogger(__name__)


@runtime_checkable
class ScaleProgress(Protocol):
    """Hears of the work; must be quick, it stands in the loop."""

    def stage(self, name: str, total: int, done: int = 0) -> None:
        """A new stage of `total` steps begins, of which a killed run before this one may have done some."""
        ...

    def advance(self, done: int) -> None:
        """So many steps of the stage are done in all."""
        ...


class LogProgress:
    """Plain lines through :mod:`logging`: one a stage, and one every few seconds within it."""

    def __init__(self, seconds: float = 10.0) -> None:
        self.seconds = seconds
        self._name, self._total, self._last = "", 0, 0.0

    def stage(self, name: str, total: int, done: int = 0) -> None:
        """Say what begins."""
        self._name, self._total, self._last = name, total, time.monotonic()
        _log.info("%s: %d of %d", name, done, total)

    def advance(self, done: int) -> None:
        """Say how far it is, if it is time again."""
        now = time.monotonic()
        if now - self._last >= self.seconds:
            self._last = now
            _log.info("%s: %d of %d", self._name, done, self._total)


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A bar a stage on standard error, where that is a terminal.

    Parameters
    ----------
    console
        Where to draw instead.

    Examples
    --------
    >>> with ProgressBar() as progress:
    ...     progress.stage("encoding", 3)
    ...     progress.advance(3)
    """

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            refresh_per_second=2,  # the refreshing thread shares the cores with the work
            disable=not console.is_terminal,
        )
        self._task = None

    def __enter__(self) -> "ProgressBar":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def stage(self, name: str, total: int, done: int = 0) -> None:
        """Draw a new bar."""
        self._task = self._bar.add_task(name, total=total, completed=done)

    def advance(self, done: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._bar.update(self._task, completed=done)


def default_progress() -> AbstractContextManager[ScaleProgress]:
    """A bar where a person watches, log lines where none does."""
    return ProgressBar() if sys.stderr.isatty() else _Logging()


class _Logging(LogProgress, AbstractContextManager[LogProgress]):
    def __enter__(self) -> "LogProgress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
