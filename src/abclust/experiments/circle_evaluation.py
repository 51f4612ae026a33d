"""Networks on sets of circles: kernels in batches, and rows of scores from them."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.circle_sets import CircleBatch
from abclust.evaluation.protocol import Evaluation
from abclust.evaluation.scores import score_partition
from abclust.foundations.frozen_config import from_dict
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.point_views import PointViewConfig, point_view_kernels

# Pairs in one forward pass. Additive compatibility holds 128 numbers for each: 64 MB at a time.
PAIRS_AT_ONCE = 2**17
# Pairs of all kernels that are clustered together: their eigenvectors and copies take a few times 32 MB.
PAIRS_HELD = 2**22

Labels = Int[np.ndarray, " n"]
Row = dict[str, Any]


@torch.no_grad()
def batch_kernels(
    network: nn.Module, points: Float[np.ndarray, "B n d"], pairs_at_once: int = PAIRS_AT_ONCE
) -> list[Float[np.ndarray, "n n"]]:
    """The raw kernels of equally large sets, as ``network.kernel`` gives them, many in a forward pass.

    Parameters
    ----------
    network
        Anything (B, n, d) -> (B, n, n) logits. It is left in the mode, training or evaluation, that it came
        in. Its header, if it has one, may ask for ``point_views``: logits are averaged over them.
    points
        B sets of n points.
    pairs_at_once
        How many pairs of points a forward pass may hold.

    Examples
    --------
    >>> from abclust.model import ContextKernelConfig, ContextKernelNetwork
    >>> network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2))
    >>> [kernel.shape for kernel in batch_kernels(network, np.zeros((2, 5, 2), np.float32))]
    [(5, 5), (5, 5)]
    """
    views = from_dict(PointViewConfig, getattr(network, "metadata", {}).get("point_views", {}))
    if views.count > 1:
        return point_view_kernels(network, points, views, pairs_at_once)
    n_items = points.shape[1]
    sets = torch.as_tensor(points, dtype=torch.float32)
    was_training = network.training
    network.eval()
    try:
        parts = sets.split(max(1, pairs_at_once // n_items**2))
        kernels = [network(part).sigmoid().cpu().numpy() for part in parts]
    finally:
        network.train(was_training)
    return [kernel for part in kernels for kernel in part]


def score_sets(
    labels: Sequence[Labels], batch: CircleBatch, *, system: str, protocol: str, k: str, seconds: float
) -> Row:
    """One row of a results file: what partitions of the sets of a batch score.

    Parameters
    ----------
    labels
        A partition of each set.
    batch
        The sets.
    system, protocol
        Who clustered, and which sets.
    k
        ``"known"`` or ``"unknown"``: whether the true number of circles was given.
    seconds
        Time that all partitions took.

    Returns
    -------
    dict
        The fields of :meth:`Evaluation.row`, and the number of points ``n`` and the interval of the adjusted
        Rand score ``ari_interval``, which is the score of these experiments.
    """
    scores = tuple(score_partition(true, found) for true, found in zip(batch.labels, labels, strict=True))
    evaluation = Evaluation(system, protocol, k, scores, ("",) * len(scores), seconds / len(scores))
    row = evaluation.row()
    return {**row, "n": batch.points.shape[1], "ari_interval": row["intervals"]["ari"]}


def score_network(
    network: nn.Module,
    batch: CircleBatch,
    methods: Sequence[str],
    *,
    system: str,
    protocol: str,
    calibration: CalibrationTable | None = None,
) -> list[Row]:
    """One row for each method that partitions the network's kernels, the number of circles unknown.

    The kernels are raw, as in the paper, unless a `calibration` is given.
    """
    n_sets, n_points, _ = batch.points.shape
    at_once = max(1, PAIRS_HELD // n_points**2)
    labels: dict[str, list[Labels]] = {method: [] for method in methods}
    seconds = dict.fromkeys(methods, 0.0)
    for start in range(0, n_sets, at_once):
        points = batch.points[start : start + at_once]
        kernels, forward_seconds = timed(partial(batch_kernels, network, points))
        for method in methods:
            found, method_seconds = timed(partial(_partition, kernels, method, calibration))
            labels[method] += found
            seconds[method] += forward_seconds + method_seconds
    rows = []
    for method in methods:
        row = score_sets(
            labels[method], batch, system=system, protocol=protocol, k="unknown", seconds=seconds[method]
        )
        rows.append({**row, "method": method, "calibrated": calibration is not None})
    return rows


def _partition(
    kernels: list[Float[np.ndarray, "n n"]], method: str, calibration: CalibrationTable | None
) -> list[Labels]:
    if calibration is not None:
        kernels = [calibration.apply(kernel, method) for kernel in kernels]
    return list(cluster_kernel(kernels, method=method))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What `work` gives, and the seconds it took."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started
