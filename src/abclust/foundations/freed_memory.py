"""What becomes of memory that a tensor no longer needs: kept for the next one, while a training runs."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# The parameters of mallopt in glibc's malloc.h, and what they are unless somebody changes them.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4
_USUAL_TRIM_THRESHOLD, _USUAL_MMAP_MAX = 128 * 1024, 65_536
_LARGEST_INT = 2**31 - 1


@contextmanager
def freed_memory_kept() -> Iterator[bool]:
    """Inside, the C library keeps what is freed; afterwards it gives back what it can.

    Large tensors are otherwise mapped from the system and unmapped again, step by step, and every page of
    them is first filled with zeros: a third of the time of a training on sets of many sizes. Does something
    with glibc only, and gives whether it does. Meant for programs that train: it is a setting of the whole
    process.

    Examples
    --------
    >>> with freed_memory_kept() as is_kept:
    ...     isinstance(is_kept, bool)
    True
    """
    library = _glibc()
    if library is None:
        yield False
        return
    is_kept = bool(library.mallopt(_MMAP_MAX, 0) and library.mallopt(_TRIM_THRESHOLD, _LARGEST_INT))
    try:
        yield is_kept
    finally:
        library.mallopt(_MMAP_MAX, _USUAL_MMAP_MAX)
        library.mallopt(_TRIM_THRESHOLD, _USUAL_TRIM_THRESHOLD)
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """The C library of this process, if it is glibc."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "gnu_get_libc_version") and hasattr(library, "mallopt") else None
