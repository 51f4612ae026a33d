"""Sets that do not fit memory: spooled into one nameless temporary file and looked at through a memory map.

The file has no name from the start: nobody else sees it, and the operating system takes it back when the last
look at it ends, be it by an error or because the process was killed. Who goes on later spools anew.
"""

import mmap
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from jaxtyping import Shaped, UInt8

from abclust.datasets.labelled_set import LabelledSet, as_labelled_set
from abclust.datasets.set_source import MEMORY_BYTES
from abclust.foundations.errors import InvalidInputError
from abclust.storage.atomic_file import check_writable_folder

_ALIGNMENT = 8
_LABEL_BYTES = 8


class SetPlace(NamedTuple):
    """Where a set lies in the file: its labels (int64) from `offset` on, and its items right behind them."""

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype
    name: str
    group: str


class SpooledSets(Sequence[LabelledSet]):
    """Labelled sets in a temporary file; each is made when it is asked for, its items a view of the file.

    In memory are only places and names. What the operating system keeps of the file it gives up whenever
    memory is short.
    """

    def __init__(
        self, content: UInt8[np.ndarray, " bytes"], places: Sequence[SetPlace], folder: Path | None
    ) -> None:
        self._content = content
        self._places = places
        self.folder = folder

    @classmethod
    def written(cls, sets: Iterable[LabelledSet], folder: Path | None) -> "SpooledSets":
        """Write sets to a new file in `folder`, one in memory at a time; None is the system's own folder.

        Raises
        ------
        InvalidInputError
            If the folder cannot be written or has too little room, or items are Python objects.
        """
        if folder is not None:
            check_writable_folder(folder)
        # Without a buffer: closing one after a full disk would try to write its rest, and fail once more.
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            places = [_append(file, each, folder) for each in sets]
            content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)
        return cls(content, places, folder)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> LabelledSet: ...

    @overload
    def __getitem__(self, index: slice) -> "SpooledSets": ...

    def __getitem__(self, index: int | slice) -> "LabelledSet | SpooledSets":
        if isinstance(index, slice):
            return self.at(range(*index.indices(len(self))))
        offset, shape, dtype, name, group = self._places[index]
        labels = self._content[offset : offset + _LABEL_BYTES * shape[0]].view(np.int64)
        offset += labels.nbytes
        items = self._content[offset : offset + dtype.itemsize * int(np.prod(shape))].view(dtype)
        return LabelledSet(items.reshape(shape), labels, name, group)

    def at(self, numbers: Iterable[int]) -> "SpooledSets":
        """Some of the sets, in this order, from the same file."""
        return SpooledSets(self._content, [self._places[number] for number in numbers], self.folder)


def spool_sets(
    sets: Iterable[Any], *, memory_bytes: int = MEMORY_BYTES, folder: str | Path | None = None
) -> Sequence[LabelledSet]:
    """Take sets from a stream: into memory while they are few, into a temporary file when they are not.

    Names of single items are not kept. A sequence is taken as it is: whoever hands it in holds it already.

    Parameters
    ----------
    sets
        :class:`LabelledSet` objects or (X, y) pairs.
    memory_bytes
        How much items may weigh to be held in memory.
    folder
        Where the temporary file goes, made if it is not there; None is the system's own (``TMPDIR``).

    Raises
    ------
    InvalidInputError
        If a set is none, or the folder cannot be written or has too little room.

    Examples
    --------
    >>> def stream():
    ...     for number in range(5):
    ...         yield np.full((3, 2), number), ["a", "b", "a"]
    >>> spooled = spool_sets(stream(), memory_bytes=100)
    >>> type(spooled).__name__, len(spooled), spooled[4].items.tolist(), spooled[4].labels.tolist()
    ('SpooledSets', 5, [[4, 4], [4, 4], [4, 4]], [0, 1, 0])
    """
    if isinstance(sets, SpooledSets):
        return sets
    if isinstance(sets, Sequence):
        return [as_labelled_set(each) for each in sets]
    stream = map(_without_item_names, sets)
    held: list[LabelledSet] = []
    weight = 0
    for each in stream:
        held.append(each)
        weight += each.items.nbytes
        if weight > memory_bytes:
            everything = _first_held_then_rest(held, stream)
            return SpooledSets.written(everything, None if folder is None else Path(folder))
    return held


def _without_item_names(candidate: Any) -> LabelledSet:
    """A name for each item can weigh more than the item."""
    each = as_labelled_set(candidate)
    return LabelledSet(each.items, each.labels, each.name, each.group)


def _first_held_then_rest(held: list[LabelledSet], rest: Iterator[LabelledSet]) -> Iterator[LabelledSet]:
    """Let go of what is held as it is passed on."""
    held.reverse()
    while held:
        yield held.pop()
    yield from rest


def _append(file: FileIO, each: LabelledSet, folder: Path | None) -> SetPlace:
    if each.items.dtype.hasobject:
        raise InvalidInputError(f"items must be numbers. Got {each.items.dtype} in set {each.name!r}.")
    offset = file.tell()
    arrays = (each.labels.astype(np.int64), np.ascontiguousarray(each.items))
    padding = np.zeros(-sum(array.nbytes for array in arrays) % _ALIGNMENT, dtype=np.uint8)
    try:
        for array in (*arrays, padding):
            _write(file, array)
    except OSError as error:
        raise InvalidInputError(
            "the folder of temporary files must have room for data that do not fit memory. "
            f"Got {str(folder or tempfile.gettempdir())!r} after {offset / 1e6:.0f} MB: {error.strerror}. "
            "Free some, or let more data into memory."
        ) from error
    return SetPlace(offset, each.items.shape, each.items.dtype, each.name, each.group)


def _write(file: FileIO, array: Shaped[np.ndarray, "..."]) -> None:
    """All bytes of an array: an unbuffered file may take fewer at a time than it is given."""
    left = array.reshape(-1).view(np.uint8).data
    while left:
        left = left[file.write(left) :]
