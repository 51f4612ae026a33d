"""The functional core of the estimator: a set in, its clusters out; thousands of sets as a batched stream."""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.default_method import DEFAULT_METHOD, settled_method
from abclust.clustering.partition import Partition
from abclust.datasets.vector_preparation import n_columns_of
from abclust.estimator.clustered_set import ClusteredSet, SetFailure
from abclust.estimator.item_preparation import prepare_items, prepare_set, read_items
from abclust.estimator.set_stream import Job, Solved, read_jobs, solve_window, windows
from abclust.foundations.random_state import Seed, as_generator
from abclust.kernel.calibration_table import CalibrationTable
from abclust.kernel.one_cluster_odds import OneClusterOdds
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.item_checks import as_device
from abclust.model.raw_kernels import raw_kernels

__all__ = ["ClusteredSet", "SetClusterer", "SetFailure"]


class SetClusterer:
    """Cluster sets by a network: prepare, predict, calibrate, partition.

    Parameters
    ----------
    network
        Its header is honoured: framing or preparation of items, views, calibration.
    n_clusters
        An integer, a range (min, max), or None to find the number.
    method
        As in :func:`abclust.cluster_kernel`: a name or a scikit-learn clusterer; ``"auto"`` for the one that
        the network's header names.
    random_state
        For what is drawn: samples of the number of clusters, and the methods that use random numbers.
    device
        Where the network runs. A network that is elsewhere is copied, not moved.
    n_samples
        Samples of the number of clusters for each partition, as in :func:`abclust.partition_kernel`. They
        take most of the time; 0 leaves them out.

    Examples
    --------
    >>> from abclust.datasets import circles
    >>> from abclust.zoo.loading import load
    >>> (points,) = circles(1, n_points=60, seed=4)
    >>> found = SetClusterer(load("circles"), random_state=0).cluster(points.items)
    >>> found.n_clusters, found.kernel.shape
    (4, (60, 60))
    """

    def __init__(
        self,
        network: ContextKernelNetwork,
        *,
        n_clusters: Any = None,
        method: Any = DEFAULT_METHOD,
        random_state: Seed = None,
        device: str | torch.device = "cpu",
        n_samples: int | None = None,
    ) -> None:
        target = as_device(device)
        if next(network.parameters()).device != target:
            network = copy.deepcopy(network).to(target)
        self.network = network
        self.n_clusters = n_clusters
        self.asked_method = method
        self.method = settled_method(method, network.metadata)
        self.n_samples = n_samples
        # One seed for all sets, so that what a set gets does not depend on how many came before it.
        self.seed = None if random_state is None else int(as_generator(random_state).integers(2**31 - 1))
        self.calibrations = CalibrationTable.from_dict(network.metadata.get("calibration", {}))
        self._odds = OneClusterOdds.from_header(network.metadata)

    def cluster(self, X: Any, *, must_link: Any = None, cannot_link: Any = None) -> ClusteredSet:
        """Cluster one set.

        Parameters
        ----------
        X
            A table or images; see :func:`abclust.estimator.item_preparation.prepare_items`.
        must_link, cannot_link
            Pairs of item numbers that belong together, or do not.

        Raises
        ------
        InvalidInputError
            If `X` is not what the network expects, or if the number of clusters or the constraints cannot be.
        """
        return self.cluster_items(read_items(self.network, X), must_link=must_link, cannot_link=cannot_link)

    def cluster_items(
        self, items: Float[np.ndarray, "n ..."], *, must_link: Any = None, cannot_link: Any = None
    ) -> ClusteredSet:
        """Cluster a set that was read; see :func:`abclust.estimator.item_preparation.read_items`."""
        prepared = prepare_set(self.network, items)
        (kernel,) = self.kernels([prepared])
        partition = partition_kernel(
            kernel,
            self.n_clusters,
            self.method,
            must_link=must_link,
            cannot_link=cannot_link,
            random_state=self.seed,
            one_cluster_odds=self.one_cluster_odds(prepared),
            n_samples=self.n_samples,
        )
        assert isinstance(partition, Partition)  # one kernel in, one partition out
        return ClusteredSet(kernel, partition, prepared)

    def cluster_many(
        self, sets: Iterable[Any], constraints: Sequence[Any] | None = None, n_clusters: Any = None
    ) -> Iterator[ClusteredSet | SetFailure]:
        """Cluster many sets as a stream: order kept, sets of equal size batched, a bad one reported.

        Parameters
        ----------
        sets
            Sets as :meth:`cluster` takes them, or :class:`~abclust.datasets.UnlabelledSet` and
            :class:`~abclust.datasets.LabelledSet`, whose labels are not looked at. Read as they are needed.
        constraints
            For each set None, or a pair (must_link, cannot_link), or a mapping with these names.
        n_clusters
            One value for all sets, or a list of one for each; the clusterer's own unless given.

        Yields
        ------
        ClusteredSet or SetFailure
        """
        solve = partial(partition_kernel, n_samples=self.n_samples)
        for solved in self._solved(sets, constraints, n_clusters, solve):
            if isinstance(solved, SetFailure):
                yield solved
            else:
                yield ClusteredSet(solved.kernel, solved.result, solved.job.prepared)

    def label_many(
        self, sets: Iterable[Any], constraints: Sequence[Any] | None = None, n_clusters: Any = None
    ) -> Iterator[Int[np.ndarray, " _"] | SetFailure]:
        """As :meth:`cluster_many`, labels alone, which is fifty times as fast: no merge trees, no samples."""
        for solved in self._solved(sets, constraints, n_clusters, cluster_kernel):
            yield solved if isinstance(solved, SetFailure) else solved.result

    def kernels(
        self, prepared: Sequence[Float[np.ndarray, "_ ..."]], backend: str | None = None
    ) -> list[Float[np.ndarray, "_ _"]]:
        """The calibrated kernels of prepared sets, for this clusterer's method or another back end."""
        return [self.calibrated(kernel, backend) for kernel in raw_kernels(self.network, prepared)]

    def calibrated(self, kernel: Float[np.ndarray, "n n"], backend: str | None = None) -> np.ndarray:
        """A raw kernel as this clusterer's method, or another back end, takes it."""
        name = self.method if isinstance(self.method, str) else type(self.method).__name__
        return self.calibrations.apply(kernel, backend or name)

    def one_cluster_odds(self, prepared: Float[np.ndarray, "n ..."]) -> float:
        """What the network's header knows of a set of this size, as ``cluster_kernel`` takes it."""
        if self._odds is None:
            return 1.0
        return self._odds.at(len(prepared), n_columns_of(prepared))

    def _solved(
        self,
        sets: Iterable[Any],
        constraints: Sequence[Any] | None,
        n_clusters: Any,
        solve: Callable[..., Any],
    ) -> Iterator[Solved | SetFailure]:
        prepare = partial(prepare_items, self.network)
        numbers = self.n_clusters if n_clusters is None else n_clusters
        for window in windows(read_jobs(sets, prepare, constraints, numbers)):
            yield from solve_window(window, self.kernels, partial(self._solve, solve))

    def _solve(self, solve: Callable[..., Any], jobs: list[Job], kernels: list[np.ndarray]) -> list[Any]:
        """One batched call of `cluster_kernel` or `partition_kernel` for many sets."""
        return solve(
            kernels,
            [job.n_clusters for job in jobs],
            self.method,
            must_link=[job.must_link for job in jobs],
            cannot_link=[job.cannot_link for job in jobs],
            random_state=self.seed,
            one_cluster_odds=[self.one_cluster_odds(job.prepared) for job in jobs],
        )
