"""A form as it arrives: multipart, in memory, counted byte by byte."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from abclust.storage.memory_file import MemoryFile
from abclust.web.api_errors import ApiError, invalid, malformed, too_large, too_slow_upload
from abclust.web.config import WebConfig
from abclust.web.file_names import printable_name
from abclust.web.job_queue import JobQueue, client_address

_MOST_FIELDS = 16
_FIELD_BYTES = 4_096


@dataclass(frozen=True)
class UploadForm:
    """What a client wants clustered."""

    files: tuple[MemoryFile, ...]
    model: str
    n_clusters: int | None
    label_column: str | None
    n_bytes: int
    """What is held in the queue's memory for it."""


async def read_form(request: Request, queue: JobQueue, config: WebConfig) -> UploadForm:
    """Read a form into memory.

    Raises
    ------
    ApiError
        400 if it is no form, 408 if it takes too long, 413 if it is too large, 422 if a field is wrong, and
        503 if there is no room for it now.
    """
    stream = _CountedStream(request, queue, config)
    try:
        async with asyncio.timeout(config.upload_seconds):
            form = await _parsed(request, stream, config)
        fields = {name: value for name, value in form if isinstance(value, str)}
        return UploadForm(
            files=_files(form),
            model=fields.get("model") or "auto",
            n_clusters=_number(fields.get("n_clusters", "")),
            label_column=fields.get("label_column") or None,
            n_bytes=stream.n_bytes,
        )
    except BaseException as error:
        queue.let_go(stream.n_bytes)
        if isinstance(error, TimeoutError):
            if stream.refused is not None:  # the rest was only being thrown away
                raise stream.refused from error
            raise too_slow_upload(config.upload_seconds) from error
        raise


class _MemoryParser(MultiPartParser):
    """Starlette's parser, whose files never roll over to a disk: the stream before it is bounded."""

    spool_max_size = 2**62


class _CountedStream:
    """The body of a request, counted.

    Once it is too large, the rest is read and thrown away, so that the client, which is still sending, gets
    to see the answer.
    """

    def __init__(self, request: Request, queue: JobQueue, config: WebConfig) -> None:
        self._request, self._queue, self._config = request, queue, config
        self.n_bytes = 0
        self.refused: ApiError | None = None

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        async for chunk in self._request.stream():
            if self.refused is None:
                self.refused = self._refusal(len(chunk))
            if self.refused is None:
                yield chunk
        if self.refused is not None:
            raise self.refused

    def _refusal(self, n_bytes: int) -> ApiError | None:
        limit = self._config.request_bytes
        if self.n_bytes + n_bytes > limit:
            told = self._request.headers.get("content-length", "")
            size = f"{int(told):,} bytes" if told.isdigit() else "more"
            return too_large(f"a request must have at most {limit:,} bytes. Got {size}. Send less at a time.")
        try:
            if self.n_bytes == 0:
                self._queue.check_room(client_address(self._request))  # better now than after all is read
            self._queue.hold(n_bytes)
        except ApiError as error:
            return error
        self.n_bytes += n_bytes
        return None


async def _parsed(
    request: Request, stream: _CountedStream, config: WebConfig
) -> list[tuple[str, str | MemoryFile]]:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise malformed(
            "a request must be multipart/form-data with the field files. Got another content type."
        )
    parser = _MemoryParser(
        request.headers,
        stream.chunks(),
        max_files=config.most_items,
        max_fields=_MOST_FIELDS,
        max_part_size=_FIELD_BYTES,
    )
    try:
        form = await parser.parse()
        return [(name, await _content(value)) for name, value in form.multi_items()]
    except MultiPartException as error:
        if "Too many files" in error.message:
            raise too_large(f"a request must have at most {config.most_items:,} files. Got more.") from error
        raise malformed(f"a request must be a whole form. Got: {error.message}") from error
    except ClientDisconnect as error:
        raise malformed("a request must arrive whole. The connection ended before.") from error
    except (ValueError, KeyError, IndexError, UnicodeError) as error:
        raise malformed("a request must be a whole form. Got one that cannot be read.") from error


async def _content(value: str | UploadFile) -> str | MemoryFile:
    if isinstance(value, str):
        return value
    content = value.file.read()
    value.file.close()
    return MemoryFile(printable_name(value.filename or ""), content)


def _files(form: list[tuple[str, str | MemoryFile]]) -> tuple[MemoryFile, ...]:
    files = tuple(value for name, value in form if name == "files" and isinstance(value, MemoryFile))
    if not files:
        raise invalid(
            "files must be at least one file: images, a .zip of images, a .csv or a .parquet. Got none."
        )
    return files


def _number(text: str) -> int | None:
    if not text.strip():
        return None
    if not (
        text.strip().isascii() and text.strip().isdigit() and 0 < len(text.strip()) < 10 and int(text) > 0
    ):
        raise invalid(f"n_clusters must be a whole number of at least 1, or empty. Got {text[:40]!r}.")
    return int(text)
