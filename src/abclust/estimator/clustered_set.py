"""What clustering a set gives: all that is known about it, or why there is nothing."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.partition import Partition
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class ClusteredSet:
    """A set and its clusters.

    Attributes
    ----------
    kernel
        Calibrated probabilities that two items belong together. Shape (n, n).
    partition
        Labels, the number of clusters, confidence, merge tree and samples of the number of clusters.
    prepared
        What the network saw: framed images, prepared vectors. Shape (n, d) or (n, S, S).
    """

    kernel: Float[np.ndarray, "n n"]
    partition: Partition
    prepared: Float[np.ndarray, "n ..."]

    @property
    def labels(self) -> Int[np.ndarray, " n"]:
        """The cluster of each item, numbered by first appearance."""
        return self.partition.labels

    @property
    def n_clusters(self) -> int:
        return self.partition.n_clusters


@dataclass(frozen=True, eq=False)
class SetFailure:
    """One of many sets that could not be clustered; the others go on.

    Attributes
    ----------
    index
        Its place among the sets.
    name
        Its name, or empty.
    error
        What was wrong with it.
    """

    index: int
    name: str
    error: InvalidInputError
