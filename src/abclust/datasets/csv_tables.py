"""CSV with the standard library: in chunks, with errors that name the line and the column."""

import csv
import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from abclust.datasets.tables import CellFaults, TableChunk, TableColumns
from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.storage.memory_file import Source

CHUNK_ROWS = 4096
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""What is written where a number is missing, in small letters."""
Line = tuple[int, list[str]]
"""The number of a line in the file, from 1, and its cells."""


def csv_chunks(path: Source, columns: TableColumns) -> Iterator[TableChunk]:
    """The rows of a CSV file, some thousand at a time.

    The first line names the columns, unless all its cells are numbers other than 0, 1, 2, ...: then columns
    are called "0", "1", ... Empty lines do not count. Set and label cells are taken as text.

    Raises
    ------
    FileFormatError
        If the file is no text.
    InvalidInputError
        If a column is missing, or a line has too few or too many cells. A feature that is not a finite number
        is a fault of its chunk.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            lines = ((reader.line_num, cells) for cells in reader if cells)
            first = next(lines, None)
            if first is None:
                raise InvalidInputError(
                    f"a table must have at least one row. Got the empty file {str(path)!r}."
                )
            names, leading = _header(first)
            yield from _chunks(lines, leading, names, columns, path)
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(f"a .csv file must be text in UTF-8. Got {str(path)!r}: {error}.") from error


def _header(first: Line) -> tuple[list[str], list[Line]]:
    """The columns' names, and the first line once more if it holds data."""
    cells = [cell.strip() for cell in first[1]]
    numbered = [str(place) for place in range(len(cells))]
    is_numbering = cells == numbered and len(cells) > 1  # what pandas writes above an array
    if all(map(_is_number, cells)) and not is_numbering:
        return numbered, [first]
    return cells, []


def _chunks(
    lines: Iterator[Line], leading: list[Line], names: list[str], columns: TableColumns, path: Source
) -> Iterator[TableChunk]:
    features = columns.features(names)
    first_row = 0
    while rows := leading + list(islice(lines, CHUNK_ROWS)):
        leading = []
        ragged = next(((number, cells) for number, cells in rows if len(cells) != len(names)), None)
        if ragged:
            raise InvalidInputError(
                f"every line must have {len(names)} cells like the first. "
                f"Got {len(ragged[1])} in line {ragged[0]} of {str(path)!r}."
            )
        numbers, faults = _numbers(rows, features, names, path)
        yield TableChunk(
            features=numbers,
            sets=_texts(rows, names, columns.set_column, path),
            labels=_texts(rows, names, columns.label_column, path),
            first_row=first_row,
            faults=faults,
        )
        first_row += len(rows)


def _numbers(
    rows: list[Line], features: list[int], names: list[str], path: Source
) -> tuple[np.ndarray, CellFaults]:
    try:
        numbers = np.array([[cells[place] for place in features] for _, cells in rows]).astype(np.float64)
    except ValueError:
        numbers = None
    if numbers is not None and np.isfinite(numbers).all():
        return numbers, CellFaults()
    # Something is wrong: look at it cell by cell, to name it.
    numbers, faults = np.full((len(rows), len(features)), np.nan), CellFaults()
    for row, (number, cells) in enumerate(rows):
        for column, place in enumerate(features):
            cell = cells[place].strip()
            if _is_number(cell):
                numbers[row, column] = float(cell)
                continue
            is_missing = cell.lower() in MISSING
            (faults.missing if is_missing else faults.wrong).setdefault(
                row,
                f"features must be finite numbers. Got {cells[place]!r} in line {number}, "
                f"column {names[place]!r} of {str(path)!r}. "
                "Name a text column as set, label or ignored column, or remove it.",
            )
    return numbers, faults


def _texts(rows: list[Line], names: list[str], column: str | None, path: Source) -> np.ndarray | None:
    if column is None:
        return None
    place = names.index(column)
    texts = [cells[place].strip() for _, cells in rows]
    if "" in texts:
        number = rows[texts.index("")][0]
        raise InvalidInputError(
            f"column {column!r} must not be empty. Got nothing in line {number} of {str(path)!r}."
        )
    return np.array(texts)


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
