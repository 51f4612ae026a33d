"""What an engine is: a job and a stream of sets in, one outcome for each set out, in order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from abclust.clustering.default_method import DEFAULT_METHOD
from abclust.clustering.partition import Partition
from abclust.datasets.set_source import AnySet
from abclust.estimator.clustered_set import ClusteredSet
from abclust.estimator.network_source import WeightsReference
from abclust.estimator.set_clusterer import SetClusterer
from abclust.scale.large_set import LargeSetPartition


@dataclass(frozen=True)
class ClusteringJob:
    """What every worker must know. It travels: names and numbers only, weights by reference."""

    weights: WeightsReference
    """Shipped weights or a file that every worker can read."""
    n_clusters: Any = None
    """A number, a range (min, max) or None, for sets that do not have a number of their own."""
    method: str = DEFAULT_METHOD
    seed: int = 0
    device: str = "cpu"
    scale: str = "auto"
    """As the estimator's: ``"auto"`` takes sets of more than 20,000 items by local sets."""
    is_framed: bool = False
    """Whether images were brought into the network's frame as they were read, and must not be again."""

    def clusterer(self) -> SetClusterer:
        """Load the weights and make what does the work."""
        network = self.weights.load()
        if self.is_framed:
            network.metadata.pop("framing", None)
        return SetClusterer(
            network,
            n_clusters=self.n_clusters,
            method=self.method,
            random_state=self.seed,
            device=self.device,
        )


@dataclass(frozen=True, eq=False)
class SetTask:
    """One set, and what is asked of it alone."""

    set: AnySet
    n_clusters: Any = None
    """Instead of the job's."""
    must_link: Any = None
    cannot_link: Any = None
    in_detail: bool = False
    """Whether the outcome shall hold all that a report needs: the n x n kernel, and samples of the number of
    clusters, which take most of the time."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a worker gives back for a set: a partition, or the reason why there is none."""

    partition: Partition | LargeSetPartition | None = None
    """Labels and confidence; of a set that was clustered by local sets no more than these."""
    clustered: ClusteredSet | None = None
    """All of it, if the task was in detail and the set not too large for that."""
    error: str = ""
    seconds: float = 0.0
    """Time in the clusterer alone, shared equally among the sets that went through it together."""


@dataclass(frozen=True, eq=False)
class SetOutcome:
    """A set and what became of it."""

    task: SetTask
    answer: Answer


@runtime_checkable
class Engine(Protocol):
    """Clusters a stream of sets."""

    def cluster(self, tasks: Iterable[SetTask], job: ClusteringJob) -> Iterator[SetOutcome]:
        """One outcome for each task, in order.

        Tasks are taken as they are needed, so that a stream larger than memory passes through. A set that
        cannot be clustered has its reason in the outcome; the others go on.
        """
        ...
