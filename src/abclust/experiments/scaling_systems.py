"""The systems of the scaling runs: a large set in, labels out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.cluster import HDBSCAN, MiniBatchKMeans
from sklearn.linear_model import LogisticRegression

from abclust.clustering.canonical_labels import noise_as_singletons
from abclust.experiments.scaling_mixtures import EmbeddingDomain
from abclust.experiments.scaling_sampler import NeighbourhoodSampler, labelled_pairs
from abclust.foundations.frozen_config import from_dict
from abclust.foundations.options import resolve
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.checkpoint import FolderKeeper, MemoryKeeper, WorkKeeper
from abclust.scale.config import local_context
from abclust.scale.evidence import EncodedEvidence, PairEvidence
from abclust.scale.fingerprint import work_fingerprint
from abclust.scale.item_encoding import directions, encode_stream
from abclust.scale.large_set import cluster_large_set
from abclust.scale.progress import default_progress

_CALIBRATION_SEED = 1_900_3010  # neither training nor validation nor a scaling run draws from it


@dataclass(frozen=True, eq=False)
class LargeSetTask:
    """A large set, its true number of clusters for those who are told, and the network."""

    items: Float[np.ndarray, "n d"]
    n_classes: int
    network: ContextKernelNetwork
    seed: int
    folder: Path | None = None
    """Where the work is kept, so that a killed run goes on; None keeps nothing."""


def make_task(network: str, n_items: int, seed: int, folder: str | None = None) -> LargeSetTask:
    """The set of a run, drawn in the domain that the network's header names."""
    loaded = ContextKernelNetwork.from_file(network)
    domain = from_dict(EmbeddingDomain, loaded.metadata.get("domain", {}))
    items, labels = domain.mixture(n_items, seed)
    return LargeSetTask(items, int(labels.max()) + 1, loaded, seed, Path(folder) if folder else None)


def true_labels(network: str, n_items: int, seed: int) -> Int[np.ndarray, " n"]:
    """The classes of the same set."""
    domain = from_dict(EmbeddingDomain, ContextKernelNetwork.from_file(network).metadata.get("domain", {}))
    return domain.mixture(n_items, seed)[1]


def by_network(task: LargeSetTask) -> Int[np.ndarray, " n"]:
    """Ours: the network on local sets, the number of clusters found."""
    encoded = encode_stream(task.network, task.items)
    evidence = EncodedEvidence(task.network, encoded)
    return _clustered(task, evidence, directions(encoded[0]))


def by_cosine(task: LargeSetTask) -> Int[np.ndarray, " n"]:
    """The same with the cosine of two items in place of the network."""
    features = directions(task.items)
    return _clustered(task, CosineEvidence.fitted(features, task.network, encode=False), features)


def by_encoded_cosine(task: LargeSetTask) -> Int[np.ndarray, " n"]:
    """The same with the cosine of two encoded items: the network without its context."""
    features = directions(encode_stream(task.network, task.items)[0])
    return _clustered(task, CosineEvidence.fitted(features, task.network, encode=True), features)


def by_mini_batch_k_means(task: LargeSetTask) -> Int[np.ndarray, " n"]:
    """scikit-learn's MiniBatchKMeans, which is told the true number of clusters."""
    return MiniBatchKMeans(task.n_classes, random_state=task.seed).fit_predict(task.items)


def by_hdbscan(task: LargeSetTask) -> Int[np.ndarray, " n"]:
    """scikit-learn's HDBSCAN with its defaults; what it calls noise stays alone."""
    return noise_as_singletons(HDBSCAN().fit_predict(task.items))


class CosineEvidence:
    """log-odds = a cos + b, with a and b fitted on labelled neighbourhoods as the network's training had.

    Parameters
    ----------
    features
        Rows of length 1.
    slope, offset
        a and b.
    """

    def __init__(self, features: Float[np.ndarray, "n f"], slope: float, offset: float) -> None:
        self._features, self._slope, self._offset = features, slope, offset

    def log_odds(self, sets: Int[np.ndarray, "B m"]) -> Float[np.ndarray, "B m m"]:
        """Of every pair of each set."""
        rows = self._features[sets]
        return (self._slope * (rows @ rows.swapaxes(1, 2)) + self._offset).astype(np.float32)

    @classmethod
    def fitted(
        cls, features: Float[np.ndarray, "n f"], network: ContextKernelNetwork, *, encode: bool
    ) -> "CosineEvidence":
        """With the likeliest slope and offset on pairs that no run is scored on."""
        domain = from_dict(EmbeddingDomain, network.metadata.get("domain", {}))
        sampler = NeighbourhoodSampler(domain, n_sets=4, n_anywhere=0, n_clumped=0)
        cosines, together = [], []
        for items, labels in labelled_pairs(sampler, 8, _CALIBRATION_SEED):
            for one, true in zip(items, labels):
                rows = directions(encode_stream(network, one)[0] if encode else one)
                pairs = np.triu_indices(len(rows), 1)
                cosines.append((rows @ rows.T)[pairs])
                together.append((true[:, None] == true)[pairs])
        fit = LogisticRegression(C=1e6).fit(np.concatenate(cosines)[:, None], np.concatenate(together))
        return cls(features, float(fit.coef_[0, 0]), float(fit.intercept_[0]))


def _clustered(
    task: LargeSetTask, evidence: PairEvidence, features: Float[np.ndarray, "n f"]
) -> Int[np.ndarray, " n"]:
    config = local_context(task.network.metadata, is_for_images=False)
    keeper: WorkKeeper = MemoryKeeper()
    if task.folder is not None:
        system = type(evidence).__name__
        stamp = work_fingerprint(task.items, task.network, config, seed=task.seed, system=system)
        keeper = FolderKeeper(task.folder, stamp)
    with default_progress() as progress:
        found = cluster_large_set(
            evidence, features, config, seed=task.seed, keeper=keeper, progress=progress, keep_graph=False
        )
    return found.labels


SYSTEMS = {
    "ABC": by_network,
    "cosine of items": by_cosine,
    "cosine of encoded items": by_encoded_cosine,
    "MiniBatchKMeans": by_mini_batch_k_means,
    "HDBSCAN": by_hdbscan,
}
"""Name in the rows, and what does the work."""


def system(name: str) -> Any:
    """The system of that name."""
    return resolve("system", name, SYSTEMS)
