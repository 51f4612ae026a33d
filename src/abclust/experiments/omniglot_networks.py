"""The networks that an experiment on Omniglot needs: shipped, or trained first."""

from collections.abc import Sequence
from pathlib import Path

from abclust.experiments.omniglot_calibration import CalibrationSets
from abclust.experiments.omniglot_recipes import omniglot_recipe
from abclust.experiments.omniglot_training import TrainingRequest, train_recipe
from abclust.experiments.omniglot_validation import ValidationConfig
from abclust.experiments.registry import ReproduceOptions
from abclust.foundations.errors import DataNotFoundError
from abclust.foundations.frozen_config import from_dict
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig
from abclust.zoo.catalogue import shipped_names
from abclust.zoo.loading import load

QUICK_STEPS = 30
"""Steps of a training under ``--quick``: enough to see that everything runs, far too few for a score."""


def obtain_networks(names: Sequence[str], options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    """The networks by name: freshly trained with ``--train``, else the shipped ones.

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
                f"{', '.join(shipped) or 'no weights'}. Train it first: {omniglot_recipe(name).command}"
            )


def network_file(name: str, options: ReproduceOptions) -> Path:
    """Where ``--train`` writes a network; other seeds and quick runs have checkpoints of their own."""
    folder = options.output / "networks" / ("quick" if options.quick else "")
    ending = f"-seed-{options.seed}" if options.seed else ""
    return folder / f"{name}{ending}.safetensors"


def views_of(network: ContextKernelNetwork) -> ViewConfig:
    """The views that the network's header asks for; one plain view if it asks for none."""
    return from_dict(ViewConfig, network.metadata.get("views", {}))


def calibration_of(network: ContextKernelNetwork) -> CalibrationTable:
    """The calibration in the network's header; one that changes nothing if there is none."""
    return CalibrationTable.from_dict(network.metadata.get("calibration", {}))


def ink_size_of(network: ContextKernelNetwork) -> int | None:
    """The framing that the network was trained with; None for whole sheets."""
    return network.metadata.get("framing", {}).get("ink_size")


def _train(name: str, options: ReproduceOptions) -> Path:
    output = network_file(name, options)
    if not options.quick:
        return train_recipe(name, output, TrainingRequest(seed=options.seed, data=options.data))
    request = TrainingRequest(
        seed=options.seed,
        steps=QUICK_STEPS,
        data=options.data,
        validation=ValidationConfig(sets_per_alphabet=2),
        calibration=CalibrationSets(sizes=(100,), images_per_alphabet=100, quarter_turns=(0,)),
    )
    return train_recipe(name, output, request)
