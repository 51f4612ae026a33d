"""The shipped weights: one safetensors file and one line of the catalogue each."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from abclust.foundations.errors import FileFormatError
from abclust.foundations.frozen_config import from_dict

WEIGHTS = Path(__file__).parent / "weights"
CATALOGUE = WEIGHTS / "catalogue.json"


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue."""

    name: str
    """What ``abclust.load`` takes."""
    sha256: str
    """Of the file ``<name>.safetensors``; checked whenever the weights are loaded by name."""
    expects: str
    """What an item is, in a sentence."""
    trained_on: str
    """The data, in a sentence."""
    command: str
    """The one command that trains these weights."""
    licence: str = "MIT"

    @property
    def path(self) -> Path:
        return WEIGHTS / f"{self.name}.safetensors"


@cache
def catalogue() -> dict[str, Entry]:
    """All shipped weights by name."""
    entries = [from_dict(Entry, entry) for entry in json.loads(CATALOGUE.read_text(encoding="utf-8"))]
    return {entry.name: entry for entry in entries}


def shipped_names() -> list[str]:
    """The names that :func:`abclust.load` knows."""
    return sorted(catalogue())


def find_weights(name: str) -> Path | None:
    """The file of shipped weights, checked by hash; None if `name` is not shipped."""
    entry = catalogue().get(name)
    if entry is None:
        return None
    found = hashlib.sha256(entry.path.read_bytes()).hexdigest() if entry.path.is_file() else "no file"
    if found != entry.sha256:
        raise FileFormatError(
            f"shipped weights {name!r} must have sha256 {entry.sha256}. Got {found}. "
            "The installation is damaged: reinstall abclust."
        )
    return entry.path
