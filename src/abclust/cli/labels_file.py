"""The labels as a table: ``[set,]item,cluster,confidence``, in CSV or Parquet, written set by set."""

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from abclust.clustering.partition import Partition
from abclust.foundations.errors import InvalidInputError, MissingExtraError
from abclust.scale.large_set import LargeSetPartition
from abclust.storage.atomic_file import replacing

AnyPartition = Partition | LargeSetPartition
WriteSet = Callable[[str, Sequence[str], AnyPartition], None]
"""Called with the set's name, the items' names and the partition."""
SUFFIXES = (".csv", ".parquet")
_ROWS_IN_A_GROUP = 65_536


def check_labels_path(path: Path | None) -> None:
    """Raise unless the suffix is one of :data:`SUFFIXES`; None is standard output."""
    if path is not None and path.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(f"output must end in {' or '.join(SUFFIXES)}. Got {str(path)!r}.")


@contextmanager
def labels_writer(path: Path | None, *, names_sets: bool) -> Iterator[WriteSet]:
    """Give a function that writes one set; the file takes its place when all are written, or not at all.

    Parameters
    ----------
    path
        A .csv or .parquet file; None writes CSV to standard output as the sets come.
    names_sets
        Whether the first column is the name of the set.

    Raises
    ------
    MissingExtraError
        For Parquet, if pyarrow is not installed.

    Examples
    --------
    >>> from abclust import partition_kernel
    >>> partition = partition_kernel([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]], n_samples=0)
    >>> with labels_writer(Path("labels.csv"), names_sets=False) as write:
    ...     write("", ["a.png", "b.png", "c.png"], partition)
    >>> print(Path("labels.csv").read_text())
    item,cluster,confidence
    a.png,0,0.9000
    b.png,0,0.9000
    c.png,1,0.9000
    <BLANKLINE>
    """
    columns = [*(["set"] if names_sets else []), "item", "cluster", "confidence"]
    if path is None:
        yield _csv_rows(sys.stdout, columns)
    elif path.suffix.lower() == ".parquet":
        with replacing(path) as beside, _parquet_rows(beside, columns) as write:
            yield write
    else:
        with replacing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
            yield _csv_rows(file, columns)


def _csv_rows(file: TextIO, columns: list[str]) -> WriteSet:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)

    def write(name: str, items: Sequence[str], partition: AnyPartition) -> None:
        first = [name] if "set" in columns else []
        for item, label, confidence in zip(items, partition.labels, partition.confidence):
            writer.writerow([*first, item, int(label), f"{confidence:.4f}"])

    return write


@contextmanager
def _parquet_rows(path: Path, columns: list[str]) -> Iterator[WriteSet]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "tables", "Writing Parquet") from error
    types = {
        "set": pyarrow.string(),
        "item": pyarrow.string(),
        "cluster": pyarrow.int64(),
        "confidence": pyarrow.float64(),
    }
    schema = pyarrow.schema([(name, types[name]) for name in columns])
    pending: dict[str, list[Any]] = {name: [] for name in columns}
    with parquet.ParquetWriter(path, schema) as file:

        def flush() -> None:
            file.write_table(pyarrow.table(pending, schema=schema))
            for values in pending.values():
                values.clear()

        def write(name: str, items: Sequence[str], partition: AnyPartition) -> None:
            rows = {
                "set": [name] * len(items),
                "item": items,
                "cluster": partition.labels.tolist(),
                "confidence": partition.confidence.tolist(),
            }
            for column, values in pending.items():
                values.extend(rows[column])
            if len(pending["item"]) >= _ROWS_IN_A_GROUP:
                flush()

        yield write
        flush()
