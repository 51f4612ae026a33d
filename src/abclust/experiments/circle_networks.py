"""The networks that an experiment on circles needs: shipped, or trained first."""

from collections.abc import Sequence
from pathlib import Path

from abclust.experiments.circle_recipes import circle_recipe
from abclust.experiments.circle_training import train_recipe
from abclust.experiments.registry import ReproduceOptions
from abclust.foundations.errors import DataNotFoundError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.zoo.catalogue import shipped_names
from abclust.zoo.loading import load

QUICK_STEPS = 150
"""Steps of a training under ``--quick``: enough to see that everything runs, far too few for a score."""
QUICK_SETS = 8
"""Sets that such a training validates on, at each of its sizes."""


def obtain_networks(names: Sequence[str], options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    """The networks by name: freshly trained with ``--train``, else the shipped ones.

    Training goes on from where a killed run stopped, and a network that is done is not trained again; both
    are found by :func:`network_file`.

    Raises
    ------
    DataNotFoundError
        If a network is neither shipped nor to be trained; the message names the command that trains it.
    """
    if options.train:
        files = [_train(name, options) for name in names]
        return {name: load(file) for name, file in zip(names, files, strict=True)}
    check_shipped(names, shipped_names())
    return {name: load(name) for name in names}


def check_shipped(names: Sequence[str], shipped: Sequence[str]) -> None:
    """Raise an error that says how to train what is not among the shipped weights.

    Raises
    ------
    DataNotFoundError
        If one of the names is not shipped.
    """
    for name in names:
        if name not in shipped:
            raise DataNotFoundError(
                f"network {name!r} must be shipped or trained. Got neither: this installation ships "
                f"{', '.join(shipped) or 'no weights'}. Train it first: {circle_recipe(name).command}"
            )


def network_file(name: str, options: ReproduceOptions) -> Path:
    """Where ``--train`` writes a network; other seeds and quick runs have checkpoints of their own."""
    folder = options.output / "networks" / ("quick" if options.quick else "")
    ending = f"-seed-{options.seed}" if options.seed else ""
    return folder / f"{name}{ending}.safetensors"


def _train(name: str, options: ReproduceOptions) -> Path:
    output = network_file(name, options)
    if options.quick:
        return train_recipe(name, output, seed=options.seed, steps=QUICK_STEPS, validation_sets=QUICK_SETS)
    return train_recipe(name, output, seed=options.seed)
