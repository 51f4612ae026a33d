"""The queue itself: how full it may be, and what it lets go."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from abclust.web.api_errors import ApiError
from abclust.web.config import MEGABYTE, WebConfig
from abclust.web.disconnection import until_disconnected
from abclust.web.events import job_events
from abclust.web.job_queue import JobQueue
from abclust.web.tasks import ExampleTask, Progress

TASK = ExampleTask("circles", 0)
FAR = "192.0.2.7"
NEAR = "127.0.0.1"


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """No worker was started: jobs wait until the test moves them."""
    # In a thread of its own: while a browser is open, the main thread has a loop running already.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def test_one_address_cannot_fill_the_queue() -> None:
    async def work() -> None:
        queue = JobQueue(WebConfig(queue_capacity=7, jobs_per_client=2))
        first = queue.submit(TASK, FAR)
        queue.submit(TASK, FAR)
        with pytest.raises(ApiError) as caught:
            queue.submit(TASK, FAR)
        assert (caught.value.status, caught.value.code) == (429, "too_many")
        queue.submit(TASK, "192.0.2.8")
        for _ in range(4):
            queue.submit(TASK, NEAR)  # one machine, perhaps a proxy
        queue.cancel(first)
        queue.submit(TASK, FAR)
        with pytest.raises(ApiError) as caught:
            queue.submit(TASK, NEAR)
        assert (caught.value.status, caught.value.code) == (503, "busy")
        await queue.close()

    in_a_loop(work())


def test_uploads_in_memory_have_a_bound_and_are_let_go_with_their_jobs() -> None:
    async def work() -> None:
        queue = JobQueue(WebConfig(queue_megabytes=2))
        queue.hold(MEGABYTE)
        job = queue.submit(TASK, NEAR, n_bytes=MEGABYTE)
        queue.hold(MEGABYTE)
        with pytest.raises(ApiError) as caught:
            queue.hold(1)
        assert caught.value.status == 503
        queue.cancel(job)
        await asyncio.sleep(0)
        queue.hold(MEGABYTE)
        assert job.task is None  # nothing keeps the files
        await queue.close()

    in_a_loop(work())


def test_positions_move_up_and_watchers_are_told() -> None:
    async def work() -> None:
        queue = JobQueue(WebConfig())
        jobs = [queue.submit(TASK, NEAR) for _ in range(3)]
        events = job_events(jobs[2])
        assert await anext(events) == b'event: queued\ndata: {"position": 2}\n\n'
        queue.cancel(jobs[0])
        assert await anext(events) == b'event: queued\ndata: {"position": 1}\n\n'
        jobs[2].position = None
        jobs[2].advance(Progress("kernel", 3, 7))
        assert b'"stage": "kernel", "done": 3, "total": 7' in await anext(events)
        jobs[2].finish("an-answer")
        assert await anext(events) == b'event: done\ndata: {"answer": "an-answer"}\n\n'
        assert [event async for event in events] == []
        await queue.close()

    in_a_loop(work())


def test_only_jobs_that_can_be_followed_are_remembered() -> None:
    async def work() -> None:
        queue = JobQueue(WebConfig())
        kept, other = queue.submit(TASK, NEAR, is_kept=True), queue.submit(TASK, NEAR)
        for job in (kept, other):
            assert queue.find(job.id) is job
            queue.cancel(job)
        await asyncio.sleep(0)
        assert queue.find(kept.id) is kept
        with pytest.raises(ApiError):
            queue.find(other.id)
        await queue.close()

    in_a_loop(work())


def test_a_request_is_not_held_for_ever() -> None:
    async def work() -> None:
        queue = JobQueue(WebConfig(request_seconds=0.01))
        job = queue.submit(TASK, NEAR)
        with pytest.raises(ApiError) as caught:
            await queue.wait(job)
        assert caught.value.status == 503
        assert queue.numbers["waiting"] == 0
        await queue.close()

    in_a_loop(work())


def test_who_hangs_up_while_waiting_leaves_the_queue() -> None:
    async def work() -> None:
        async def receive() -> Message:
            return {"type": "http.disconnect"}

        queue = JobQueue(WebConfig())
        job = queue.submit(TASK, NEAR)
        async with until_disconnected(Request({"type": "http"}, receive), job, queue):
            with pytest.raises(ApiError) as caught:
                await queue.wait(job)
        assert caught.value.code == "cancelled"
        await queue.close()

    in_a_loop(work())


def test_a_closed_queue_fails_its_jobs_and_takes_no_more() -> None:
    async def work() -> None:
        queue = JobQueue(WebConfig())
        job = queue.submit(TASK, NEAR)
        await queue.close()
        for refused in (queue.wait(job), queue.wait(job)):
            with pytest.raises(ApiError, match="shut down"):
                await refused
        with pytest.raises(ApiError, match="shut down"):
            queue.submit(TASK, NEAR)
        await queue.close()  # twice does no harm

    in_a_loop(work())
