"""The engine of many machines: chunks of sets through Ray Data; a lost worker costs a retry."""

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

from abclust.engines.engine import Answer, ClusteringJob, SetOutcome, SetTask
from abclust.engines.ray_worker import answer_row
from abclust.engines.set_chunks import chunked
from abclust.engines.worker_processes import DIED
from abclust.foundations.errors import AbclustError, InvalidInputError, MissingExtraError

Chunk = list[SetTask]
CHUNKS_PER_WORKER = 8
"""Chunks in flight for each worker: none idles for long, and the memory of the driver stays bounded."""
RETRIES = 1
"""How often Ray itself starts a chunk anew whose worker was lost, before its sets are tried one by one."""


class RayEngine:
    """Clusters sets on a Ray cluster, or on this machine by Ray's workers where there is none.

    Sets are read here, travel in chunks as rows of a Ray dataset, and are answered in order. Ray starts a
    chunk whose worker died anew, on whatever worker there is. If it fails again and again, its sets go one by
    one; a set that still takes its worker with it has that as its answer, and no other set is lost.

    Parameters
    ----------
    workers
        Chunks worked off at a time. Without ``RAY_ADDRESS`` (or a Ray that runs already) so many workers are
        started on this machine, and ended afterwards.

    Raises
    ------
    InvalidInputError
        If there is not at least one worker.
    MissingExtraError
        If Ray is not installed.

    References
    ----------
    Moritz et al.: Ray: A distributed framework for emerging AI applications. OSDI 2018. arXiv:1712.05889
    """

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise InvalidInputError(f"workers must be at least 1. Got {workers}.")
        try:
            import ray.data  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("ray[data]", "ray", "engine 'ray'") from error
        self.workers = workers

    def cluster(self, tasks: Iterable[SetTask], job: ClusteringJob) -> Iterator[SetOutcome]:
        """One outcome for each task, in order; see :class:`abclust.engines.engine.Engine`."""
        chunks = chunked(tasks)
        with _running_ray(self.workers):
            while window := list(islice(chunks, CHUNKS_PER_WORKER * self.workers)):
                for chunk, answers in zip(window, self._answers(window, job)):
                    for task, answer in zip(chunk, answers):
                        yield SetOutcome(task, answer)

    def _answers(self, chunks: list[Chunk], job: ClusteringJob) -> list[list[Answer]]:
        """The answers to each chunk; where workers died over one, set by set."""
        found = self._run(chunks, job)
        lost = [number for number, answers in enumerate(found) if answers is None]
        if lost and self._run([[]], job) == [None]:
            raise AbclustError("Ray's workers cannot even load the job. Their own log says why.")
        for number in lost:
            alone = self._run([[task] for task in chunks[number]], job)
            found[number] = [Answer(error=DIED) if one is None else one[0] for one in alone]
        return [answers for answers in found if answers is not None]

    def _run(self, chunks: list[Chunk], job: ClusteringJob) -> list[list[Answer] | None]:
        """One pass of a Ray dataset; None for a chunk that was lost for good."""
        import ray

        rows = [{"number": number, "tasks": chunk} for number, chunk in enumerate(chunks)]
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
            partial(answer_row, job=job),
            compute=ray.data.TaskPoolStrategy(size=min(self.workers, len(rows))),
            num_cpus=1,
            ray_remote_args_fn=_remote_arguments,
        )
        found: list[list[Answer] | None] = [None] * len(chunks)
        for row in dataset.iter_rows():
            if row["fault"]:
                raise AbclustError(f"a worker of Ray failed: {row['fault']}")
            found[row["number"]] = row["answers"]
        return found


def _remote_arguments() -> dict[str, Any]:
    return {"max_retries": RETRIES}


@contextmanager
def _running_ray(workers: int) -> Iterator[None]:
    """Ray as it runs already, or one of our own for the time being; settings of Ray Data put back after."""
    import ray

    is_ours = not ray.is_initialized()
    if is_ours:
        own: dict[str, Any] = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": workers}
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, **own)
    context = ray.data.DataContext.get_current()
    before = context.max_errored_blocks, context.enable_progress_bars
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    # A chunk that was lost for good is left out by Ray and found missing here; the others go on.
    context.max_errored_blocks, context.enable_progress_bars = -1, False
    try:
        yield
    finally:
        context.max_errored_blocks, context.enable_progress_bars = before
        if is_ours:
            ray.shutdown()
