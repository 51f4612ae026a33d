"""A bound for all bodies that are not uploads: JSON is small, and arrives in time or not at all."""

import asyncio
import time

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abclust.web.api_errors import ApiError, too_large, too_slow_upload
from abclust.web.config import MEGABYTE, WebConfig

JSON_BYTES = MEGABYTE
"""Ten thousand constraints are a fifth of this."""
UPLOAD_PATHS = frozenset({"/api/cluster", "/api/jobs"})
"""These count their bytes themselves; see :mod:`abclust.web.upload_form`."""


class BodyLimit:
    """Hands requests on, as long as their bodies are small.

    Parameters
    ----------
    application
        What is behind it.
    config
        Gives the seconds that a request may take to arrive.
    """

    def __init__(self, application: ASGIApp, config: WebConfig) -> None:
        self._application, self._seconds = application, config.upload_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with a counted body."""
        if scope["type"] != "http" or scope["path"] in UPLOAD_PATHS:
            await self._application(scope, receive, send)
            return
        end = time.monotonic() + self._seconds
        n_bytes, is_whole = 0, False

        async def limited() -> Message:
            nonlocal n_bytes, is_whole
            if is_whole:  # the next message is that the client has gone, whenever that is
                return await receive()
            while True:
                try:
                    message = await asyncio.wait_for(receive(), end - time.monotonic())
                except TimeoutError as error:
                    raise _as_http(too_slow_upload(self._seconds)) from error
                n_bytes += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if n_bytes <= JSON_BYTES:
                    return message
                if is_whole:  # all was read, so that the client gets to see the answer
                    raise _as_http(
                        too_large(f"a body here must have at most {JSON_BYTES:,} bytes. Got more.")
                    )

        await self._application(scope, limited, send)


def _as_http(error: ApiError) -> HTTPException:
    """The only kind of error that the framework lets through while it reads a body."""
    return HTTPException(error.status, error.message)
