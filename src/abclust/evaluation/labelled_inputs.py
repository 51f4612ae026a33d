"""One shape for all that can be scored: what a clusterer is handed, the true labels and the group."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class LabelledInput:
    """A set of items, or its kernel, beside its true labels."""

    values: np.ndarray
    """Items (n, ...) or a kernel (n, n): whatever the clusterer under test takes."""
    labels: np.ndarray
    """True labels (n,)."""
    group: str = ""
    """What the set was drawn from: an alphabet, a writer, a day."""

    def __post_init__(self) -> None:
        if self.labels.ndim != 1 or len(self.labels) != len(self.values) or len(self.labels) == 0:
            raise InvalidInputError(
                "labels must be a flat list with one label for each of at least one item. "
                f"Got {self.labels.shape} labels for {self.values.shape} values."
            )

    @property
    def n_items(self) -> int:
        """How many items the set holds."""
        return len(self.labels)

    @property
    def n_clusters(self) -> int:
        """How many clusters there truly are."""
        return len(np.unique(self.labels))


def as_labelled_inputs(sets: Iterable[Any]) -> list[LabelledInput]:
    """Bring labelled sets, (values, labels) pairs and (values, labels, group) triples into one shape.

    Parameters
    ----------
    sets
        Each a :class:`LabelledInput`, an object with `items`, `labels` and `group` (a ``LabelledSet``), or
        a tuple.

    Raises
    ------
    InvalidInputError
        If there is none, or if one is none of these.

    Examples
    --------
    >>> as_labelled_inputs([(np.eye(3), [0, 1, 2], "Greek")])[0].group
    'Greek'
    """
    inputs = [_as_labelled_input(entry) for entry in sets]
    if not inputs:
        raise InvalidInputError("sets must hold at least one labelled set. Got none.")
    return inputs


def _as_labelled_input(entry: Any) -> LabelledInput:
    if isinstance(entry, LabelledInput):
        return entry
    if isinstance(entry, tuple) and len(entry) in (2, 3):
        values, labels, *group = entry
        return LabelledInput(np.asarray(values), np.asarray(labels), *group)
    if not isinstance(entry, tuple) and hasattr(entry, "items") and hasattr(entry, "labels"):
        return LabelledInput(np.asarray(entry.items), np.asarray(entry.labels), getattr(entry, "group", ""))
    raise InvalidInputError(
        f"sets must hold labelled sets or (values, labels) pairs. Got {type(entry).__name__}. "
        "A kernel goes with its labels as a tuple: (kernel, labels)."
    )
