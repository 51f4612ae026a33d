"""The engine of one machine: in this process, or in several worker processes."""

from collections.abc import Iterable, Iterator

from abclust.engines.engine import ClusteringJob, SetOutcome, SetTask
from abclust.engines.set_chunks import answer_chunk, chunked
from abclust.engines.worker_processes import WorkerProcesses
from abclust.foundations.errors import InvalidInputError
from abclust.scale.progress import ScaleProgress


class LocalEngine:
    """Clusters sets on this machine, some chunks in memory at a time.

    Parameters
    ----------
    workers
        1 works in this process. More are processes of their own, which share the machine's cores; each loads
        the weights once.
    progress
        Hears of the stages of a set that is clustered by local sets, if that is done in this process.

    Raises
    ------
    InvalidInputError
        If there is not at least one worker.

    Examples
    --------
    >>> from abclust.datasets import circles
    >>> from abclust.estimator.network_source import WeightsReference
    >>> tasks = (SetTask(each) for each in circles(3, n_points=20, seed=0))
    >>> job = ClusteringJob(WeightsReference.of("circles"))
    >>> [len(outcome.answer.partition.labels) for outcome in LocalEngine().cluster(tasks, job)]
    [20, 20, 20]
    """

    def __init__(self, workers: int = 1, progress: ScaleProgress | None = None) -> None:
        if workers < 1:
            raise InvalidInputError(f"workers must be at least 1. Got {workers}.")
        self.workers, self.progress = workers, progress

    def cluster(self, tasks: Iterable[SetTask], job: ClusteringJob) -> Iterator[SetOutcome]:
        """One outcome for each task, in order; see :class:`abclust.engines.engine.Engine`."""
        if self.workers == 1:
            clusterer = job.clusterer()
            answered = (
                (chunk, answer_chunk(clusterer, chunk, job.scale, self.progress)) for chunk in chunked(tasks)
            )
        else:
            answered = WorkerProcesses(job, self.workers).answers(chunked(tasks))
        for chunk, answers in answered:
            for task, answer in zip(chunk, answers):
                yield SetOutcome(task, answer)
