"""Parquet files and data frames, through pyarrow (the ``tables`` extra), in chunks."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from abclust.datasets.tables import TableChunk, TableColumns, cell_faults, rows_at_once
from abclust.foundations.errors import FileFormatError, InvalidInputError, MissingExtraError
from abclust.storage.memory_file import MemoryFile, Source


def parquet_chunks(path: Source, columns: TableColumns) -> Iterator[TableChunk]:
    """The rows of a Parquet file, never more than a row group in memory.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    FileFormatError
        If the file is no Parquet.
    InvalidInputError
        If a column is missing or not of numbers. A missing value is a fault of its chunk.
    """
    pyarrow, parquet = _pyarrow("Reading Parquet")
    try:
        with parquet.ParquetFile(path.open("rb") if isinstance(path, MemoryFile) else path) as file:
            names = file.schema_arrow.names
            batches = file.iter_batches(batch_size=rows_at_once(len(names)))
            yield from _chunks(batches, names, columns, str(path))
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise FileFormatError(f"a .parquet file must be readable. Got {str(path)!r}: {error}.") from error


def data_frame_chunks(frame: Any, columns: TableColumns) -> Iterator[TableChunk]:
    """The rows of a data frame of pandas, polars or any library that speaks Arrow's C stream."""
    pyarrow, _ = _pyarrow("Reading a data frame")
    table = pyarrow.table(frame)
    names = [str(name) for name in table.column_names]
    batches = table.to_batches(max_chunksize=rows_at_once(len(names)))
    yield from _chunks(batches, names, columns, "the data frame")


def _chunks(batches: Any, names: list[str], columns: TableColumns, where: str) -> Iterator[TableChunk]:
    features = columns.features(names)
    first_row = 0
    for batch in batches:
        numbers = np.empty((batch.num_rows, len(features)))
        for place, column in enumerate(features):
            numbers[:, place] = _numbers(batch.column(column), names[column], where)
        yield TableChunk(
            features=numbers,
            sets=_values(batch, names, columns.set_column, where),
            labels=_values(batch, names, columns.label_column, where),
            first_row=first_row,
            faults=cell_faults(numbers, [names[place] for place in features], first_row, where),
        )
        first_row += batch.num_rows


def _numbers(column: Any, name: str, where: str) -> np.ndarray:
    values = column.to_numpy(zero_copy_only=False)  # missing numbers become NaN and are named with their row
    if values.dtype.kind not in "iufb":
        raise InvalidInputError(
            f"feature columns must hold numbers. Got {column.type} in column {name!r} of {where}. "
            "Name a text column as set, label or ignored column, or remove it."
        )
    return values


def _values(batch: Any, names: list[str], column: str | None, where: str) -> np.ndarray | None:
    if column is None:
        return None
    values = batch.column(names.index(column))
    if values.null_count:
        raise InvalidInputError(
            f"column {column!r} must not have missing values. Got {values.null_count} in {where}."
        )
    return np.array(values.to_pylist())


def _pyarrow(purpose: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "tables", purpose) from error
    return pyarrow, parquet
