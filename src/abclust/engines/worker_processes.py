"""Worker processes that cluster chunks of sets: order kept, memory bounded, a dead worker costs a retry."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import torch

from abclust.engines.engine import Answer, ClusteringJob, SetTask
from abclust.engines.set_chunks import answer_chunk
from abclust.estimator.set_clusterer import SetClusterer

Chunk = list[SetTask]
DIED = (
    "its worker process died twice, most likely for want of memory. Give it fewer items, or run with fewer "
    "workers."
)
_CHUNKS_PER_WORKER = 2  # one at work, one waiting: no worker idles and memory stays bounded


class WorkerProcesses:
    """A pool of processes for one job.

    When a worker dies (the system's hand on what takes too much memory), the chunks that were in flight are
    worked off again set by set, each alone in a process. A set whose process dies again has that as its
    answer; no other set is lost.
    """

    def __init__(self, job: ClusteringJob, workers: int) -> None:
        self._job = job
        self._workers = workers

    def answers(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Answer]]]:
        """The answers to each chunk, in order."""
        waiting = iter(chunks)
        in_flight: deque[tuple[Chunk, Future[list[Answer]]]] = deque()
        pool = self._pool(self._workers)
        try:
            while True:
                while len(in_flight) < _CHUNKS_PER_WORKER * self._workers:
                    chunk = next(waiting, None)
                    if chunk is None:
                        break
                    in_flight.append((chunk, _submitted(pool, chunk)))
                if not in_flight:
                    return
                try:
                    answers = in_flight[0][1].result()
                except BrokenProcessPool:
                    pool.shutdown(wait=False)
                    yield from self._again([chunk for chunk, _ in in_flight])
                    in_flight.clear()
                    pool = self._pool(self._workers)
                else:
                    yield in_flight.popleft()[0], answers
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _again(self, chunks: list[Chunk]) -> Iterator[tuple[Chunk, list[Answer]]]:
        """Set by set, nothing else in flight: whose process dies now is the one to blame."""
        alone = self._pool(1)
        try:
            for chunk in chunks:
                answers = []
                for task in chunk:
                    try:
                        answers += alone.submit(_answer, [task]).result()
                    except BrokenProcessPool:
                        answers.append(Answer(error=DIED))
                        alone.shutdown(wait=False)
                        alone = self._pool(1)
                yield chunk, answers
        finally:
            alone.shutdown(wait=True, cancel_futures=True)

    def _pool(self, workers: int) -> ProcessPoolExecutor:
        # Spawned: a fork of a process with torch's threads in it may hang.
        return ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(self._job, max(1, _cores() // self._workers)),
        )


_clusterer: SetClusterer | None = None  # of this worker process, which serves one job
_scale = "auto"


def _start(job: ClusteringJob, threads: int) -> None:
    global _clusterer, _scale
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    torch.set_num_threads(threads)
    _clusterer, _scale = job.clusterer(), job.scale


def _leave_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _submitted(pool: ProcessPoolExecutor, chunk: Chunk) -> Future[list[Answer]]:
    """The answers to come; a pool that is already broken says so through them too."""
    try:
        return pool.submit(_answer, chunk)
    except BrokenProcessPool as error:
        failed: Future[list[Answer]] = Future()
        failed.set_exception(error)
        return failed


def _answer(chunk: Chunk) -> list[Answer]:
    assert _clusterer is not None  # the initializer has run
    return answer_chunk(_clusterer, chunk, _scale)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
