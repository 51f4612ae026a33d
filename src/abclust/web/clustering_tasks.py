"""Clustering inside a worker process: what was uploaded, the examples, and corrections."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from io import BytesIO

import numpy as np
from jaxtyping import Float
from PIL import Image

from abclust.clustering.backends import partition_kernel
from abclust.clustering.partition import Partition
from abclust.datasets.circle_sets import circle_batch
from abclust.estimator.clustered_set import ClusteredSet
from abclust.estimator.item_preparation import allows_nan, prepare_set, read_items
from abclust.estimator.network_source import resolve_network
from abclust.estimator.set_clusterer import SetClusterer
from abclust.experiments.demonstration import digit_sets
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.report.cluster_order import cluster_order
from abclust.report.projection import project
from abclust.report.thumbnails import thumbnailer
from abclust.storage.memory_file import MemoryFile
from abclust.web.tasks import (
    ClusterTask,
    ConstraintTask,
    ExampleTask,
    FoundClusters,
    FoundPartition,
    Progress,
    ReadLimits,
)
from abclust.web.uploaded_items import read_images, read_table, table_among

EXAMPLES = ("circles", "digits")
SEED = 0
"""Of the samples of the number of clusters: equal requests get equal answers."""
THUMBNAIL_SIDE = 96
"""Longer side in pixels; enough for a screen of twice the usual density."""
N_CIRCLE_POINTS = 100
Tell = Callable[[Progress], None]


def cluster_upload(task: ClusterTask, tell: Tell) -> FoundClusters:
    """Read and cluster what was uploaded.

    Raises
    ------
    InvalidInputError, ApiError
        If it cannot be read or clustered; the message is for the client.
    """
    table = table_among(task.files)
    tell(Progress("reading", 0, len(task.files)))
    if table is None:
        return _cluster_images(task, tell)
    model, network = _network(task.model, "table")
    missing = allows_nan(network.metadata)
    read = read_table(table, task.label_column, task.limits, allow_missing=missing)
    tell(Progress("reading", 1, 1))
    found = _cluster_table(model, network, read.items, read.names, task.n_clusters, tell)
    return _with_truth(found, read.true_labels)


def cluster_example(task: ExampleTask, tell: Tell) -> FoundClusters:
    """Cluster one of :data:`EXAMPLES`, of which the truth is known."""
    check_choice("example", task.name, EXAMPLES)
    if task.name == "circles":
        batch = circle_batch(1, N_CIRCLE_POINTS, seed=stream(task.seed, 0))
        tell(Progress("reading", 1, 1))
        names = tuple(map(str, range(N_CIRCLE_POINTS)))
        points = batch.points[0].astype(np.float64)
        found = _cluster_table(*_network("circles", "table"), points, names, None, tell)
        return _with_truth(found, tuple(map(str, batch.labels[0])))
    (digits,), (shown,) = digit_sets(1, task.seed)
    files = tuple(
        MemoryFile(f"digit-{number:03}.png", _png(pixels)) for number, pixels in enumerate(digits.items)
    )
    limits = ReadLimits(len(files), 1, 1)
    return _with_truth(
        _cluster_images(ClusterTask(files, "omniglot", None, None, limits), tell), tuple(map(str, shown))
    )


def partition_again(task: ConstraintTask, tell: Tell) -> FoundPartition:
    """Partition a kernel under constraints.

    Raises
    ------
    InvalidInputError
        If the constraints contradict each other or leave no room.
    """
    tell(Progress("clustering", 0, 1))
    partition = partition_kernel(
        task.kernel,
        task.n_clusters,
        task.method,
        must_link=task.must_link or None,
        cannot_link=task.cannot_link or None,
        random_state=SEED,
        one_cluster_odds=task.one_cluster_odds,
    )
    assert isinstance(partition, Partition)  # one kernel in, one partition out
    return _as_arrays(partition)


def _cluster_images(task: ClusterTask, tell: Tell) -> FoundClusters:
    model, network = _network(task.model, "images")
    read = read_images(
        task.files,
        partial(_framed, network),
        _thumbnail,
        task.limits,
        lambda done, total: tell(Progress("reading", done, total)),
    )
    names = tuple(file.name for file in read.files)
    clusterer = SetClusterer(network, n_clusters=task.n_clusters, random_state=SEED)
    clustered = _clustered(clusterer, read.items, tell)
    return FoundClusters(
        model=model,
        kind="images",
        names=names,
        partition=_as_arrays(clustered.partition),
        kernel=clustered.kernel,
        prepared=clustered.prepared,
        method=clusterer.method,
        one_cluster_odds=clusterer.one_cluster_odds(clustered.prepared),
        n_clusters=task.n_clusters,
        thumbnails=read.pictures,
        files=read.files,
        skipped=read.skipped,
    )


def _cluster_table(
    model: str,
    network: ContextKernelNetwork,
    table: Float[np.ndarray, "n d"],
    names: tuple[str, ...],
    n_clusters: int | None,
    tell: Tell,
) -> FoundClusters:
    clusterer = SetClusterer(network, n_clusters=n_clusters, random_state=SEED)
    clustered = _clustered(clusterer, read_items(network, table), tell)
    partition = clustered.partition
    order = cluster_order(partition.labels, partition.confidence)
    ranks = {span.label: span.rank for span in order.clusters}
    ranking = np.array([ranks[int(label)] for label in partition.labels])
    return FoundClusters(
        model=model,
        kind="points" if table.shape[1] == 2 else "vectors",
        names=names,
        partition=_as_arrays(partition),
        kernel=clustered.kernel,
        prepared=clustered.prepared,
        method=clusterer.method,
        one_cluster_odds=clusterer.one_cluster_odds(clustered.prepared),
        n_clusters=n_clusters,
        positions=project(table, clustered.prepared, ranking).points,
    )


def _clustered(clusterer: SetClusterer, items: Float[np.ndarray, "n ..."], tell: Tell) -> ClusteredSet:
    """As :meth:`SetClusterer.cluster_items`, and tells how far it is."""
    tell(Progress("encoding", 0, len(items)))
    prepared = prepare_set(clusterer.network, items)
    tell(Progress("kernel", 0, len(items) ** 2))
    (kernel,) = clusterer.kernels([prepared])
    tell(Progress("clustering", 0, 1))
    partition = partition_kernel(
        kernel,
        clusterer.n_clusters,
        clusterer.method,
        random_state=SEED,
        one_cluster_odds=clusterer.one_cluster_odds(prepared),
    )
    assert isinstance(partition, Partition)  # one kernel in, one partition out
    return ClusteredSet(kernel, partition, prepared)


@lru_cache(maxsize=6)
def _network(model: str, kind: str) -> tuple[str, ContextKernelNetwork]:
    """The name of the weights and the network, loaded once in a process."""
    network, reference = resolve_network(model, "images" if kind == "images" else "table")
    assert reference is not None  # a model that is named has a reference
    if kind == "images" and network.config.image_size is None:
        raise InvalidInputError(
            f"model must be one for images. Got {model!r}, which is for tables. Take one for images, such as "
            "'omniglot'."
        )
    return reference.name, network


def _framed(network: ContextKernelNetwork, image: Image.Image) -> Float[np.ndarray, "S S"]:
    return read_items(network, [image])[0]


def _thumbnail(image: Image.Image) -> str:
    picture = thumbnailer([image], THUMBNAIL_SIDE)(0)
    assert picture is not None  # only files that have gone have no picture
    return picture


def _png(pixels: Float[np.ndarray, "H W"]) -> bytes:
    buffer = BytesIO()
    Image.fromarray(np.round(255 * pixels).astype(np.uint8)).save(buffer, format="PNG")
    return buffer.getvalue()


def _with_truth(found: FoundClusters, truth: tuple[str, ...] | None) -> FoundClusters:
    return replace(found, true_labels=truth)


def _as_arrays(partition: Partition) -> FoundPartition:
    return FoundPartition(
        labels=partition.labels,
        confidence=partition.confidence,
        linkage=partition.merge_tree.linkage,
        mean_log_odds=partition.merge_tree.mean_log_odds,
        n_clusters_samples=partition.n_clusters_samples,
    )
