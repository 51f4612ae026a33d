"""The calibration of a network for vectors: fitted on generated sets that the training never saw."""

from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from abclust.clustering.backends import cluster_kernel
from abclust.evaluation.calibration_search import CalibrationSearchConfig, calibrate
from abclust.experiments.vector_recipes import VectorRecipe
from abclust.experiments.vector_sampler import Sets, VectorSampler
from abclust.foundations.random_state import stream
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.vector_views import vector_view_kernels

CALIBRATED_METHODS = ("expected-rand", "log-odds", "spectral")
CALIBRATION_SEED = 1_100_1020  # another branch than validation and training
LARGE_SETS_ITEMS = 36_000
"""Items of all sets of one size, at most, from 8 sets on: large kernels take long to cluster. With a third of
them a few single clusters more or less moved the log-odds by .4."""


def calibrate_on_vectors(
    network: ContextKernelNetwork, recipe: VectorRecipe, n_sets: int, n_jobs: int = -1
) -> CalibrationTable:
    """Temperature and shift for each back end at the sizes of the recipe, for sets as the training has them.

    Parameters
    ----------
    network
        Trained on the recipe's sets; its header names the preparation.
    recipe
        Its sampler makes the sets, its views are those of later use. Without sizes to calibrate at, the table
        is empty and changes nothing.
    n_sets
        Generated sets at each size; fewer of the large ones.
    n_jobs
        Processes, a size each at a time; all cores by default.
    """
    # The largest take longest, so they come first.
    sizes = sorted(recipe.calibration_sizes, reverse=True)
    calls = (delayed(_calibrate_at)(network, recipe, size, n_sets) for size in sizes)
    found: list[CalibrationTable] = list(Parallel(n_jobs=n_jobs)(calls))[::-1]  # pyright: ignore[reportAssignmentType]
    methods = found[0].points if found else ()
    return CalibrationTable(
        {method: [point for table in found for point in table.points[method]] for method in methods}
    )


def _calibrate_at(
    network: ContextKernelNetwork, recipe: VectorRecipe, size: int, n_sets: int
) -> CalibrationTable:
    count = min(n_sets, max(8, LARGE_SETS_ITEMS // size))
    items, labels = sets_of_many_widths(recipe.sampler, count, size)
    kernels = zip(vector_view_kernels(network, items, recipe.views), labels, strict=True)
    clusterers = {method: partial(_cluster, method) for method in CALIBRATED_METHODS}
    table, _ = calibrate(clusterers, kernels, CalibrationSearchConfig(n_size_classes=1, batch_size=count))
    return table


def sets_of_many_widths(sampler: VectorSampler, count: int, size: int) -> Sets:
    """Sets as in as many steps of a training as it takes, each of few sets.

    All sets of one step have no more than a few widths between them: 200 sets of three widths made the
    calibration of a size an accident (results/log.md).
    """
    groups = sampler.groups_per_step
    parts = [
        sampler.sets_of(min(groups, count - start), size, stream(CALIBRATION_SEED, size, start))
        for start in range(0, count, groups)
    ]
    items, labels = zip(*parts)
    return np.concatenate(items), np.concatenate(labels)


def _cluster(method: str, kernels: Any, n_clusters: Any) -> Any:
    return cluster_kernel(kernels, n_clusters, method)
