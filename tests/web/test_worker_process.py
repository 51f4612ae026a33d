"""A worker that can be ended at any moment, and is there again."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest
from tests.web.small_uploads import points_csv

from abclust.storage.memory_file import MemoryFile
from abclust.web.api_errors import ApiError
from abclust.web.config import MEGABYTE
from abclust.web.tasks import Circle, CircleTask, ClusterTask, ExampleTask, Progress, ReadLimits, Task
from abclust.web.worker_main import WorkerSettings, refusal
from abclust.web.worker_process import WorkerProcess

SMALL = CircleTask((Circle(0.0, 0.0, 0.5, 5), Circle(1.0, 0.0, 0.5, 3)), 0.0, 0)
LIMITS = ReadLimits(most_items=100_000, most_columns=7, unpacked_bytes=MEGABYTE)
LARGE = ClusterTask((MemoryFile("p.csv", points_csv(1_999)),), "vectors", None, None, LIMITS)


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    made = WorkerProcess(WorkerSettings(threads=1, memory_bytes=1_024 * MEGABYTE))
    yield made
    made.close()


def run(worker: WorkerProcess, task: Task, seconds: float = 600.0) -> object:
    return worker.run(task, seconds, lambda progress: None, lambda: False)


def assert_usable(worker: WorkerProcess) -> None:
    done = run(worker, SMALL)
    assert isinstance(done, dict)
    assert len(done["points"]) == 8


def test_a_task_tells_its_progress_and_gives_its_value(worker: WorkerProcess) -> None:
    told: list[Progress] = []
    done = worker.run(SMALL, 600.0, told.append, lambda: False)
    assert [progress.done for progress in told] == [0, 1, 2]
    assert done["truth"] == [0] * 5 + [1] * 3


def test_a_task_that_takes_too_long_is_ended_and_the_worker_is_usable_again(worker: WorkerProcess) -> None:
    assert_usable(worker)
    before = worker.pid
    with pytest.raises(ApiError) as caught:
        run(worker, LARGE, seconds=0.01)
    assert (caught.value.status, caught.value.code) == (503, "out_of_time")
    assert worker.pid != before
    assert before is not None
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)  # it is really gone
    assert_usable(worker)


def test_a_worker_that_is_killed_at_work_fails_its_task_and_comes_back(worker: WorkerProcess) -> None:
    assert_usable(worker)

    def kill(progress: Progress) -> None:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)

    with pytest.raises(ApiError) as caught:
        worker.run(LARGE, 600.0, kill, lambda: False)
    assert (caught.value.status, caught.value.code) == (503, "worker_died")
    assert_usable(worker)


def test_a_worker_that_died_between_two_tasks_is_replaced(worker: WorkerProcess) -> None:
    assert_usable(worker)
    before = worker.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    worker.wait_until_gone()
    assert_usable(worker)
    assert worker.pid != before


def test_a_task_is_cancelled_from_another_thread(worker: WorkerProcess) -> None:
    cancelled = threading.Event()

    def cancel(progress: Progress) -> None:
        if progress.stage == "kernel":
            threading.Thread(target=lambda: (cancelled.set(), worker.wake())).start()

    with pytest.raises(ApiError) as caught:
        worker.run(LARGE, 600.0, cancel, cancelled.is_set)
    assert caught.value.code == "cancelled"
    assert_usable(worker)


def test_a_bell_that_rings_for_nobody_is_not_heard(worker: WorkerProcess) -> None:
    worker.wake()
    worker.wake()
    assert_usable(worker)


def test_a_task_that_wants_too_much_memory_is_refused_and_the_worker_lives() -> None:
    small = WorkerProcess(WorkerSettings(threads=1, memory_bytes=128 * MEGABYTE))
    try:
        assert_usable(small)
        before = small.pid
        rows = points_csv(4_001)  # a kernel of 128 megabytes
        with pytest.raises(ApiError) as caught:
            run(small, ClusterTask((MemoryFile("p.csv", rows),), "circles", None, None, LIMITS))
        assert (caught.value.status, caught.value.code) == (413, "too_large")
        assert small.pid == before
        assert_usable(small)
    finally:
        small.close()


def test_what_the_client_cannot_mend_is_not_told(worker: WorkerProcess) -> None:
    told = refusal(KeyError("a secret"))
    assert (told.status, told.code) == (500, "internal")
    assert "secret" not in told.message


def test_a_task_that_is_refused_says_why(worker: WorkerProcess) -> None:
    with pytest.raises(ApiError, match="example must be one of") as caught:
        run(worker, ExampleTask("faces", 0))
    assert caught.value.status == 422
