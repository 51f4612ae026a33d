"""The networks that an experiment on Omniglot needs: shipped, or trained first."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from abclust.experiments.omniglot_calibration import CalibrationSets
from abclust.experiments.omniglot_recipes import omniglot_recipe
from abclust.experiments.omniglot_training import TrainingRequest, train_recipe
from abclust.experiments.omniglot_validation import ValidationConfig
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file, shipped_or_trained
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig

QUICK_STEPS = 30
"""Steps of a training under ``--quick``: enough to see that everything runs, far too few for a score."""


def obtain_networks(names: Sequence[str], options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    """The networks by name; see :func:`~abclust.experiments.shipped_or_trained.shipped_or_trained`."""
    return shipped_or_trained(names, options, _train, training_command)


def training_command(name: str) -> str:
    """The command that trains the network of that name."""
    return omniglot_recipe(name).command


def views_of(network: ContextKernelNetwork) -> ViewConfig:
    """The views that the network's header asks for; one plain view if it asks for none."""
    return from_dict(ViewConfig, network.metadata.get("views", {}))


def calibration_of(network: ContextKernelNetwork) -> CalibrationTable:
    """The calibration in the network's header; one that changes nothing if there is none."""
    return CalibrationTable.from_dict(network.metadata.get("calibration", {}))


def weights_identity(network: ContextKernelNetwork) -> str:
    """A sha256 of what decides the kernels that a network gives: weights, framing, views and calibration."""
    told = {name: network.metadata.get(name) for name in ("views", "calibration")}
    told["framing"] = framing_of(network) if "framing" in network.metadata else None
    digest = hashlib.sha256(json.dumps([to_dict(network.config), told], sort_keys=True).encode())
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensor.numpy(force=True)).tobytes())
    return digest.hexdigest()


def framing_of(network: ContextKernelNetwork) -> dict[str, Any]:
    """How images must be framed for the network: arguments of :func:`abclust.datasets.omniglot`."""
    ink_size = network.metadata.get("framing", {}).get("ink_size")  # None: whole sheets
    return {"image_size": network.config.image_size, "ink_size": ink_size}


def _train(name: str, options: ReproduceOptions) -> Path:
    output = network_file(name, options)
    if not options.quick:
        final = omniglot_recipe(name).final
        return train_recipe(name, output, TrainingRequest(seed=options.seed, data=options.data, final=final))
    request = TrainingRequest(
        seed=options.seed,
        steps=QUICK_STEPS,
        data=options.data,
        validation=ValidationConfig(sets_per_alphabet=2),
        calibration=CalibrationSets(sizes=(100,), images_per_alphabet=100, quarter_turns=(0,)),
    )
    return train_recipe(name, output, request)
