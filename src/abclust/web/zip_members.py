"""The images inside a .zip, read in memory: no path is followed, nothing unpacks without a bound."""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from abclust.storage.memory_file import MemoryFile
from abclust.web.api_errors import invalid, too_large
from abclust.web.file_names import printable_name
from abclust.web.tasks import ReadLimits

Skipped = list[tuple[str, str]]
"""Name and reason of what was left out."""
_MOST_MEMBERS = 4  # times as many as items: folders and stray files also count


def is_zip(file: MemoryFile) -> bool:
    """By name or by the first bytes: a browser may not know the name."""
    return file.suffix == ".zip" or file.content.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def zip_members(file: MemoryFile, limits: ReadLimits, skipped: Skipped) -> Iterator[MemoryFile]:
    """The files of an archive, one after the other; a damaged one is left out and the rest go on.

    The directory of the archive is judged before anything is unpacked: by the number of its members and by
    the sum of their stated sizes, and no member gives more than it states.

    Parameters
    ----------
    file
        The archive.
    limits
        How many items, how many bytes.
    skipped
        Takes up what is left out.

    Raises
    ------
    ApiError
        413 if there is too much inside, 422 if it is no archive.
    """
    try:
        with file.open("rb") as opened, zipfile.ZipFile(opened) as archive:
            members = [info for info in archive.infolist() if not _is_furniture(info.filename)]
            _check(file, archive.infolist(), members, limits)
            for info in members:
                content = _content(archive, info, skipped)
                if content is not None:
                    yield MemoryFile(printable_name(info.filename), content)
    # NotImplementedError is zipfile's word for a kind of archive or compression that it does not know.
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        raise invalid(f"a .zip file must be readable. Got {file.name!r}: {error}.") from error


def _check(
    file: MemoryFile, all_members: list[zipfile.ZipInfo], members: list[zipfile.ZipInfo], limits: ReadLimits
) -> None:
    if len(members) > limits.most_items or len(all_members) > _MOST_MEMBERS * limits.most_items:
        raise too_large(
            f"a .zip file must hold at most {limits.most_items:,} images. Got {len(all_members):,} members "
            f"in {file.name!r}."
        )
    unpacked = sum(info.file_size for info in members)
    if unpacked > limits.unpacked_bytes:
        raise too_large(
            f"a .zip file must unpack to at most {limits.unpacked_bytes:,} bytes. "
            f"Got {unpacked:,} in {file.name!r}."
        )


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, skipped: Skipped) -> bytes | None:
    if info.flag_bits & 1:
        skipped.append((printable_name(info.filename), "it is locked by a password."))
        return None
    try:
        with archive.open(info) as member:
            return member.read(info.file_size)  # zipfile itself stops there too, and compares the checksum
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        ValueError,
        IndexError,
    ) as error:
        skipped.append((printable_name(info.filename), f"a member of a .zip must be readable. Got: {error}."))
        return None


def _is_furniture(name: str) -> bool:
    """Folders, hidden files, and what macOS adds."""
    parts = PurePosixPath(name).parts
    return name.endswith("/") or any(
        (part.startswith(".") and part != "..") or part == "__MACOSX" for part in parts
    )
