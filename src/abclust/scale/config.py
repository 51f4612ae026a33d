"""How a large set is cut into local ones: one frozen configuration, which may travel with the weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.foundations.options import check_choice

HEADER = "local_context"
"""Where the header of weights may say what their local sets shall look like."""
SPACES = ("items", "encoded")


@dataclass(frozen=True)
class LocalContextConfig:
    """What the network sees of a large set at a time.

    Raises
    ------
    InvalidInputError
        If a number is out of its range.

    Examples
    --------
    >>> LocalContextConfig(set_size=64, n_far=0).n_close
    64
    """

    set_size: int = 192
    """Items of a local set: as many as the network saw in training, far below what memory forbids."""
    n_far: int = 32
    """Of these, items drawn from the whole set, so that the network also sees what is not near."""
    n_neighbors: int = 48
    """Nearest neighbours that are sought for each item."""
    n_near: int = 16
    """Nearest neighbours that are sure to be in the local set in which an item stands in the middle."""
    rounds: int = 1
    """How often each item stands in the middle of a local set; each round cuts the set differently."""
    caution: float = 3.0
    """Log-odds that two clusters need in the pass over items. What is seen between two of them there are the
    items nearest to each other, which speak too well of a union; the passes over clusters do without."""
    levels: int = 6
    """Passes over clusters as super-nodes, at most, after the pass over items; 0 leaves them out."""
    n_representatives: int = 8
    """Items that stand for a cluster in these passes."""
    sample_size: int = 2500
    """Items of the sample that tells whether few large clusters make up the set; at most half of it."""
    placements: int = 1
    """Sets in which the network sees each other item beside the sample, if they do; 0 never looks."""
    space: str = "items"
    """Where neighbours are sought: among the ``"items"`` as they are (vectors), or as ``"encoded"``."""

    def __post_init__(self) -> None:
        check_choice("space", self.space, SPACES)
        for name in ("set_size", "n_neighbors", "n_near", "rounds", "n_representatives", "sample_size"):
            if getattr(self, name) < 1:
                raise InvalidInputError(f"{name} must be at least 1. Got {getattr(self, name)}.")
        for name in ("levels", "placements"):
            if getattr(self, name) < 0:
                raise InvalidInputError(f"{name} must be at least 0. Got {getattr(self, name)}.")
        if not math.isfinite(self.caution):
            raise InvalidInputError(f"caution must be finite. Got {self.caution}.")
        if not self.n_near <= self.n_neighbors:
            raise InvalidInputError(
                f"n_near must be at most n_neighbors ({self.n_neighbors}). Got {self.n_near}."
            )
        if not 0 <= self.n_far < self.set_size - self.n_near:
            raise InvalidInputError(
                f"n_far must leave room for an item and its {self.n_near} nearest neighbours among "
                f"{self.set_size} items. Got {self.n_far}."
            )

    @property
    def n_close(self) -> int:
        """Items of a local set that are neighbours of those in its middle."""
        return self.set_size - self.n_far


def local_context(header: Mapping[str, Any], *, is_for_images: bool) -> LocalContextConfig:
    """What the header of weights asks for; else the default, with encoded neighbours for images.

    Pixels are no space to look for neighbours in. Vectors are: an encoder that no loss has asked to keep
    neighbours near need not do so.
    """
    if HEADER in header:
        return from_dict(LocalContextConfig, header[HEADER])
    return LocalContextConfig(space="encoded" if is_for_images else "items")
