"""From uploaded files to a set of items: images, archives of images, or one table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from PIL import Image

from abclust.datasets.arrow_tables import parquet_chunks
from abclust.datasets.csv_tables import csv_chunks
from abclust.datasets.image_files import read_image
from abclust.datasets.tables import TableChunk, TableColumns, sets_from_chunks
from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.storage.memory_file import MemoryFile
from abclust.web.api_errors import invalid, too_large
from abclust.web.tasks import ReadLimits
from abclust.web.zip_members import Skipped, is_zip, zip_members

READERS = {".csv": csv_chunks, ".parquet": parquet_chunks}
_REPORT_EVERY = 8  # images: often enough for a bar, seldom enough for a phone
ReadImage = Callable[[Image.Image], np.ndarray]
"""One decoded image in, the array that the network shall see out."""


@dataclass(frozen=True, eq=False)
class ReadImages:
    """The images that could be read; `items` is what the network shall see of them."""

    items: Float[np.ndarray, "n *item"]
    pictures: tuple[str, ...]
    files: tuple[MemoryFile, ...]
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table of numbers, the names of its rows and, if a column tells them, their true labels."""

    items: Float[np.ndarray, "n d"]
    names: tuple[str, ...]
    true_labels: tuple[str, ...] | None


def table_among(files: tuple[MemoryFile, ...]) -> MemoryFile | None:
    """The table, if what was uploaded is one; None if it is images.

    Raises
    ------
    ApiError
        422 if there is a table and anything beside it.
    """
    tables = [file for file in files if file.suffix in READERS]
    if tables and len(files) > 1:
        raise invalid(
            "files must be images, .zip files of images, or one table (.csv, .parquet) alone. "
            f"Got the table {tables[0].name!r} and {len(files) - 1} more."
        )
    return tables[0] if tables else None


def read_table(
    file: MemoryFile, label_column: str | None, limits: ReadLimits, *, allow_missing: bool
) -> ReadTable:
    """Read a table as one set.

    Parameters
    ----------
    file
        A .csv or .parquet file.
    label_column
        The column of true labels, which are not looked at, only scored against.
    limits
        How many rows and columns.
    allow_missing
        Whether empty cells may pass, as NaN.

    Raises
    ------
    ApiError
        413 if there are too many rows or columns.
    InvalidInputError
        If it is no table of numbers; the message names line and column.
    """
    columns = TableColumns(label_column=label_column)
    labels: list[str] = []
    chunks = _bounded(READERS[file.suffix](file, columns), file, limits, labels)
    (found,) = sets_from_chunks(chunks, file.name, gather=True, allow_missing=allow_missing)
    items = np.asarray(found.items, dtype=np.float64)
    return ReadTable(items, found.item_names, tuple(labels) if label_column is not None else None)


def read_images(
    files: tuple[MemoryFile, ...],
    prepare: ReadImage,
    thumbnail: Callable[[Image.Image], str],
    limits: ReadLimits,
    report: Callable[[int, int], None],
) -> ReadImages:
    """Read images one by one; what cannot be read is left out, with the reason.

    Parameters
    ----------
    files
        Images and archives of images.
    prepare, thumbnail
        What is kept of each image: so large originals never gather in memory.
    limits
        How many images, and how many bytes unpacked.
    report
        Called with the number of files read and the number of all, as far as it is known.

    Raises
    ------
    ApiError
        413 if there are too many images, 422 if not one of them can be read.
    """
    items, pictures, kept = [], [], []
    skipped: Skipped = []
    for number, file in enumerate(_members(files, limits, skipped)):
        if number >= limits.most_items:
            raise too_large(f"a set must have at most {limits.most_items:,} images. Got more.")
        try:
            image = _decoded(file)
            items.append(prepare(image))
        except InvalidInputError as error:
            skipped.append((file.name, str(error)))
            continue
        pictures.append(thumbnail(image))
        kept.append(file)
        if number % _REPORT_EVERY == 0:
            report(number + 1, max(len(files), number + 1))
    if not items:
        name, reason = skipped[0] if skipped else ("nothing", "the archive is empty.")
        raise invalid(f"at least one image must be readable. Got none of {len(skipped)}. {name}: {reason}")
    return ReadImages(np.stack(items), tuple(pictures), tuple(kept), tuple(skipped))


def _decoded(file: MemoryFile) -> Image.Image:
    try:
        return read_image(file)
    except InvalidInputError:
        raise
    except Exception as error:  # decoders stumble over damage in ways that nobody can list
        raise FileFormatError(
            f"an image must be readable. Got {file.name!r}: {type(error).__name__}."
        ) from error


def _members(files: tuple[MemoryFile, ...], limits: ReadLimits, skipped: Skipped) -> Iterator[MemoryFile]:
    left = limits.unpacked_bytes
    for file in files:
        if not is_zip(file):
            yield file
            continue
        for member in zip_members(file, limits, skipped):
            left -= len(member.content)  # several archives share one bound
            if left < 0:
                raise too_large(
                    f".zip files must unpack to at most {limits.unpacked_bytes:,} bytes together."
                )
            yield member


def _bounded(
    chunks: Iterator[TableChunk], file: MemoryFile, limits: ReadLimits, labels: list[str]
) -> Iterator[TableChunk]:
    """Stop at the first row too many, before the rest is read."""
    n_rows = 0
    for chunk in chunks:
        n_rows += len(chunk.features)
        n_columns = chunk.features.shape[1]
        if n_rows > limits.most_items or n_columns > limits.most_columns:
            raise too_large(
                f"a table must have at most {limits.most_items:,} rows and {limits.most_columns:,} columns. "
                f"Got more in {file.name!r}."
            )
        if chunk.labels is not None:
            labels.extend(map(str, chunk.labels))
        yield chunk
