"""One worker: a process that computes one task at a time, and can be ended and replaced at any moment.

A thread cannot be stopped, so a computation that takes too long in one would hold its place for ever. A
process can: the system takes its memory and its time back, and the next one is there at once, because it is
forked from a server process that has imported everything already (where the system can fork).
"""

import logging
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

from abclust.web.api_errors import ApiError, cancelled, out_of_time, worker_died
from abclust.web.tasks import Outcome, Progress, Refusal, Task
from abclust.web.worker_main import WorkerSettings, work

_START_SECONDS = 300.0  # importing torch on a busy machine
_PRELOADED = ["abclust.web.worker_tasks"]

logger = logging.getLogger(__name__)


class WorkerProcess:
    """A process that does tasks; see :meth:`run`. For one thread at a time, except :meth:`wake`."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._woken, self._bell = multiprocessing.Pipe(duplex=False)
        self._process: Any = None
        self._connection: Connection | None = None
        self._is_ready = False

    def start(self) -> None:
        """Start the process, unless it runs; it loads its libraries while the server goes on."""
        if self._process is not None and self._process.is_alive():
            return
        self.close()  # what is left of one that died between two tasks
        context: Any = _context()
        ours, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, self._settings), daemon=True)
        self._process.start()
        theirs.close()
        self._connection, self._is_ready = ours, False

    def run(
        self,
        task: Task,
        seconds: float,
        report: Callable[[Progress], None],
        is_cancelled: Callable[[], bool],
    ) -> Any:
        """Do one task and give its value; afterwards the worker is ready for the next, whatever happened.

        Parameters
        ----------
        task
            What to do.
        seconds
            Computing time; the process is ended when it is over.
        report
            Called with each progress.
        is_cancelled
            Asked after :meth:`wake`; if true the process is ended.

        Raises
        ------
        ApiError
            If the task was refused, cancelled, took too long, or took the process with it.
        """
        try:
            self.start()
            self._await_start(is_cancelled)
            return self._converse(task, seconds, report, is_cancelled)
        except (EOFError, OSError) as error:
            logger.warning("a worker ended over a %s", type(task).__name__)
            self._replace()
            raise worker_died() from error

    def wake(self) -> None:
        """Let :meth:`run` look whether its task was cancelled. From any thread."""
        self._bell.send_bytes(b"!")

    def close(self) -> None:
        """End the process and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def wait_until_gone(self) -> None:
        """Wait until the process has ended, by itself or by another's hand."""
        if self._process is not None:
            self._process.join()

    @property
    def pid(self) -> int | None:
        """The process now at work."""
        return None if self._process is None else self._process.pid

    def _await_start(self, is_cancelled: Callable[[], bool]) -> None:
        if not self._is_ready:
            self._receive(_START_SECONDS, is_cancelled)
            self._is_ready = True

    def _converse(
        self,
        task: Task,
        seconds: float,
        report: Callable[[Progress], None],
        is_cancelled: Callable[[], bool],
    ) -> Any:
        assert self._connection is not None
        self._connection.send(task)
        end = time.monotonic() + seconds
        while True:
            message = self._receive(end - time.monotonic(), is_cancelled, seconds)
            if isinstance(message, Progress):
                report(message)
            elif isinstance(message, Refusal):
                raise ApiError(message.status, message.code, message.message)
            else:
                assert isinstance(message, Outcome)
                return message.value

    def _receive(self, seconds: float, is_cancelled: Callable[[], bool], limit: float | None = None) -> Any:
        """The next message of the process, unless the time is over or the task cancelled before."""
        assert self._connection is not None
        end = time.monotonic() + seconds
        while True:
            ready = wait(
                [self._connection, self._woken, self._process.sentinel], max(0.0, end - time.monotonic())
            )
            if self._woken in ready:
                self._woken.recv_bytes()
            if is_cancelled():
                self._replace()
                raise cancelled()
            if self._connection in ready:
                return self._connection.recv()
            if self._process.sentinel in ready:
                raise EOFError
            if not ready:
                self._replace()
                raise out_of_time(limit or seconds)

    def _replace(self) -> None:
        self.close()
        self.start()


def _context() -> Any:
    """How processes start: forked from a clean server process where that can be, else from the beginning."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # Imported once, before any thread runs there: a process forked from it is ready in milliseconds.
    context.set_forkserver_preload(_PRELOADED)
    return context
