"""A file is written beside its place and renamed: a reader sees the old one or the new one, never a half."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abclust.foundations.errors import InvalidInputError


@contextmanager
def replacing(path: str | Path, *, durable: bool = True) -> Iterator[Path]:
    """Give a temporary path beside `path`; on success it becomes `path`, on failure it is removed.

    Parameters
    ----------
    path
        Where the file shall stand. Its folder is made if it is not there.
    durable
        Wait until the content is on the disk before the rename, so that a crash of the machine cannot leave
        an empty file under the final name.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(target) as beside:
    ...     _ = beside.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    path = Path(path)
    _make_folder(path.parent)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        os.chmod(beside, 0o666 & ~_umask())  # mkstemp's 0600 would make results unreadable for others
        if durable:
            _flush_to_disk(beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` to `path` whole or not at all."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def check_writable_folder(folder: str | Path) -> None:
    """Raise a clear error now if nothing can be written to `folder`, rather than after hours of work."""
    folder = Path(folder)
    _make_folder(folder)
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".abclust-probe."):
            pass
    except OSError as error:
        raise InvalidInputError(
            f"output folder must be writable. Got {str(folder)!r}: {error.strerror}."
        ) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            f"output folder must be a folder that can be made. Got {str(folder)!r}: {error.strerror}."
        ) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
