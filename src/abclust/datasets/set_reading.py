"""One door for a user's own data: folders of images, .csv, .parquet, .npy, .npz and data frames."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from abclust.datasets.array_files import npy_chunks, npz_chunks
from abclust.datasets.arrow_tables import data_frame_chunks, parquet_chunks
from abclust.datasets.csv_tables import csv_chunks
from abclust.datasets.image_files import IMAGE_SUFFIXES
from abclust.datasets.image_folders import Prepare, read_image_folder
from abclust.datasets.image_framing import DEFAULT_FRAMING, frame_image
from abclust.datasets.set_source import MEMORY_BYTES, AnySet, SetSource, SkippedFile
from abclust.datasets.tables import TableChunk, TableColumns, sets_from_chunks
from abclust.foundations.errors import DataNotFoundError, InvalidInputError

TABLE_READERS: dict[str, Callable[[Path, TableColumns], Iterator[TableChunk]]] = {
    ".csv": csv_chunks,
    ".npy": npy_chunks,
    ".npz": npz_chunks,
    ".parquet": parquet_chunks,
}


def read_sets(
    source: Any,
    *,
    set_column: str | None = None,
    label_column: str | None = None,
    ignore_columns: tuple[str, ...] = (),
    layout: str = "classes",
    prepare: Prepare = frame_image,
    strict: bool = False,
    skip_bad_sets: bool = False,
    allow_missing: bool = False,
    memory_bytes: int = MEMORY_BYTES,
) -> SetSource:
    """Read a user's own data as sets, the same way for training, evaluation and clustering.

    Parameters
    ----------
    source
        A folder of images (set/class/image, class/image or images alone), a .csv, .parquet, .npy or .npz
        file, or a data frame.
    set_column
        The column (or array of a .npz) that names the set of each row. None: a table is one set.
    label_column
        The column (or array) that names the cluster of each row. None: the sets are not labelled.
    ignore_columns
        Columns that are no features.
    layout
        What one level of folders means: ``"classes"`` of one set, or ``"sets"`` to be clustered.
    prepare
        What to make of each image of a folder: by default :func:`abclust.datasets.frame_image`, which gives
        28 x 28.
    strict
        Raise at an unreadable image, which otherwise is left out and stands in ``skipped``.
    skip_bad_sets
        Leave out a set with a wrong cell where a table has several, which then stands in ``skipped``;
        otherwise a wrong cell is an error.
    allow_missing
        Let empty cells and NaN of tables pass, as NaN: for networks whose header fills them.
    memory_bytes
        A table file up to this size is gathered in memory, and the rows of a set may lie anywhere in it. In a
        larger one they must lie together, and one set after the other is in memory.

    Returns
    -------
    SetSource
        Iterate over it for :class:`LabelledSet` or, without labels, :class:`UnlabelledSet`; every pass reads
        anew.

    Raises
    ------
    DataNotFoundError
        If there is no such file or folder.
    InvalidInputError
        If it is of no known kind; while reading, if a table is ragged, not of numbers or lacks a named
        column.
    FileFormatError
        While reading, if a file is damaged or refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "points.csv")
    ...     _ = path.write_text("set,x,y,label\\na,0,0,low\\na,9,9,high\\nb,1,0,low\\n")
    ...     sets = list(read_sets(path, set_column="set", label_column="label"))
    >>> [(each.name, each.items.tolist(), each.labels.tolist()) for each in sets]
    [('a', [[0.0, 0.0], [9.0, 9.0]], [0, 1]), ('b', [[1.0, 0.0]], [0])]
    """
    columns = TableColumns(set_column, label_column, tuple(ignore_columns))
    if hasattr(source, "__arrow_c_stream__"):
        read = partial(data_frame_chunks, source, columns)
        return SetSource(partial(_read_table, read, "", True, allow_missing, skip_bad_sets))
    if not isinstance(source, str | os.PathLike):
        raise InvalidInputError(f"source must be a path or a data frame. Got {type(source).__name__}.")
    path = Path(source)
    if path.is_dir():
        if columns != TableColumns():
            raise InvalidInputError(
                "set_column, label_column and ignore_columns are for tables. "
                f"Got the folder {str(path)!r}, whose folders name sets and classes."
            )
        images = read_image_folder(path, prepare, layout=layout, strict=strict)
        images.framing = DEFAULT_FRAMING if prepare is frame_image else None
        return images
    if not path.is_file():
        raise DataNotFoundError(f"source must be a file or a folder that is there. Got {str(path)!r}.")
    reader = TABLE_READERS.get(path.suffix.lower())
    if reader is None:
        hint = " Give the folder that holds the images." if path.suffix.lower() in IMAGE_SUFFIXES else ""
        raise InvalidInputError(
            f"source must be a folder of images or a {', '.join(TABLE_READERS)}. Got {str(path)!r}.{hint}"
        )
    gather = path.stat().st_size <= memory_bytes
    read = partial(reader, path, columns)
    return SetSource(partial(_read_table, read, path.stem, gather, allow_missing, skip_bad_sets))


def _read_table(
    chunks: Callable[[], Iterator[TableChunk]],
    name: str,
    gather: bool,
    allow_missing: bool,
    skip_bad_sets: bool,
    skipped: list[SkippedFile],
) -> Iterator[AnySet]:
    bad = skipped if skip_bad_sets else None
    n_sets = 0
    for each in sets_from_chunks(chunks(), name, gather=gather, allow_missing=allow_missing, skipped=bad):
        n_sets += 1
        yield each
    if not n_sets:
        raise InvalidInputError(
            f"at least one set must be whole. Got none of {len(skipped)}. {skipped[0].reason}"
        )
