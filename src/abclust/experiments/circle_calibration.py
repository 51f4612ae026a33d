"""The calibration of a network on circles: fitted on generated sets that the training never saw."""

from functools import partial
from typing import Any

from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.evaluation.calibration_search import CalibrationSearchConfig, calibrate
from abclust.experiments.circle_evaluation import batch_kernels
from abclust.experiments.circle_recipes import CircleRecipe
from abclust.foundations.random_state import stream
from abclust.kernel.calibration_table import CalibrationTable

CALIBRATED_METHODS = ("expected-rand", "log-odds", "spectral")
CALIBRATION_SEED = 1_040_2010  # another branch than validation and training
LARGE_SETS_POINTS = 10_000
"""Points of all sets of one size, at most, from 24 sets on: large kernels take long to cluster."""


def calibrate_on_circles(network: nn.Module, recipe: CircleRecipe, n_sets: int) -> CalibrationTable:
    """Temperature and shift for each back end at the sizes of the recipe, for sets as the training has them.

    Parameters
    ----------
    network
        Trained on the recipe's sets.
    recipe
        Its sampler says how many circles and how much noise there are. Without sizes to calibrate at, the
        table is empty and changes nothing.
    n_sets
        Generated sets at each size; fewer of the large ones.

    Raises
    ------
    InvalidInputError
        If a size allows no pair of points.
    """
    if not recipe.calibration_sizes:
        return CalibrationTable()
    kernels = []
    for size in recipe.calibration_sizes:
        count = min(n_sets, max(24, LARGE_SETS_POINTS // size))
        batch = recipe.sampler.sets_of(count, size, stream(CALIBRATION_SEED, size))
        kernels += list(zip(batch_kernels(network, batch.points), batch.labels, strict=True))
    search = CalibrationSearchConfig(n_size_classes=len(recipe.calibration_sizes), batch_size=n_sets)
    clusterers = {method: partial(_cluster, method) for method in CALIBRATED_METHODS}
    table, _ = calibrate(clusterers, kernels, search)
    return table


def _cluster(method: str, kernels: Any, n_clusters: Any) -> Any:
    return cluster_kernel(kernels, n_clusters, method)
