"""Must-link and cannot-link pairs from CSV files: ``first,second`` or ``set,first,second``, by item names."""

import csv
from collections.abc import Sequence
from pathlib import Path

from abclust.datasets.set_source import AnySet
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError

Pairs = list[tuple[str, str]]
_COLUMNS = (["first", "second"], ["set", "first", "second"])


class LinkFile:
    """The pairs of one file, by set.

    Attributes
    ----------
    unused
        Names of sets that have pairs and were not asked for yet.
    """

    def __init__(self, pairs: dict[str | None, Pairs], name: str) -> None:
        self._pairs = pairs
        self._name = name
        self.unused = {name for name in pairs if name is not None}

    @classmethod
    def read(cls, path: Path | None) -> "LinkFile":
        """Read a file; None is a file without pairs.

        Raises
        ------
        DataNotFoundError, FileFormatError
            If there is no such file, or it is not such a table.
        """
        return cls({}, "") if path is None else cls(_read_pairs(path), str(path))

    def numbers(self, each: AnySet) -> list[tuple[int, int]] | None:
        """The pairs of a set as item numbers; None if there are none.

        Raises
        ------
        InvalidInputError
            If a pair names an item that the set does not have.
        """
        self.unused.discard(each.name)
        pairs = [*self._pairs.get(None, []), *self._pairs.get(each.name, [])]
        if not pairs:
            return None
        places = {name: place for place, name in enumerate(each.item_names)}
        unknown = [name for pair in pairs for name in pair if name not in places]
        if unknown:
            raise InvalidInputError(
                f"items of {self._name!r} must be those of the set {each.name!r}, as in the labels file. "
                f"Got {unknown[0]!r}."
            )
        return [(places[first], places[second]) for first, second in pairs]


def _read_pairs(path: Path) -> dict[str | None, Pairs]:
    if not path.is_file():
        raise DataNotFoundError(f"a file of links must exist. Got {str(path)!r}.")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(f"a file of links must be CSV in UTF-8. Got {str(path)!r}: {error}.") from error
    if not rows or rows[0] not in _COLUMNS:
        raise FileFormatError(
            "a file of links must begin with first,second or set,first,second. "
            f"Got {','.join(rows[0]) if rows else 'nothing'} in {str(path)!r}."
        )
    return _by_set(rows[1:], len(rows[0]), path)


def _by_set(rows: Sequence[list[str]], width: int, path: Path) -> dict[str | None, Pairs]:
    pairs: dict[str | None, Pairs] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != width:
            raise FileFormatError(
                f"every line must have {width} cells. Got {row!r} in {str(path)!r}:{number}."
            )
        first, second = row[-2:]
        pairs.setdefault(row[0] if width == 3 else None, []).append((first, second))
    return pairs
