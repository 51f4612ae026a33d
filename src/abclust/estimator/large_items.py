"""Sets too large for an n x n kernel, on behalf of the estimator: what the network says of local sets."""

from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.default_method import DEFAULT_METHOD
from abclust.datasets.vector_preparation import VectorPreparation
from abclust.datasets.vector_scaling import scale_columns
from abclust.estimator.item_preparation import prepare_set
from abclust.estimator.new_items import METHOD, find_twins
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.config import LocalContextConfig, local_context
from abclust.scale.evidence import EncodedEvidence, KernelEvidence, PairEvidence
from abclust.scale.graph_methods import GRAPH_METHODS
from abclust.scale.item_encoding import directions, encode_stream
from abclust.scale.large_set import LargeSetPartition, cluster_large_set
from abclust.scale.newcomers import place_newcomers
from abclust.scale.progress import ScaleProgress, default_progress

_WHOLE_SET = ("preparation", "vector_views", "point_views")
"""Words of a header by which a network wants each set as a whole, and not as items encoded once."""
SIZE_PRIOR = "size-prior"
_BLOCK = 65_536


def cluster_large_items(
    clusterer: SetClusterer,
    items: Float[np.ndarray, "n ..."],
    must_link: Any = None,
    cannot_link: Any = None,
    *,
    progress: ScaleProgress | None = None,
    keep_graph: bool = True,
) -> LargeSetPartition:
    """Cluster a large set that was read; see :func:`abclust.scale.large_set.cluster_large_set`.

    Parameters
    ----------
    clusterer
        Its network's header is honoured, as for small sets; ``local_context`` there says how local sets look.
    items
        From :func:`abclust.estimator.item_preparation.read_items`; may be a memory map.
    must_link, cannot_link
        None: the sparse graph takes no constraints.
    progress
        Hears of every stage; a bar on a terminal, log lines elsewhere, unless given.
    keep_graph
        Whether the partition holds the sparse graph.

    Raises
    ------
    InvalidInputError
        If constraints, a number of clusters or a method is asked for that needs all pairs.
    """
    method = _method_of(clusterer, must_link, cannot_link)
    with default_progress() if progress is None else nullcontext(progress) as told:
        config, evidence, features = local_evidence(clusterer, items, told, method)
        return cluster_large_set(
            evidence,
            features,
            config,
            method=method,
            seed=clusterer.seed or 0,
            progress=told,
            keep_graph=keep_graph,
        )


def place_in_large_set(
    clusterer: SetClusterer,
    old: Float[np.ndarray, "n ..."],
    labels: Int[np.ndarray, " n"],
    new: Float[np.ndarray, "m ..."],
    sample: Int[np.ndarray, " s"] | None,
) -> Int[np.ndarray, " m"]:
    """Clusters of new items beside a fitted large set; see :func:`abclust.scale.newcomers.place_newcomers`.

    An item that equals an old one, number for number, is that item.
    """
    blocks = range(0, len(old), _BLOCK)
    twins = [find_twins(np.asarray(old[start : start + _BLOCK]), new) for start in blocks]
    twin = np.full(len(new), -1)
    for start, found in reversed(list(zip(blocks, twins))):
        twin[found >= 0] = start + found[found >= 0]
    placed, fresh = labels[twin], np.flatnonzero(twin < 0)
    if len(fresh):
        joint = np.concatenate([old, new[fresh].astype(old.dtype)])
        config, evidence, features = local_evidence(clusterer, joint)
        placed[fresh] = place_newcomers(
            evidence, features, labels, config, sample=sample, seed=clusterer.seed or 0
        )
    return placed


def local_evidence(
    clusterer: SetClusterer,
    items: Float[np.ndarray, "n ..."],
    progress: ScaleProgress | None = None,
    method: str = METHOD,
) -> tuple[LocalContextConfig, PairEvidence, Float[np.ndarray, "n f"]]:
    """How local sets look, what says their log-odds, calibrated for the method, and where neighbours are."""
    backend = method if method == SIZE_PRIOR else METHOD  # the other methods of graphs read log-odds
    network = clusterer.network
    config = local_context(network.metadata, is_for_images=network.config.image_size is not None)
    if any(word in network.metadata for word in _WHOLE_SET):
        kernels = partial(_kernels, clusterer, backend)
        return config, KernelEvidence(items, kernels), _scaled(network, items)
    encoded = encode_stream(network, items, progress=progress)
    features = directions(encoded[0]) if config.space == "encoded" else items.reshape(len(items), -1)
    return config, EncodedEvidence(network, encoded, backend), features


def _kernels(clusterer: SetClusterer, backend: str, sets: list[np.ndarray]) -> list[Float[np.ndarray, "_ _"]]:
    return clusterer.kernels([prepare_set(clusterer.network, each) for each in sets], backend)


def _scaled(network: ContextKernelNetwork, items: Float[np.ndarray, "n ..."]) -> Float[np.ndarray, "n f"]:
    """Columns of a table on one scale, missing values at their column's mean; points as they are."""
    flat = items.reshape(len(items), -1)
    if "preparation" not in network.metadata:
        return flat
    table = np.array(flat, dtype=np.float32)
    rows, columns = np.nonzero(~np.isfinite(table))
    if len(rows):
        means = np.nanmean(np.where(np.isfinite(table), table, np.nan), axis=0)
        table[rows, columns] = np.nan_to_num(means)[columns]
    preparation = from_dict(VectorPreparation, network.metadata["preparation"])
    return scale_columns(table[None], preparation.values_of_full_weight)[0]


def _method_of(clusterer: SetClusterer, must_link: Any, cannot_link: Any) -> str:
    instead = "Take scale='full' if its n x n kernel fits in memory."
    if must_link is not None or cannot_link is not None:
        raise InvalidInputError(f"constraints must be for sets with all pairs. Got scale='local'. {instead}")
    if clusterer.n_clusters is not None:
        raise InvalidInputError(
            f"n_clusters must be None with scale='local'. Got {clusterer.n_clusters!r}. {instead}"
        )
    if isinstance(clusterer.asked_method, str) and clusterer.asked_method == DEFAULT_METHOD:
        # A sparse graph does not know all pairs, from which a score could be expected.
        return clusterer.method if clusterer.method in GRAPH_METHODS else METHOD
    if not isinstance(clusterer.method, str) or clusterer.method not in GRAPH_METHODS:
        raise InvalidInputError(
            f"method must be one of {', '.join(map(repr, GRAPH_METHODS))} with scale='local'. "
            f"Got {clusterer.method!r}. {instead}"
        )
    return clusterer.method
