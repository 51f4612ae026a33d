"""One task of one client, from the queue to its end. Everything here happens in the server's event loop."""

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any

from abclust.web.api_errors import ApiError
from abclust.web.tasks import Progress, Task


class Job:
    """One task of one client, from the queue to its end."""

    def __init__(self, task: Task, client: str, n_bytes: int, accept: Callable[[Any], Any]) -> None:
        self.id = secrets.token_urlsafe(18)
        self.task: Task | None = task
        self.client, self.n_bytes, self.accept = client, n_bytes, accept
        self.position: int | None = None
        """Jobs before it; None once a worker has it."""
        self.progress: Progress | None = None
        self.is_cancelled = False
        self.is_kept = False
        """Whether it can still be asked for when it has ended."""
        self.finished_at = 0.0
        self.on_end: Callable[[Job], None] = lambda job: None
        """What its queue does when it ends."""
        self.outcome: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._changed = asyncio.Event()

    def note(self) -> None:
        """Wake all who watch."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def next_change(self) -> asyncio.Event:
        """Set at the next change. Take it before looking at the job, and no change is missed."""
        return self._changed

    def advance(self, progress: Progress) -> None:
        """The worker is further."""
        self.progress = progress
        self.note()

    def finish(self, value: Any = None, error: ApiError | None = None) -> None:
        """The end, once: a value or an error. What the task held in memory is let go."""
        if self.outcome.done():
            return
        self.task, self.position, self.finished_at = None, None, time.monotonic()
        self.on_end(self)
        if error is None:
            self.outcome.set_result(value)
        else:
            self.outcome.set_exception(error)
            self.outcome.exception()  # looked at: nobody need wait for a job that failed
        self.note()
