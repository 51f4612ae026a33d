"""What runs inside a worker process: take a task, do it, tell; until the server is gone."""

import logging
import multiprocessing
import os
import signal
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection

from abclust.foundations.errors import AbclustError
from abclust.web.api_errors import ApiError, internal
from abclust.web.tasks import Outcome, Refusal

READY = "ready"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker process must know from the beginning."""

    threads: int
    """Threads of torch."""
    memory_bytes: int
    """Memory beyond what the libraries take."""


def work(connection: Connection, settings: WorkerSettings) -> None:
    """Serve tasks from a connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    import torch

    from abclust.web.worker_tasks import do_task

    torch.set_num_threads(settings.threads)
    _limit_memory(settings.memory_bytes)
    connection.send(READY)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            answer = Outcome(do_task(task, connection.send))
        except Exception as error:
            answer = refusal(error)
        connection.send(answer)


def refusal(error: Exception) -> Refusal:
    """What a client may know of an error: all of what it can mend, nothing of what is ours.

    Examples
    --------
    >>> refusal(KeyError("a secret")).message
    'something went wrong in the server, which has noted it. Other requests are not affected.'
    """
    if isinstance(error, ApiError):
        return Refusal(error.status, error.code, error.message)
    if isinstance(error, MemoryError) or "allocate memory" in str(error):  # torch's MemoryError
        message = "a computation must fit in the memory of its worker. This one did not. Send fewer items."
        return Refusal(413, "too_large", message)
    if isinstance(error, AbclustError):
        return Refusal(422, "invalid", str(error))
    logger.error("a task failed", exc_info=error)
    return refusal(internal())


def _leave_with_parent() -> None:
    """A worker whose server was killed would compute to the end for nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _limit_memory(n_bytes: int) -> None:
    """More memory than this is an error inside the worker, not a crisis of the whole machine."""
    try:
        import resource
    except ImportError:  # no such limits on this system
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return  # what the libraries take cannot be told here, and the limit counts it
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken + n_bytes
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
