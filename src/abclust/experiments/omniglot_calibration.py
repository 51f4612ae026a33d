"""The calibration of a network on Omniglot: fitted on alphabets that it was not trained on."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.backends import cluster_kernel
from abclust.clustering.default_method import CANDIDATES
from abclust.datasets.grouped_images import GroupedImages
from abclust.evaluation.calibration_search import (
    CalibrationRecord,
    CalibrationSearchConfig,
    best_backend,
    calibrate,
)
from abclust.experiments.omniglot_look_alikes import look_alike_sets
from abclust.experiments.omniglot_split import check_no_evaluation_alphabet
from abclust.experiments.omniglot_validation import draw_instances
from abclust.kernel.calibration_table import CalibrationPoint, CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig, encode_views, view_kernels

CALIBRATED_METHODS = (*CANDIDATES, "log-odds", "spectral")
CALIBRATION_SEED = 1_040_2011  # another branch than validation and training

LabelledKernel = tuple[Float[np.ndarray, "_ _"], Int[np.ndarray, " _"], str]


@dataclass(frozen=True)
class CalibrationSets:
    """Which sets a calibration is fitted on."""

    sizes: tuple[int, ...] = (100, 400)
    """Images of a set; whole alphabets are a class of their own besides."""
    images_per_alphabet: int = 800
    """Sets of n images come by this many // n from each alphabet in each position, and at least one."""
    quarter_turns: tuple[int, ...] = (0, 1, 2, 3)
    """Positions of the sheet: a turned alphabet is as good as another one, and five alone are few."""
    look_alikes: int = 4
    """Sets of characters that resemble each other, of each alphabet in each position, beside those of the
    smallest size: new scripts may be harder than the ones held out."""


def calibrate_on_alphabets(
    network: ContextKernelNetwork,
    data: GroupedImages,
    views: ViewConfig,
    sets: CalibrationSets | None = None,
) -> tuple[CalibrationTable, str]:
    """Temperature and shift for each method at each size, and for whole alphabets; and the best method.

    Parameters
    ----------
    network
        Trained on other alphabets.
    data
        The alphabets held out.
    views
        As the network will be used: an average over views is calibrated as such.
    sets
        Which sets.

    Raises
    ------
    InvalidInputError
        If an evaluation alphabet is among the groups.
    """
    check_no_evaluation_alphabet(data.group_names)
    sets = sets or CalibrationSets()
    classes: list[list[LabelledKernel]] = [[] for _ in (*sets.sizes, "whole")]
    for turns in sets.quarter_turns:
        turned = np.ascontiguousarray(np.rot90(data.images, turns, axes=(1, 2)))
        encoded = encode_views(network, turned, views)
        alike = look_alike_sets(data, sets.look_alikes, CALIBRATION_SEED + turns, largest=sets.sizes[0])
        for place, alphabet in enumerate(data.group_names):
            group = f"{alphabet}, {turns} quarter turns"
            members = np.flatnonzero(data.groups == place)
            whole = view_kernels(network, encoded, members[None])[0]
            classes[-1].append((whole, data.labels[members], group))
            for places in alike[place * sets.look_alikes : (place + 1) * sets.look_alikes]:
                kernel = view_kernels(network, encoded, [places])[0]
                classes[0].append((kernel, data.labels[places], group))
            for kind, size in zip(classes, sets.sizes):
                if size >= len(members):
                    continue
                n_sets = max(1, sets.images_per_alphabet // size)
                drawn = draw_instances(
                    data, alphabet, n_sets, CALIBRATION_SEED + turns, length=size, n_clusters=(1, size)
                )
                kernels = view_kernels(network, encoded, [each.places for each in drawn])
                kind += [(kernel, each.labels, group) for kernel, each in zip(kernels, drawn)]
    fitted = [_fit(kind) for kind in classes if kind]
    records = [record for _, found in fitted for record in found]
    return _merged([table for table, _ in fitted]), best_backend(records, CANDIDATES)


def _fit(kernels: list[LabelledKernel]) -> tuple[CalibrationTable, list[CalibrationRecord]]:
    """One size class at a time: sizes of whole alphabets and look-alikes differ, and are one nevertheless."""
    clusterers = {method: partial(_cluster, method) for method in CALIBRATED_METHODS}
    return calibrate(clusterers, kernels, CalibrationSearchConfig(n_size_classes=1, batch_size=64))


def _merged(tables: list[CalibrationTable]) -> CalibrationTable:
    points: dict[str, list[CalibrationPoint]] = {}
    for table in tables:
        for backend, found in table.points.items():
            points.setdefault(backend, []).extend(found)
    by_size = {backend: sorted(found, key=lambda point: point.n_items) for backend, found in points.items()}
    return CalibrationTable(by_size)


def _cluster(method: str, kernels: Any, n_clusters: Any) -> Any:
    return cluster_kernel(kernels, n_clusters, method)
