"""Large tensors that are freed and made again in every step: let the process keep their memory.

The C library of Linux (glibc) gives blocks of many megabytes back to the system when they are freed, and the
system hands them out again page by page, each filled with zeros first. A step of training makes the same
large tensors as the step before. Kept, its memory saves a sixth to a half of the time of a step on a CPU
(ours; ``results/log.md``).
"""

import ctypes
import sys

# The numbers of glibc's <malloc.h>.
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4
ROOM = 2**26
"""Bytes that the process asks for beyond what it needs."""
NEVER = 2**31 - 1


def keep_freed_memory() -> bool:
    """Ask the C library to keep what this process frees, for as long as it lives; for commands that train.

    The process holds as much as it held at its largest. A library must not decide that for the program that
    it is a part of, so :func:`~abclust.training.trainer.fit` does not call this.

    Returns
    -------
    Whether the C library knows how: False elsewhere than on Linux with glibc, where nothing happens.
    """
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    settings = ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, NEVER), (M_TOP_PAD, ROOM))
    return all(mallopt(name, value) == 1 for name, value in settings)
