"""What every system of the comparison is to the experiment: learn from a background, then cluster sets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int, Shaped

from abclust.clustering.canonical_labels import canonical_labels
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

Background = GroupedImages | Sequence[LabelledSet]
"""What systems learn from: images of groups (alphabets), or one labelled set of items for each group."""

MAXIMUM = 100
"""The number given to systems that need one where nobody knows it (paper, caption of Table 3)."""

GROUPS = ("no learning", "metric learning", "learned kernel", "synthesised clusters")


@dataclass(frozen=True)
class SystemCard:
    """What a table says about a system beside its scores."""

    name: str
    """Its name in the registry and in results."""
    title: str
    """Its name in print."""
    group: str
    """One of :data:`GROUPS`; the paper's Table 3 separates the same kinds by lines."""
    reference: str
    """Where it was published, with DOI or arXiv number."""
    learns: bool = True
    """Whether :meth:`Baseline.learn` looks at the background at all."""
    uses_context: bool = False
    """Whether the other items of a set change how two of them are seen; the paper's dagger."""
    optimises_on_the_set: bool = False
    """Whether weights of a network are trained on each set that is clustered."""
    takes_n_clusters: bool = True
    """Whether a known number of clusters can be handed over; where not, the paper's table has a dash."""

    def __post_init__(self) -> None:
        check_choice("group", self.group, GROUPS)


@runtime_checkable
class Baseline(Protocol):
    """A system: ``learn`` once from labelled groups, then ``cluster`` any number of unlabelled sets.

    Sets come as bare items, so no system can look at a label.
    """

    @property
    def card(self) -> SystemCard:
        """What a table says about it."""
        ...

    @property
    def image_passes(self) -> int:
        """Items that learning encoded, each time one was; 0 before learning and for systems without any."""
        ...

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Learn from labelled groups.

        Parameters
        ----------
        background
            None of its classes may occur in a set that is clustered later.
        folder
            Where learned networks and checkpoints are kept; what lies there already is gone on from, and a
            network that several systems share is trained once. None keeps nothing.
        """
        ...

    def cluster(
        self, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set in canonical order; `n_clusters` is None where nobody knows the number."""
        ...


Labelling = Callable[[np.ndarray, int | None], np.ndarray]


def checked_labels(
    card: SystemCard, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None, label: Labelling
) -> Int[np.ndarray, " n"]:
    """Check a request, answer it where no system is needed, and ask `label` otherwise.

    Parameters
    ----------
    card
        Whose request it is.
    items
        The set, (n, d) or (n, H, W).
    n_clusters
        The number of clusters, or None.
    label
        ``label(items, n_clusters) -> labels`` for sets of two items and more, of two clusters and more.

    Raises
    ------
    InvalidInputError
        If the set is empty or not finite, or the number of clusters impossible or not wanted.

    Examples
    --------
    >>> card = SystemCard("halves", "Halves", "no learning", reference="")
    >>> checked_labels(card, np.zeros((4, 1)), 2, lambda items, k: np.array([1, 1, 0, 0])).tolist()
    [0, 0, 1, 1]
    """
    n_items = _check_items(items)
    if n_clusters is not None:
        _check_number(card, n_clusters, n_items)
        if n_clusters in (1, n_items):
            return np.zeros(n_items, np.int64) if n_clusters == 1 else np.arange(n_items)
    if n_items == 1:
        return np.zeros(1, dtype=np.int64)
    return canonical_labels(np.asarray(label(items, n_clusters)).astype(np.int64))


def check_learned(what: object | None, card: SystemCard) -> None:
    """Refuse to cluster before learning."""
    if what is None:
        raise InvalidInputError(
            f"{card.name} must learn before it clusters. Got no background yet. Call learn(background) first."
        )


def flat_items(items: Shaped[np.ndarray, "n ..."]) -> np.ndarray:
    """Items as float64 rows (n, d); uint8 images from 0-255 to 0-1."""
    rows = items.reshape(len(items), -1).astype(np.float64)
    return rows / 255.0 if items.dtype == np.uint8 else rows


def _check_items(items: np.ndarray) -> int:
    if items.ndim < 2 or len(items) == 0:
        raise InvalidInputError(
            f"items must be one set of shape (n, d) or (n, H, W) with n >= 1. Got shape {items.shape}."
        )
    if items.dtype.kind == "f" and not np.isfinite(items).all():
        raise InvalidInputError("items must be finite. Got NaN or infinite values.")
    return len(items)


def _check_number(card: SystemCard, n_clusters: int, n_items: int) -> None:
    if not card.takes_n_clusters:
        raise InvalidInputError(
            f"n_clusters must be None with {card.name}, which finds the number itself. Got {n_clusters}."
        )
    if not 1 <= n_clusters <= n_items:
        raise InvalidInputError(
            f"n_clusters must lie in 1 to the number of items ({n_items}). Got {n_clusters}."
        )
