"""Sets from tables: rows are items, one column may name the set, one the label, all others are features.

Every kind of table arrives as chunks of rows, so that a table larger than memory passes through one set at a
time.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Shaped

from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet
from abclust.datasets.set_source import AnySet, SkippedFile
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

CHUNK_BYTES = 32 * 2**20


def rows_at_once(n_numbers: int) -> int:
    """How many rows of so many float64 numbers a chunk holds, however wide the table is.

    Examples
    --------
    >>> rows_at_once(8), rows_at_once(10**9)
    (524288, 1)
    """
    return max(1, CHUNK_BYTES // (8 * max(1, n_numbers)))


@dataclass(frozen=True)
class TableColumns:
    """Which columns of a table mean what.

    Attributes
    ----------
    set_column
        Rows with the same value here are one set; None: the whole table is one set.
    label_column
        The cluster of each row; None: the rows are not labelled.
    ignore_columns
        Neither features nor anything else.
    """

    set_column: str | None = None
    label_column: str | None = None
    ignore_columns: tuple[str, ...] = ()

    def features(self, names: Sequence[str]) -> list[int]:
        """The places of the feature columns among the `names` of all columns.

        Raises
        ------
        InvalidInputError
            If a named column is not there, names repeat, or no feature is left.
        """
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        if repeated:
            raise InvalidInputError(
                f"column names must differ. Got {', '.join(map(repr, repeated))} more than once."
            )
        roles = {"set_column": self.set_column, "label_column": self.label_column}
        roles |= {f"ignore_columns[{place}]": name for place, name in enumerate(self.ignore_columns)}
        taken = {check_choice(role, name, names) for role, name in roles.items() if name is not None}
        features = [place for place, name in enumerate(names) if name not in taken]
        if not features:
            raise InvalidInputError(
                f"a table must have at least one feature column. Got only {', '.join(names)}."
            )
        return features


@dataclass(frozen=True)
class CellFaults:
    """Cells that are not finite numbers: the first of each row, in words, by the row's number in a chunk."""

    missing: dict[int, str] = field(default_factory=dict)
    """NaN and empty cells, which some networks fill."""
    wrong: dict[int, str] = field(default_factory=dict)
    """Text and infinite numbers."""

    def rows(self, start: int, stop: int) -> "CellFaults":
        """The faults of rows `start` to `stop`, numbered from there."""
        return CellFaults(_between(self.missing, start, stop), _between(self.wrong, start, stop))


@dataclass(frozen=True, eq=False)
class TableChunk:
    """Some consecutive rows of a table.

    Attributes
    ----------
    features
        Shape (m, d), or (m, H, W) for images.
    sets, labels
        The set and the label of each row, or None where the table has no such column. Shape (m,).
    first_row
        The number of the first of these rows in the table, from 0.
    faults
        What is wrong with its cells; their features are NaN or infinite.
    """

    features: Shaped[np.ndarray, "m ..."]
    sets: Shaped[np.ndarray, " m"] | None
    labels: Shaped[np.ndarray, " m"] | None
    first_row: int
    faults: CellFaults = field(default_factory=CellFaults)

    def rows(self, start: int, stop: int) -> "TableChunk":
        return TableChunk(
            self.features[start:stop],
            None if self.sets is None else self.sets[start:stop],
            None if self.labels is None else self.labels[start:stop],
            self.first_row + start,
            self.faults.rows(start, stop),
        )


def sets_from_chunks(
    chunks: Iterable[TableChunk],
    name: str,
    *,
    gather: bool,
    allow_missing: bool = False,
    skipped: list[SkippedFile] | None = None,
) -> Iterator[AnySet]:
    """Group the rows of a table into sets.

    Parameters
    ----------
    chunks
        The table, in order.
    name
        The set's name where the table is one set.
    gather
        True: the rows of a set may lie anywhere, and the whole table is read before the first set comes out.
        False: they must lie together, and a set comes out as soon as the next one begins.
    allow_missing
        Let NaN and empty cells pass, as NaN.
    skipped
        Takes up the sets with a wrong cell, which then are left out; None raises at the first one.

    Raises
    ------
    InvalidInputError
        If the table has no rows, if not `gather` and a set goes on after another has begun, or at a wrong
        cell.
    """
    finished: set[str] = set()
    pending: dict[str, list[TableChunk]] = {}
    for chunk in chunks:
        for value, piece in _runs(chunk, name):
            if not gather and value not in pending:
                yield from _good_sets(pending, allow_missing, skipped)
                finished |= set(pending)
                pending = {}
            if value in finished:
                raise InvalidInputError(
                    f"rows of a set must lie together in a table of this size. Got set {value!r} again in "
                    f"row {piece.first_row}. Sort the table by its set column."
                )
            pending.setdefault(value, []).append(piece)
    if not pending:
        raise InvalidInputError(f"a table must have at least one row. Got none in {name!r}.")
    yield from _good_sets(pending, allow_missing, skipped)


def cell_faults(
    features: Float[np.ndarray, "m d"], names: Collection[str], first_row: int, where: str
) -> CellFaults:
    """The cells that are not finite numbers, in words that name their row and column.

    Examples
    --------
    >>> print(cell_faults(np.array([[1.0, np.nan]]), ["x", "y"], 7, "the table").missing[0])
    features must be finite numbers. Got nan in row 7, column 'y' of the table. Fill or remove such rows.
    """
    columns, found = list(names), CellFaults()
    is_bad = ~np.isfinite(features)
    for row in np.flatnonzero(is_bad.any(axis=1)).tolist():
        column = int(is_bad[row].argmax())
        value = features[row, column]
        kind = found.missing if np.isnan(features[row, is_bad[row]]).all() else found.wrong
        kind[row] = (
            f"features must be finite numbers. Got {value} in row {first_row + row}, column "
            f"{columns[column]!r} of {where}. Fill or remove such rows."
        )
    return found


def _between(reasons: dict[int, str], start: int, stop: int) -> dict[int, str]:
    return {row - start: reasons[row] for row in range(start, stop) if row in reasons} if reasons else {}


def _good_sets(
    pending: dict[str, list[TableChunk]], allow_missing: bool, skipped: list[SkippedFile] | None
) -> Iterator[AnySet]:
    for name, pieces in pending.items():
        reason = _first_fault(pieces, allow_missing)
        if reason is None:
            yield _as_set(name, pieces)
        elif skipped is None:
            raise InvalidInputError(reason)
        else:
            skipped.append(SkippedFile(f"set {name!r}", reason))


def _first_fault(pieces: list[TableChunk], allow_missing: bool) -> str | None:
    for piece in pieces:
        faults = piece.faults.wrong if allow_missing else {**piece.faults.missing, **piece.faults.wrong}
        if faults:
            return faults[min(faults)]
    return None


def _runs(chunk: TableChunk, name: str) -> Iterator[tuple[str, TableChunk]]:
    """Stretches of rows of one set."""
    n_rows = len(chunk.features)
    if chunk.sets is None:
        if n_rows:
            yield name, chunk
        return
    borders = np.flatnonzero(chunk.sets[1:] != chunk.sets[:-1]) + 1
    for start, stop in zip([0, *borders.tolist()], [*borders.tolist(), n_rows]):
        if stop > start:
            yield str(chunk.sets[start]), chunk.rows(start, stop)


def _as_set(name: str, pieces: list[TableChunk]) -> AnySet:
    items = pieces[0].features if len(pieces) == 1 else np.concatenate([piece.features for piece in pieces])
    rows = tuple(str(piece.first_row + row) for piece in pieces for row in range(len(piece.features)))
    labels = [piece.labels for piece in pieces if piece.labels is not None]
    if labels:
        return LabelledSet(items, np.concatenate(labels), name=name, item_names=rows)
    return UnlabelledSet(items, name=name, item_names=rows)
