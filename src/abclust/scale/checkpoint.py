"""What a killed run leaves behind: whole arrays, and the graph's rows with a count of those done."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from abclust.foundations.errors import FileFormatError
from abclust.storage.atomic_file import replacing, write_text

_DONE, _FINGERPRINT = "done.json", "fingerprint.json"


@runtime_checkable
class WorkKeeper(Protocol):
    """Keeps arrays while a large set is clustered: in memory, or in a folder from which a run can go on."""

    def array(self, name: str, make: Callable[[], np.ndarray]) -> np.ndarray:
        """The array of that name if it is finished, else what `make` gives."""
        ...

    def rows(self, name: str, shape: tuple[int, int]) -> tuple[np.ndarray, int]:
        """A float32 array to be filled, and how many sets have filled it already."""
        ...

    def note(self, name: str, done: int) -> None:
        """So many sets have filled the rows of that name."""
        ...


class MemoryKeeper:
    """Everything in memory, nothing kept."""

    def array(self, name: str, make: Callable[[], np.ndarray]) -> np.ndarray:
        """What `make` gives."""
        return make()

    def rows(self, name: str, shape: tuple[int, int]) -> tuple[np.ndarray, int]:
        """A new array."""
        return np.empty(shape, dtype=np.float32), 0

    def note(self, name: str, done: int) -> None:
        """Nothing to do."""


class FolderKeeper:
    """Arrays as ``.npy`` files in a folder, read back as memory maps.

    An array appears under its name when it is whole. Rows are filled in place; the count in ``done.json`` is
    written after the rows that it speaks of have reached the file, so that what a killed run has counted is
    there, and what it has not is computed again.

    Parameters
    ----------
    folder
        Made if it is not there.
    fingerprint
        What the arrays depend on. A folder with another one is refused.

    Raises
    ------
    FileFormatError
        If the folder holds the work on something else.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = mkdtemp()
    >>> FolderKeeper(folder, {"n": 3}).array("squares", lambda: np.arange(3) ** 2).tolist()
    [0, 1, 4]
    >>> FolderKeeper(folder, {"n": 3}).array("squares", lambda: np.zeros(3)).tolist()
    [0, 1, 4]
    """

    def __init__(self, folder: str | Path, fingerprint: dict[str, object]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        stamp = self._folder / _FINGERPRINT
        if not stamp.is_file():
            write_text(stamp, json.dumps(fingerprint, sort_keys=True))
        found = json.loads(stamp.read_text(encoding="utf-8"))
        if found != json.loads(json.dumps(fingerprint)):
            raise FileFormatError(
                f"folder must hold the work on this very set, network and configuration, or nothing. Got "
                f"{str(folder)!r} with other work. Choose another folder, or delete this one."
            )

    def array(self, name: str, make: Callable[[], np.ndarray]) -> np.ndarray:
        """The array of that name; made and stored if it is not there yet."""
        path = self._folder / f"{name}.npy"
        if not path.is_file():
            with replacing(path) as beside, beside.open("wb") as file:
                np.save(file, make(), allow_pickle=False)
        return np.load(path, mmap_mode="r")

    def rows(self, name: str, shape: tuple[int, int]) -> tuple[np.ndarray, int]:
        """A memory map, and how many sets have filled it."""
        path = self._folder / f"{name}.npy"
        if not path.is_file():
            with replacing(path) as beside:
                np.lib.format.open_memmap(beside, mode="w+", dtype=np.float32, shape=shape).flush()
        self._open = np.load(path, mmap_mode="r+")
        return self._open, self._counts().get(name, 0)

    def note(self, name: str, done: int) -> None:
        """Write the rows to the file, then the count."""
        self._open.flush()
        write_text(self._folder / _DONE, json.dumps({**self._counts(), name: done}))

    def _counts(self) -> dict[str, int]:
        path = self._folder / _DONE
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
