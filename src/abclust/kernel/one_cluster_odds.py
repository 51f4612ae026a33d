"""How probable one cluster is beyond what a kernel says of it, by the size of the table (ours)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import from_dict

HEADER = "one_cluster_odds"
"""Where the header of weights may hold these."""


@dataclass(frozen=True)
class OneClusterOdds:
    """What multiplies the odds that a kernel gives to one cluster; they fall with both sizes of a table.

    A pair of a few items may well be unsure because all may be one cluster. Of hundreds of items that are
    one, a network is sure: a doubt that is left speaks against it. And in many columns the noise alone makes
    every pair doubtful, whatever the clusters are.

    Raises
    ------
    InvalidInputError
        If a number is not positive, or a power negative.

    Examples
    --------
    >>> odds = OneClusterOdds(n_items=60, n_columns=8, items_power=1.0, columns_power=0.5)
    >>> odds.at(60, 8), odds.at(120, 32)
    (1.0, 0.25)
    """

    n_items: int | float
    n_columns: int | float
    """Of a table of so many items and columns nothing is known but the kernel."""
    items_power: int | float
    columns_power: int | float
    """The odds fall with these powers of the numbers of items and of columns."""

    def __post_init__(self) -> None:
        for name in ("n_items", "n_columns"):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} must be positive. Got {getattr(self, name)}.")
        for name in ("items_power", "columns_power"):
            if getattr(self, name) < 0:
                raise InvalidInputError(f"{name} must not be negative. Got {getattr(self, name)}.")

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> "OneClusterOdds | None":
        """Those that the header of weights holds, if it holds any.

        Raises
        ------
        FileFormatError
            If what it holds are not such odds.
        """
        if HEADER not in header:
            return None
        try:
            return from_dict(cls, header[HEADER])
        except (InvalidInputError, TypeError) as error:
            raise FileFormatError(
                f"{HEADER} in the header of weights must hold n_items, n_columns, items_power and "
                f"columns_power. Got {header[HEADER]!r}. The file may come from a later version of abclust."
            ) from error

    def at(self, n_items: int, n_columns: int) -> float:
        """The multiple for a table of so many items and columns."""
        of_items = (self.n_items / n_items) ** self.items_power
        return of_items * (self.n_columns / max(n_columns, 1)) ** self.columns_power
