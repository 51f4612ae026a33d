"""The events of a job as a stream that a browser understands (server-sent events)."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from abclust.web.api_errors import ApiError
from abclust.web.job import Job

HEARTBEAT_SECONDS = 15.0
"""After so long without news a comment is sent, so that no proxy takes the stream for dead."""


async def job_events(job: Job) -> AsyncGenerator[bytes, None]:
    """``queued``, ``progress``, and ``done`` or ``failed`` at the end, which late comers get at once."""
    last: bytes | None = None
    while True:
        # All three before the first yield: much may happen until the client has taken an event.
        changed, event, is_last = job.next_change(), _event(job), job.outcome.done()
        if event != last:
            yield event
            last = event
        if is_last:
            return
        try:
            await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)
        except TimeoutError:
            yield b": still at work\n\n"


def _event(job: Job) -> bytes:
    if job.outcome.done():
        error = job.outcome.exception()
        if isinstance(error, ApiError):
            return _text("failed", error.to_dict())
        return _text("done", {"answer": job.outcome.result()})
    if job.position is not None:
        return _text("queued", {"position": job.position})
    progress = job.progress
    if progress is None:
        return _text("progress", {"stage": "reading", "done": 0, "total": 1})
    return _text("progress", {"stage": progress.stage, "done": progress.done, "total": progress.total})


def _text(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
