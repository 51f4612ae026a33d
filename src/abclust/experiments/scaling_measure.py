"""Time and memory of one piece of work, measured in a process of its own."""

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Measured:
    """What a piece of work gave and what it took."""

    result: Any
    seconds: float
    """Of the work alone: neither the start of the process nor the making of its input."""
    processor_seconds: float
    """The same in processor time, of all threads: what other load on the machine hardly moves."""
    peak_bytes: int
    """The largest resident memory of the process, interpreter, libraries and input included."""


def measured(
    make_input: Callable[..., Any], work: Callable[[Any], Any], arguments: tuple[Any, ...]
) -> Measured:
    """Make the input in a fresh process, work on it there, and say what that took.

    Parameters
    ----------
    make_input
        ``make_input(*arguments)`` gives the input; a function of a module, as `work` is.
    work
        Takes the input, gives the result, which travels back.

    Examples
    --------
    >>> measured(range, sum, (5,)).result  # doctest: +SKIP
    10
    """
    # Spawned, not forked: a fork would begin with the memory of this process.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_measured_here, make_input, work, arguments).result()


def _measured_here(
    make_input: Callable[..., Any], work: Callable[[Any], Any], arguments: tuple[Any, ...]
) -> Measured:
    given = make_input(*arguments)
    started, processor_started = time.perf_counter(), time.process_time()
    result = work(given)
    seconds, processor_seconds = time.perf_counter() - started, time.process_time() - processor_started
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return Measured(result, seconds, processor_seconds, peak)
