"""The networks that an experiment on vectors needs: shipped, or trained first."""

from collections.abc import Sequence
from pathlib import Path

from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file, shipped_or_trained
from abclust.experiments.vector_recipes import vector_recipe
from abclust.experiments.vector_training import train_recipe
from abclust.model.context_kernel_network import ContextKernelNetwork

QUICK_STEPS = 60
"""Steps of a training under ``--quick``: enough to see that everything runs, far too few for a score."""
QUICK_SETS = 8
"""Sets of each kind that such a training validates on, and calibrates on."""


def obtain_networks(names: Sequence[str], options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    """The networks by name; see :func:`~abclust.experiments.shipped_or_trained.shipped_or_trained`."""
    return shipped_or_trained(names, options, _train, training_command)


def training_command(name: str) -> str:
    """The command that trains the network of that name."""
    return vector_recipe(name).command


def _train(name: str, options: ReproduceOptions) -> Path:
    output = network_file(name, options)
    if options.quick:
        return train_recipe(
            name,
            output,
            seed=options.seed,
            steps=QUICK_STEPS,
            validation_sets=QUICK_SETS,
            calibration_sets=QUICK_SETS,
        )
    return train_recipe(name, output, seed=options.seed)
