"""What the server asks of a worker process, and what it gets back: plain data that travels.

Nothing here needs torch, so that the server, which only passes tasks on, starts at once.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.storage.memory_file import MemoryFile

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ReadLimits:
    """How much a worker reads; see :class:`abclust.web.config.WebConfig`."""

    most_items: int
    most_columns: int
    unpacked_bytes: int


@dataclass(frozen=True)
class ClusterTask:
    """Cluster what was uploaded."""

    files: tuple[MemoryFile, ...]
    model: str
    """``"auto"``, a shipped name, or the path of a network that the server's owner named, never a client."""
    n_clusters: int | None
    label_column: str | None
    limits: ReadLimits


@dataclass(frozen=True)
class ExampleTask:
    """Cluster one of the examples."""

    name: str
    seed: int


@dataclass(frozen=True, eq=False)
class ConstraintTask:
    """Partition a kernel anew under constraints."""

    kernel: Float[np.ndarray, "n n"]
    method: str
    n_clusters: int | None
    must_link: Pairs
    cannot_link: Pairs
    one_cluster_odds: float = 1.0


@dataclass(frozen=True)
class Circle:
    """A circle of the playground and how many points lie on it."""

    x: float
    y: float
    radius: float
    points: int


@dataclass(frozen=True)
class CircleTask:
    """Cluster points on given circles by three systems."""

    circles: tuple[Circle, ...]
    noise: float
    seed: int


@dataclass(frozen=True)
class ModelsTask:
    """Describe the networks that are offered; of each its name and what loads it."""

    offered: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class FoundPartition:
    """A partition as arrays; see :class:`abclust.clustering.partition.Partition`."""

    labels: Int[np.ndarray, " n"]
    confidence: Float[np.ndarray, " n"]
    linkage: Float[np.ndarray, "rows 4"]
    mean_log_odds: Float[np.ndarray, " rows"]
    n_clusters_samples: Int[np.ndarray, " samples"]

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1


@dataclass(frozen=True, eq=False)
class FoundClusters:
    """Everything that is known about a set once it is clustered.

    Attributes
    ----------
    model
        The name of the weights.
    kind
        ``"images"``, ``"points"`` (two columns) or ``"vectors"``.
    names
        Of the n items.
    partition, kernel, prepared
        As in :class:`abclust.estimator.clustered_set.ClusteredSet`.
    method
        How the kernel was clustered: the network's own way.
    one_cluster_odds
        What the network's header knows of sets of this size.
    n_clusters
        What was asked for.
    positions
        Where vectors stand on paper; None for images. Shape (n, 2).
    thumbnails
        Data URLs of PNG; None for vectors.
    files
        The image files, for the download; empty for vectors.
    skipped
        Name and reason of what could not be read.
    true_labels
        In words, if known.
    """

    model: str
    kind: str
    names: tuple[str, ...]
    partition: FoundPartition
    kernel: Float[np.ndarray, "n n"]
    prepared: Float[np.ndarray, "n ..."]
    method: str
    one_cluster_odds: float = 1.0
    n_clusters: int | None = None
    positions: Float[np.ndarray, "n 2"] | None = None
    thumbnails: tuple[str, ...] | None = None
    files: tuple[MemoryFile, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    true_labels: tuple[str, ...] | None = None
    must_link: Pairs = ()
    cannot_link: Pairs = ()

    @property
    def n_items(self) -> int:
        return len(self.names)

    @property
    def n_bytes(self) -> int:
        """About how much memory it takes."""
        arrays = self.kernel.nbytes + self.prepared.nbytes + 256 * self.n_items
        pictures = sum(map(len, self.thumbnails or ()))
        return arrays + pictures + sum(len(file.content) for file in self.files)

    def named(self, model: str) -> "FoundClusters":
        """The same under the name that clients know the weights by."""
        return replace(self, model=model)

    def with_partition(self, partition: FoundPartition) -> "FoundClusters":
        """The same set, partitioned otherwise."""
        return replace(self, partition=partition)

    def corrected(self, partition: FoundPartition, must_link: Pairs, cannot_link: Pairs) -> "FoundClusters":
        """The same set, partitioned under constraints."""
        return replace(self, partition=partition, must_link=must_link, cannot_link=cannot_link)


@dataclass(frozen=True, eq=False)
class ReportTask:
    """Write the report of a clustered set."""

    found: FoundClusters


@dataclass(frozen=True)
class Refusal:
    """Why a worker did not do what it was asked."""

    status: int
    code: str
    message: str


@dataclass(frozen=True)
class Progress:
    """How far a worker is."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a task gave."""

    value: Any = field(repr=False)


Task = ClusterTask | ExampleTask | ConstraintTask | CircleTask | ModelsTask | ReportTask
