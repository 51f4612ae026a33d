"""Who hangs up no longer waits: the job of a connection that ended leaves the queue."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.requests import Request

from abclust.web.job import Job
from abclust.web.job_queue import JobQueue


@asynccontextmanager
async def until_disconnected(request: Request, job: Job, queue: JobQueue) -> AsyncGenerator[None, None]:
    """Take the job back if the client goes while it waits.

    A job that a worker has already is let finish: ending a worker costs more than it saves.
    """

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        if job.position is not None:
            queue.cancel(job)

    watcher = asyncio.ensure_future(watch())
    try:
        yield
    finally:
        watcher.cancel()
