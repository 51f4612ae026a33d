"""Sets that are read when they are asked for, and the report of what could not be read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet

AnySet = LabelledSet | UnlabelledSet

MEMORY_BYTES = 512 * 2**20
"""Up to this size data are held in memory; larger ones pass through it."""


@dataclass(frozen=True)
class SkippedFile:
    """A file, or a set of a table, that could not be read and was left out, and why."""

    path: str
    reason: str


Read = Callable[[list[SkippedFile]], Iterator[AnySet]]
"""Yields sets one after the other and adds what it leaves out to the list."""


class SetSource:
    """Sets of one input, read anew in every pass: at most one set is in memory unless the caller keeps more.

    Attributes
    ----------
    skipped
        What the latest pass left out so far. It is complete once the pass is.
    framing
        How images were framed, as a network's header states it; None for tables and for a framing of the
        user's own.
    """

    def __init__(self, read: Read, framing: Mapping[str, int] | None = None) -> None:
        self._read = read
        self.framing = framing
        self.skipped: list[SkippedFile] = []

    def __iter__(self) -> Iterator[AnySet]:
        self.skipped = skipped = []
        yield from self._read(skipped)
