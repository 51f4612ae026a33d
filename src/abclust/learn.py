"""`abclust.train`: labelled sets in, a calibrated network out.

The trainer, a default network for the data, a validation on what is held out, a calibration of the result.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.default_method import CANDIDATES, HEADER
from abclust.datasets.data_fingerprint import data_fingerprint
from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.set_source import MEMORY_BYTES, SetSource
from abclust.datasets.spooled_sets import spool_sets
from abclust.evaluation.calibration_search import CalibrationSearchConfig, best_backend, calibrate
from abclust.evaluation.provenance import current_commit, package_versions
from abclust.evaluation.scores import nmi
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.raw_kernels import raw_kernels
from abclust.training.batch_source import BatchSource
from abclust.training.config import TrainingConfig
from abclust.training.defaults import build_source, default_network
from abclust.training.going_on import (
    Start,
    check_items,
    inherited_header,
    preparation_of,
    suitable_training,
)
from abclust.training.hold_out import hold_out, instances
from abclust.training.prepared_sets import PreparedSetSource, prepare_sets
from abclust.training.progress_bar import default_reporter
from abclust.training.reporter import Reporter
from abclust.training.selection import Validation
from abclust.training.standardisation import Standardisation
from abclust.training.trainer import TrainingResult, fit

CALIBRATED_METHODS = (*CANDIDATES, "log-odds", "spectral")


@dataclass(frozen=True)
class Learned:
    """A trained network and the run that trained it."""

    network: ContextKernelNetwork
    result: TrainingResult


def train(
    sets: Iterable[Any],
    validation: Iterable[Any] | None = None,
    config: TrainingConfig | None = None,
    *,
    network: ContextKernelNetwork | ContextKernelConfig | None = None,
    folder: str | Path | None = None,
    resume: bool = False,
    reporter: Reporter | None = None,
    augment: AugmentationConfig | str | None = "auto",
    framing: Mapping[str, Any] | None = None,
    memory_bytes: int = MEMORY_BYTES,
) -> ContextKernelNetwork:
    """Learn from labelled sets how things are to be grouped.

    Parameters
    ----------
    sets
        (X, y) pairs or :class:`~abclust.datasets.LabelledSet`: X of shape (n, d), or (n, H, W) for images; y
        names the cluster of each item, anew in every set. A stream of them, such as
        :func:`~abclust.datasets.read_sets` gives, may be larger than memory.
    validation
        Sets to be judged by. By default some groups, sets or classes of `sets` are held out.
    config
        How to train. By default 2,000 steps of 16 sets for vectors (about a minute on a laptop), 1,500 steps
        of 8 sets with the contrastive loss for images (about ten), and 400 small steps of 8 sets where a
        network for tables of any width goes on.
    network
        A network to go on from, or the configuration of a new one. By default three small pre-norm blocks of
        width 64 for vectors, and two gated ones of width 128 behind a fast CNN for images. A network whose
        header prepares tables (``vectors``) takes sets of any widths.
    folder
        Where checkpoints and the curve go; None keeps nothing.
    resume
        Go on from the newest checkpoint in `folder`, if there is one.
    reporter
        Who hears of the progress; by default a progress bar on a terminal, and log lines elsewhere.
    augment
        Random changes of images; ``"auto"`` is a mild affine map, None is none.
    framing
        How images were brought to their size, for the network's header: new images then come in any size.
        By default what a folder of images read by :func:`~abclust.datasets.read_sets` says, or the network to
        go on from.
    memory_bytes
        A stream of sets that weighs more is not held in memory but in a temporary file, which lies in
        `folder`, or in the system's own folder for such files, and is gone when the run ends in any way.

    Returns
    -------
    ContextKernelNetwork
        With its calibration, scores and origin in ``metadata``. Vectors are taken in the units of `sets`:
        what standardised them is part of its first layer.

    Raises
    ------
    InvalidInputError
        If sets are empty, differ in the shape of their items, or do not fit the network to go on from.
    TrainingError
        If the run cannot go on.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def draw():
    ...     labels = rng.integers(3, size=20)
    ...     return 4 * rng.normal(size=(3, 2))[labels] + rng.normal(size=(20, 2)), labels
    >>> network = train([draw() for _ in range(50)], config=TrainingConfig(steps=3, sets_per_step=4))
    >>> network.kernel(draw()[0]).shape
    (20, 20)
    """
    return learn(
        sets,
        validation,
        config,
        network=network,
        folder=folder,
        resume=resume,
        reporter=reporter,
        augment=augment,
        framing=framing,
        memory_bytes=memory_bytes,
    ).network


def learn(
    sets: Iterable[Any],
    validation: Iterable[Any] | None = None,
    config: TrainingConfig | None = None,
    *,
    network: ContextKernelNetwork | ContextKernelConfig | None = None,
    folder: str | Path | None = None,
    resume: bool = False,
    reporter: Reporter | None = None,
    augment: AugmentationConfig | str | None = "auto",
    framing: Mapping[str, Any] | None = None,
    memory_bytes: int = MEMORY_BYTES,
) -> Learned:
    """As :func:`train`, and give the run's own result beside the network."""
    if framing is None and isinstance(sets, SetSource):
        framing = sets.framing
    everything = _read(sets, memory_bytes, folder, network)
    config = config or suitable_training(everything, network)
    if validation is None:
        learnt, held = hold_out(everything, seed=config.seed)
    else:
        learnt, held = everything, _read(validation, memory_bytes, folder, network)
    judged = instances(held or learnt, seed=config.seed)
    preparation = preparation_of(network)
    if preparation is not None:
        judged = prepare_sets(judged, preparation)
    model = _build_network(network, learnt, config.seed)
    units = None if isinstance(network, ContextKernelNetwork) else _units(model, learnt)
    result = fit(
        model,
        _source(model, learnt, config, augment, units),
        config,
        folder=folder,
        validate=kernel_validation(judged if units is None else [units.apply(each) for each in judged]),
        reporter=reporter or default_reporter(),
        resume=resume,
    )
    if units is not None:
        units.fold_into(_first_layer(model))
    if result.is_first_process:
        if framing is not None and model.config.image_size is not None:
            model.metadata.setdefault("framing", dict(framing))
        model.metadata = _metadata(model, result, config, learnt, judged, is_held_out=bool(held))
    return Learned(model, result)


def kernel_validation(sets: Sequence[LabelledSet]) -> Validation:
    """NMI of log-odds clustering with the number of clusters unknown and known, means over `sets`."""
    labels = [each.labels for each in sets]
    known = [each.n_clusters for each in sets]

    def validate(network: nn.Module) -> Mapping[str, float]:
        kernels = [network.kernel(each.items) for each in sets]  # type: ignore[operator]
        return {
            "nmi_k_unknown": _mean_nmi(labels, cluster_kernel(kernels)),
            "nmi_k_known": _mean_nmi(labels, cluster_kernel(kernels, known)),
        }

    return validate


def _mean_nmi(labels: Sequence[np.ndarray], found: Any) -> float:
    return float(np.mean([nmi(true, guess) for true, guess in zip(labels, found)]))


def _read(
    sets: Iterable[Any], memory_bytes: int, folder: str | Path | None, network: Start
) -> Sequence[LabelledSet]:
    labelled = spool_sets(sets, memory_bytes=memory_bytes, folder=folder)
    check_items(labelled, network)
    return labelled


def _source(
    network: ContextKernelNetwork,
    sets: Sequence[LabelledSet],
    config: TrainingConfig,
    augment: AugmentationConfig | str | None,
    units: Standardisation | None,
) -> BatchSource:
    preparation = preparation_of(network)
    if preparation is None:
        return build_source(sets, config, augment, units)
    return PreparedSetSource(sets, preparation, sets_per_step=config.sets_per_step, seed=config.seed)


def _build_network(network: Start, sets: Sequence[LabelledSet], seed: int) -> ContextKernelNetwork:
    if isinstance(network, ContextKernelNetwork):
        return network
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ContextKernelNetwork(network or default_network(sets))


def _units(network: ContextKernelNetwork, sets: Sequence[LabelledSet]) -> Standardisation | None:
    """Standard units, where there is a first layer to take them in afterwards."""
    config = network.config
    if config.n_features is None or config.encoder != "mlp" or config.fourier_octaves:
        return None
    return Standardisation.of(sets)


def _first_layer(network: ContextKernelNetwork) -> nn.Linear:
    return next(module for module in network.encoder.modules() if isinstance(module, nn.Linear))


def _metadata(
    network: ContextKernelNetwork,
    result: TrainingResult,
    config: TrainingConfig,
    learnt: Sequence[LabelledSet],
    judged: Sequence[LabelledSet],
    *,
    is_held_out: bool,
) -> dict[str, Any]:
    """What travels with the weights: where they come from, what they score, how to calibrate them."""
    raw = raw_kernels(network, [each.items for each in judged])  # from the sides that the header asks for
    kernels = [(kernel, each.labels, each.group or each.name) for kernel, each in zip(raw, judged)]
    # A class of sizes with only a few sets would be calibrated to their noise.
    search = CalibrationSearchConfig(n_size_classes=1 + len(kernels) // 64, batch_size=len(kernels))
    table, records = calibrate(
        {name: partial(_cluster, name) for name in CALIBRATED_METHODS}, kernels, search
    )
    return {
        **inherited_header(network.metadata, len(learnt)),
        "calibration": table.to_dict(),
        HEADER: best_backend(records, CANDIDATES),
        "scores": {name: round(value, 4) for name, value in result.scores.items()},
        "scored_on": "held-out sets" if is_held_out else "the training sets themselves",
        "groups": sorted({*network.metadata.get("groups", ()), *(each.group for each in learnt)} - {""}),
        "n_sets": len(learnt),
        "fingerprint": data_fingerprint(learnt),
        "seed": config.seed,
        "steps": result.step,
        "seconds": round(result.seconds, 1),
        "training": to_dict(config),
        "commit": current_commit(),
        "versions": package_versions(),
    }


def _cluster(method: str, kernels: Any, n_clusters: Any) -> Any:
    return cluster_kernel(kernels, n_clusters, method)
