"""The calibration of a network for vectors: fitted on generated sets that the training never saw."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.mixture_sets import draw_size
from abclust.evaluation.calibration_search import CalibrationSearchConfig, calibrate
from abclust.experiments.vector_recipes import VectorRecipe
from abclust.experiments.vector_sampler import Sets, VectorSampler
from abclust.foundations.random_state import stream
from abclust.kernel.calibration_table import LIKELIHOOD, CalibrationTable
from abclust.kernel.set_calibration import LabelledKernel, SetCalibration, fit_set_calibration
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.vector_views import vector_view_kernels

CALIBRATED_METHODS = ("log-odds", "spectral")
HONEST_METHOD = "expected-rand"
"""What it expects is as true as the probabilities are, so it takes them as they are most likely."""
CALIBRATION_SEED = 1_100_1020  # another branch than validation and training
LARGE_SETS_ITEMS = 36_000
"""Items of all sets of one size, at most, from 8 sets on: large kernels take long to cluster. With a third of
them a few single clusters more or less moved the log-odds by .4."""
GROUPS_OF_A_PART, LARGE_GROUP_EVERY = 9, 36
"""Of the calibration by set: groups of sets of one size that a process makes at a time, and how many of them
there are for one with large sets."""
_BY_SET = 1


def calibrate_on_vectors(
    network: ContextKernelNetwork, recipe: VectorRecipe, n_sets: int, n_jobs: int = -1
) -> CalibrationTable:
    """A calibration by set, then a temperature and a shift for each back end at the sizes of the recipe.

    All for sets as the training has them.

    Parameters
    ----------
    network
        Trained on the recipe's sets; its header names the preparation.
    recipe
        Its sampler makes the sets, its views are those of later use. Without sizes to calibrate at, and
        without sets for a calibration by set, the table is empty and changes nothing.
    n_sets
        Generated sets at each size; fewer of the large ones.
    n_jobs
        Processes, a size each at a time; all cores by default.
    """
    by_set = _fit_by_set(network, recipe, n_jobs) if recipe.set_calibration_sets else None
    # The largest take longest, so they come first.
    sizes = sorted(recipe.calibration_sizes, reverse=True)
    calls = (delayed(_calibrate_at)(network, recipe, size, n_sets, by_set) for size in sizes)
    found: list[CalibrationTable] = list(Parallel(n_jobs=n_jobs)(calls))[::-1]  # pyright: ignore[reportAssignmentType]
    methods = found[0].points if found else ()
    points = {method: [point for table in found for point in table.points[method]] for method in methods}
    if LIKELIHOOD in points:
        points[HONEST_METHOD] = points[LIKELIHOOD]
    return CalibrationTable(points, by_set)


def _fit_by_set(network: ContextKernelNetwork, recipe: VectorRecipe, n_jobs: int) -> SetCalibration:
    n_parts = math.ceil(recipe.set_calibration_sets / (GROUPS_OF_A_PART * recipe.sampler.groups_per_step))
    calls = (delayed(kernels_of_a_part)(network, recipe, part) for part in range(n_parts))
    # As they come: together they are gigabytes.
    parts: Iterator[list[LabelledKernel]] = Parallel(n_jobs=n_jobs, return_as="generator")(calls)  # pyright: ignore[reportAssignmentType]
    return fit_set_calibration(kernel for part in parts for kernel in part).then(recipe.trust)


def kernels_of_a_part(network: ContextKernelNetwork, recipe: VectorRecipe, part: int) -> list[LabelledKernel]:
    sampler, rng = recipe.sampler, stream(CALIBRATION_SEED, _BY_SET, part)
    kernels: list[LabelledKernel] = []
    for group in range(GROUPS_OF_A_PART):
        is_large = sampler.large_share > 0 and (part * GROUPS_OF_A_PART + group) % LARGE_GROUP_EVERY == 0
        size = draw_size(sampler.large_points if is_large else sampler.n_points, rng)
        items, labels = sampler.sets_of(sampler.groups_per_step, size, rng)
        kernels += zip(vector_view_kernels(network, items, recipe.views), labels, strict=True)
    return kernels


def _calibrate_at(
    network: ContextKernelNetwork,
    recipe: VectorRecipe,
    size: int,
    n_sets: int,
    by_set: SetCalibration | None,
) -> CalibrationTable:
    count = min(n_sets, max(8, LARGE_SETS_ITEMS // size))
    items, labels = sets_of_many_widths(recipe.sampler, count, size)
    kernels = vector_view_kernels(network, items, recipe.views)
    if by_set is not None:
        kernels = [by_set.apply(kernel) for kernel in kernels]
    clusterers = {method: partial(_cluster, method) for method in CALIBRATED_METHODS}
    search = CalibrationSearchConfig(n_size_classes=1, batch_size=count, is_honest=by_set is not None)
    table, _ = calibrate(clusterers, zip(kernels, labels, strict=True), search)
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
