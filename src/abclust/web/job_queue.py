"""One bounded queue of jobs, done by a few worker processes.

Everything here happens in the event loop of the server; only the conversation with a worker is in a thread.
"""

import asyncio
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.requests import Request

from abclust.web.api_errors import ApiError, busy, cancelled, internal, not_found, too_many
from abclust.web.config import MEGABYTE, WebConfig, is_loopback
from abclust.web.job import Job
from abclust.web.tasks import Progress, Task
from abclust.web.worker_main import WorkerSettings
from abclust.web.worker_process import WorkerProcess

_FINISHED_KEPT = 1_024  # jobs whose end can still be asked for
_FINISHED_SECONDS = 600.0

logger = logging.getLogger(__name__)


class JobQueue:
    """The one queue of a server, its workers, and the jobs that can be asked for.

    Parameters
    ----------
    config
        Capacity, limits and the number of workers.
    """

    def __init__(self, config: WebConfig) -> None:
        self._config = config
        settings = WorkerSettings(_threads(config.workers), config.worker_megabytes * MEGABYTE)
        self._workers = [WorkerProcess(settings) for _ in range(config.workers)]
        self._threads = ThreadPoolExecutor(config.workers, thread_name_prefix="abclust-worker")
        self._waiting: OrderedDict[str, Job] = OrderedDict()
        self._running: dict[str, tuple[Job, WorkerProcess]] = {}
        self._finished: OrderedDict[str, Job] = OrderedDict()
        self._arrived = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._held_bytes = 0
        self._is_closed = False

    def start(self) -> None:
        """Start the workers; they load their libraries while the server answers already."""
        self._tasks = [asyncio.create_task(self._serve(worker)) for worker in self._workers]

    async def close(self) -> None:
        """Fail all jobs, end all workers, wait until they are gone."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        leaving = _leaving()
        for job, worker in list(self._running.values()):
            job.is_cancelled = True
            worker.wake()
            job.finish(error=leaving)
        for job in list(self._waiting.values()):
            job.finish(error=leaving)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self._threads.shutdown)
        for worker in self._workers:
            worker.close()

    @property
    def numbers(self) -> dict[str, int]:
        """How full the queue is."""
        waiting, running = len(self._waiting), len(self._running)
        return {"waiting": waiting, "running": running, "capacity": self._config.queue_capacity}

    def check_room(self, client: str) -> None:
        """Refuse before anything is read.

        Raises
        ------
        ApiError
            503 if the queue is full, 429 if this client has too many jobs in it.
        """
        config = self._config
        if self._is_closed:
            raise _leaving()
        if len(self._waiting) + len(self._running) >= config.queue_capacity:
            raise busy(
                f"at most {config.queue_capacity} jobs may wait or run. The queue is full. Try again soon."
            )
        if is_loopback(client):
            return  # one machine, perhaps a proxy with many people behind it
        own = sum(job.client == client for job in self._unfinished())
        if own >= config.jobs_per_client:
            raise too_many(
                f"one address may have {config.jobs_per_client} jobs at a time. Got one more. Wait."
            )

    def hold(self, n_bytes: int) -> None:
        """Count bytes of an upload that come into memory; :meth:`let_go` of them if no job takes them over.

        Raises
        ------
        ApiError
            503 if all uploads together would be too many.
        """
        if self._held_bytes + n_bytes > self._config.queue_megabytes * MEGABYTE:
            raise busy(
                f"at most {self._config.queue_megabytes} MB of uploads may wait. They do. Try again soon."
            )
        self._held_bytes += n_bytes

    def let_go(self, n_bytes: int) -> None:
        """The bytes are no longer in memory."""
        self._held_bytes -= n_bytes

    def submit(
        self,
        task: Task,
        client: str,
        accept: Callable[[Any], Any] = lambda value: value,
        *,
        n_bytes: int = 0,
        is_kept: bool = False,
    ) -> Job:
        """Put a task into the queue.

        Parameters
        ----------
        task
            What to do.
        client
            The address that asks.
        accept
            Makes the outcome of the worker's value, in the event loop.
        n_bytes
            Bytes that were held for it; they are let go when it ends.
        is_kept
            Whether it can still be asked for by its id when it has ended.

        Raises
        ------
        ApiError
            As :meth:`check_room`.
        """
        self.check_room(client)
        job = Job(task, client, n_bytes, accept)
        job.is_kept = is_kept
        job.position = len(self._waiting)
        self._waiting[job.id] = job
        job.on_end = self._ended
        self._arrived.set()
        return job

    def find(self, job_id: str) -> Job:
        """A job by its id.

        Raises
        ------
        ApiError
            404 if there is none, or it ended long ago.
        """
        self._forget()
        running = self._running.get(job_id)
        job = running[0] if running else self._waiting.get(job_id) or self._finished.get(job_id)
        if job is None:
            raise not_found("the job must be one that was started here not long ago. There is no such job.")
        return job

    def cancel(self, job: Job) -> None:
        """Take a job back: out of the queue, or its worker is ended."""
        job.is_cancelled = True
        running = self._running.get(job.id)
        if running:
            running[1].wake()
        job.finish(error=cancelled())

    async def wait(self, job: Job) -> Any:
        """The outcome of a job; if it takes too long the job is taken back.

        Raises
        ------
        ApiError
            What the job failed with; 503 if the time of a request is over.
        """
        seconds = self._config.request_seconds
        done, _ = await asyncio.wait([job.outcome], timeout=seconds)
        if not done:
            self.cancel(job)
            raise busy(
                f"a request is held for {seconds:g} seconds. It is over. Try again when less is waiting."
            )
        return job.outcome.result()

    def _unfinished(self) -> list[Job]:
        return [*self._waiting.values(), *(job for job, _ in self._running.values())]

    def _ended(self, job: Job) -> None:
        self.let_go(job.n_bytes)
        if self._waiting.pop(job.id, None) is not None:
            self._renumber()
        if job.is_kept:
            self._finished[job.id] = job
        self._forget()

    def _forget(self) -> None:
        too_old = time.monotonic() - _FINISHED_SECONDS
        while self._finished:
            first = next(iter(self._finished.values()))
            if len(self._finished) <= _FINISHED_KEPT and first.finished_at >= too_old:
                return
            del self._finished[first.id]

    def _renumber(self) -> None:
        for position, job in enumerate(self._waiting.values()):
            job.position = position
            job.note()

    async def _serve(self, worker: WorkerProcess) -> None:
        """One worker's day: the next job, again and again."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._threads, worker.start)
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            _, job = self._waiting.popitem(last=False)
            job.position = None
            self._running[job.id] = (job, worker)
            self._renumber()
            job.note()
            try:
                await self._do(job, worker, loop)
            finally:
                del self._running[job.id]

    async def _do(self, job: Job, worker: WorkerProcess, loop: asyncio.AbstractEventLoop) -> None:
        def report(progress: Progress) -> None:
            loop.call_soon_threadsafe(job.advance, progress)

        assert job.task is not None  # it has not ended
        run = partial(worker.run, job.task, self._config.job_seconds, report, lambda: job.is_cancelled)
        try:
            value = await loop.run_in_executor(self._threads, run)
            if not job.is_cancelled:
                job.finish(job.accept(value))
        except ApiError as error:
            job.finish(error=error)
        except Exception:  # of ours; the worker and the queue go on
            logger.exception("a job failed")
            job.finish(error=internal())


def client_address(request: Request) -> str:
    """Who asks."""
    return request.client.host if request.client else ""


def _leaving() -> ApiError:
    return busy("the server must be running. It is being shut down.")


def _threads(workers: int) -> int:
    """The cores, shared among the workers: two that each take all of them would only wait for each other.

    Whoever sets OMP_NUM_THREADS knows better.
    """
    told = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(told) if told.isdigit() and int(told) > 0 else max(1, cores // workers)
