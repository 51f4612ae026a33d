"""A file that was never on a disk: its name and its content, opened as a path is opened."""

from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Literal, overload


@dataclass(frozen=True)
class MemoryFile:
    """What a reader takes in place of a path, for content that came over a network or out of an archive.

    The name is told in messages and is never looked up anywhere.

    Examples
    --------
    >>> file = MemoryFile("points.csv", b"x,y")
    >>> with file.open() as opened:
    ...     opened.read()
    'x,y'
    """

    name: str
    content: bytes

    @property
    def suffix(self) -> str:
        """The end of the name from its last dot on, in small letters."""
        dot = self.name.rfind(".")
        return self.name[dot:].lower() if dot >= 0 else ""

    @overload
    def open(self, mode: Literal["rb"]) -> BytesIO: ...

    @overload
    def open(
        self, mode: Literal["r"] = "r", *, newline: str | None = None, encoding: str = "utf-8"
    ) -> TextIOWrapper: ...

    def open(
        self, mode: str = "r", *, newline: str | None = None, encoding: str = "utf-8"
    ) -> BytesIO | TextIOWrapper:
        """Open for reading: ``"r"`` as text, ``"rb"`` as bytes."""
        buffer = BytesIO(self.content)
        return buffer if mode == "rb" else TextIOWrapper(buffer, encoding=encoding, newline=newline)

    def __str__(self) -> str:
        return self.name


Source = Path | MemoryFile
"""Where the readers of single files read from."""
