"""Sets from tables: rows are items, one column may name the set, one the label, all others are features.

Every kind of table arrives as chunks of rows, so that a table larger than memory passes through one set at a
time.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet
from abclust.datasets.set_source import AnySet
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
    """

    features: Shaped[np.ndarray, "m ..."]
    sets: Shaped[np.ndarray, " m"] | None
    labels: Shaped[np.ndarray, " m"] | None
    first_row: int

    def rows(self, start: int, stop: int) -> "TableChunk":
        return TableChunk(
            self.features[start:stop],
            None if self.sets is None else self.sets[start:stop],
            None if self.labels is None else self.labels[start:stop],
            self.first_row + start,
        )


def sets_from_chunks(chunks: Iterable[TableChunk], name: str, *, gather: bool) -> Iterator[AnySet]:
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

    Raises
    ------
    InvalidInputError
        If the table has no rows, or if not `gather` and a set goes on after another has begun.
    """
    finished: set[str] = set()
    pending: dict[str, list[TableChunk]] = {}
    for chunk in chunks:
        for value, piece in _runs(chunk, name):
            if not gather and value not in pending:
                yield from (_as_set(each, pieces) for each, pieces in pending.items())
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
    yield from (_as_set(each, pieces) for each, pieces in pending.items())


def finite_features(
    features: Float[np.ndarray, "m d"], names: Collection[str], first_row: int, where: str
) -> Float[np.ndarray, "m d"]:
    """The features, or an error that names row and column of the first cell that is not a finite number."""
    is_bad = ~np.isfinite(features)
    if is_bad.any():
        row, column = np.argwhere(is_bad)[0]
        raise InvalidInputError(
            f"features must be finite numbers. Got {features[row, column]} in row {first_row + row}, column "
            f"{list(names)[column]!r} of {where}. Fill or remove such rows."
        )
    return features


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
