"""What was clustered, in a few numbers for each set: what the command prints, in words or as JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from abclust.clustering.partition import Partition
from abclust.datasets.set_source import AnySet
from abclust.evaluation.scores import Scores
from abclust.scale.large_set import LargeSetPartition


@dataclass(frozen=True)
class SetSummary:
    """One set in a few numbers."""

    set: str
    n_items: int
    n_clusters: int
    n_clusters_interval: tuple[int, int] | None
    """90 % of the probability; None where the number was not sampled."""
    confidence: float
    scores: dict[str, float] | None
    """Against the labels of the input, where it has any."""

    @classmethod
    def of(
        cls, each: AnySet, partition: Partition | LargeSetPartition, scores: Scores | None
    ) -> "SetSummary":
        """The summary of a set and its partition."""
        return cls(
            set=each.name,
            n_items=each.n_items,
            n_clusters=partition.n_clusters,
            n_clusters_interval=_interval(partition),
            confidence=round(float(np.mean(partition.confidence)), 4),
            scores=None if scores is None else scores.as_dict(),
        )


@dataclass(frozen=True)
class ClusterSummary:
    """What was done."""

    model: str
    method: str
    sets: list[SetSummary] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    """Sets that could not be clustered, and why."""
    skipped: list[dict[str, str]] = field(default_factory=list)
    """Images that could not be read, and why."""
    output: str | None = None
    report: str | None = None
    tree: str | None = None

    @property
    def n_items(self) -> int:
        return sum(each.n_items for each in self.sets)

    @property
    def n_clusters(self) -> int:
        return sum(each.n_clusters for each in self.sets)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        totals = {"n_sets": len(self.sets), "n_items": self.n_items, "n_clusters": self.n_clusters}
        return {**totals, **asdict(self)}


def _interval(partition: Partition | LargeSetPartition) -> tuple[int, int] | None:
    """Of the number of clusters, where it was sampled: never for a large set."""
    if isinstance(partition, LargeSetPartition) or not len(partition.n_clusters_samples):
        return None
    return partition.n_clusters_interval()
