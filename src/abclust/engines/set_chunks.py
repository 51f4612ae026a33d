"""Sets in handy chunks: enough to share a forward pass, few enough for memory; and one chunk worked off."""

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from abclust.clustering.backends import partition_kernel
from abclust.engines.engine import Answer, SetTask
from abclust.engines.large_task import answer_large
from abclust.estimator.clustered_set import ClusteredSet, SetFailure
from abclust.estimator.item_preparation import prepare_items
from abclust.estimator.parameter_checks import goes_local
from abclust.estimator.set_clusterer import SetClusterer
from abclust.estimator.set_stream import Job, Solved, read_jobs, solve_window
from abclust.scale.progress import ScaleProgress

SETS_IN_A_CHUNK = 256
PAIRS_IN_A_CHUNK = 2**21
"""About 200 sets of 100 items, or one large set: 16 MB of kernels."""
BYTES_IN_A_CHUNK = 2**25


def chunked(tasks: Iterable[SetTask]) -> Iterator[list[SetTask]]:
    """Some tasks at a time: at least one, then as many as the limits allow."""
    chunk: list[SetTask] = []
    n_pairs = n_bytes = 0
    for task in tasks:
        chunk.append(task)
        n_pairs += task.set.n_items**2
        n_bytes += task.set.items.nbytes
        if len(chunk) >= SETS_IN_A_CHUNK or n_pairs >= PAIRS_IN_A_CHUNK or n_bytes >= BYTES_IN_A_CHUNK:
            yield chunk
            chunk, n_pairs, n_bytes = [], 0, 0
    if chunk:
        yield chunk


def answer_chunk(
    clusterer: SetClusterer,
    tasks: Sequence[SetTask],
    scale: str = "auto",
    progress: ScaleProgress | None = None,
) -> list[Answer]:
    """Cluster the sets of a chunk together; if memory does not suffice, one by one; large ones by local sets.

    Parameters
    ----------
    clusterer
        Does the work.
    tasks
        The sets.
    scale
        Which sets are large; see :func:`abclust.estimator.parameter_checks.goes_local`.
    progress
        Hears of the stages of a large set.
    """
    is_large = [goes_local(task.set.n_items, scale) for task in tasks]
    small = [task for task, large in zip(tasks, is_large) if not large]
    answers = iter(_together_or_alone(clusterer, small) if small else [])
    return [
        answer_large(clusterer, task, progress) if large else next(answers)
        for task, large in zip(tasks, is_large)
    ]


def _together_or_alone(clusterer: SetClusterer, tasks: Sequence[SetTask]) -> list[Answer]:
    try:
        return _together(clusterer, tasks)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "allocate memory" not in str(error):  # torch's MemoryError
            raise
        if len(tasks) > 1:
            return [_together_or_alone(clusterer, [task])[0] for task in tasks]
        n_items = tasks[0].set.n_items
        return [Answer(error=f"a set must fit in memory. Got {n_items:,} items, which do not.")]


def _together(clusterer: SetClusterer, tasks: Sequence[SetTask]) -> list[Answer]:
    """One batch of all sets in detail, one of all others; order kept."""
    answers: dict[int, Answer] = {}
    for in_detail in (True, False):
        places = [place for place, task in enumerate(tasks) if task.in_detail is in_detail]
        if places:
            batch = _batch(clusterer, [tasks[place] for place in places], in_detail)
            answers.update(zip(places, batch))
    return [answers[place] for place in range(len(tasks))]


def _batch(clusterer: SetClusterer, tasks: Sequence[SetTask], in_detail: bool) -> list[Answer]:
    started = time.perf_counter()
    numbers = [clusterer.n_clusters if task.n_clusters is None else task.n_clusters for task in tasks]
    jobs = read_jobs(
        [task.set for task in tasks],
        partial(prepare_items, clusterer.network),
        [(task.must_link, task.cannot_link) for task in tasks],
        numbers,
    )
    solve = partial(_partitions, clusterer, None if in_detail else 0)
    found = solve_window(list(jobs), clusterer.kernels, solve)
    seconds = (time.perf_counter() - started) / len(tasks)
    return [_answer(one, in_detail, seconds) for one in found]


def _partitions(
    clusterer: SetClusterer, n_samples: int | None, jobs: list[Job], kernels: list[np.ndarray]
) -> list[Any]:
    return partition_kernel(
        kernels,
        [job.n_clusters for job in jobs],
        clusterer.method,
        must_link=[job.must_link for job in jobs],
        cannot_link=[job.cannot_link for job in jobs],
        random_state=clusterer.seed,
        one_cluster_odds=[clusterer.one_cluster_odds(job.prepared) for job in jobs],
        n_samples=n_samples,
    )  # type: ignore[return-value] # a list in gives a list out


def _answer(found: Solved | SetFailure, in_detail: bool, seconds: float) -> Answer:
    if isinstance(found, SetFailure):
        return Answer(error=str(found.error), seconds=seconds)
    whole = ClusteredSet(found.kernel, found.result, found.job.prepared) if in_detail else None
    return Answer(found.result, whole, seconds=seconds)
