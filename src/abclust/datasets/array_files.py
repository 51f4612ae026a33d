"""Sets from .npy and .npz files, without pickle: .npy mapped from the disk, not read into memory."""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from abclust.datasets.tables import CellFaults, TableChunk, TableColumns, cell_faults, rows_at_once
from abclust.foundations.errors import FileFormatError, InvalidInputError

LARGEST_MEMBER = 8 * 2**30
"""Bytes that an array of a .npz may have unpacked: a small archive can hold a large bomb."""
ITEM_NAMES = ("items", "X", "x", "images")
LABEL_NAMES = ("labels", "y")
SET_NAMES = ("sets", "groups")


def npy_chunks(path: Path, columns: TableColumns) -> Iterator[TableChunk]:
    """The rows of a .npy file: a table (n, d) whose columns are called "0", "1", ..., or items (n, H, W).

    Raises
    ------
    FileFormatError
        If it is no .npy file, is truncated, or holds Python objects.
    InvalidInputError
        If the array has another shape or type, or columns are named for an array of images.
    """
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileFormatError(
            f"a .npy file must hold one array of numbers. Got {str(path)!r}: {error}."
        ) from error
    if not isinstance(array, np.ndarray):
        raise FileFormatError(f"a .npy file must hold one array. Got several in {str(path)!r}. Call it .npz.")
    _check_items(array, str(path))
    at_once = rows_at_once(int(np.prod(array.shape[1:])))
    if columns == TableColumns():
        faults = CellFaults()
        for start in range(0, len(array), at_once):
            found = _faults(array[start : start + at_once], start, str(path))
            faults.missing.update({start + row: reason for row, reason in found.missing.items()})
            faults.wrong.update({start + row: reason for row, reason in found.wrong.items()})
        yield TableChunk(array, None, None, 0, faults)  # one piece, still on the disk
        return
    if array.ndim != 2:
        raise InvalidInputError(f"columns can only be named in an array (n, d). Got shape {array.shape}.")
    names = [str(place) for place in range(array.shape[1])]
    features = columns.features(names)
    for start in range(0, len(array), at_once):
        rows = np.asarray(array[start : start + at_once])
        sets = None if columns.set_column is None else rows[:, int(columns.set_column)]
        labels = None if columns.label_column is None else rows[:, int(columns.label_column)]
        faults = _faults(rows[:, features], start, str(path), [names[place] for place in features])
        yield TableChunk(rows[:, features], sets, labels, start, faults)


def npz_chunks(path: Path, columns: TableColumns) -> Iterator[TableChunk]:
    """The arrays of a .npz file: items, and where present the label and the set of each.

    Items are called ``items``, ``X`` or ``images`` (or are the only array), labels ``labels`` or ``y``, sets
    ``sets`` or ``groups``; `columns` may name others.

    Raises
    ------
    FileFormatError
        If it is no .npz file, is damaged, holds Python objects, or unpacks to more than 8 GiB an array.
    InvalidInputError
        If there are no items or lengths differ.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            large = [info.filename for info in opened.infolist() if info.file_size > LARGEST_MEMBER]
        if large:
            raise FileFormatError(
                f"arrays of a .npz must have at most {LARGEST_MEMBER} bytes. Got more: {large[0]!r}."
            )
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            names = list(arrays.files)
            labels = _named(names, columns.label_column, LABEL_NAMES, "label_column")
            sets = _named(names, columns.set_column, SET_NAMES, "set_column")
            rest = [name for name in names if name not in {labels, sets, *columns.ignore_columns}]
            items = rest[0] if len(rest) == 1 else _named(rest, None, ITEM_NAMES, "items")
            if items is None:
                raise InvalidInputError(
                    f"items of a .npz must be called one of {', '.join(ITEM_NAMES)}. "
                    f"Got {', '.join(rest) or 'none'}."
                )
            read = {name: arrays[name] for name in (items, labels, sets) if name is not None}
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, KeyError, MemoryError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise FileFormatError(
            f"a .npz file must hold arrays of numbers. Got {str(path)!r}: {error}."
        ) from error
    _check_items(read[items], str(path))
    wrong = {name: array.shape for name, array in read.items() if array.shape[:1] != read[items].shape[:1]}
    if wrong:
        raise InvalidInputError(
            f"arrays must have one entry for each of {len(read[items])} items. Got {wrong}."
        )
    yield TableChunk(
        read[items],
        None if sets is None else read[sets],
        None if labels is None else read[labels],
        0,
        _faults(read[items], 0, str(path)),
    )


def _named(names: list[str], wanted: str | None, usual: tuple[str, ...], role: str) -> str | None:
    if wanted is not None and wanted not in names:
        raise InvalidInputError(f"{role} must be one of the arrays {', '.join(names)}. Got {wanted!r}.")
    return wanted or next((name for name in usual if name in names), None)


def _check_items(array: np.ndarray, where: str) -> None:
    if array.ndim < 2 or array.dtype.kind not in "iufb":
        raise InvalidInputError(
            "items must be numbers of shape (n, d) or (n, H, W). "
            f"Got {array.dtype} of shape {array.shape} in {where!r}."
        )


def _faults(rows: np.ndarray, first_row: int, where: str, names: list[str] | None = None) -> CellFaults:
    if rows.dtype.kind != "f":
        return CellFaults()
    flat = rows.reshape(len(rows), -1)
    return cell_faults(flat, names or [str(place) for place in range(flat.shape[1])], first_row, repr(where))
