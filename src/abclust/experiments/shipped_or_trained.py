"""The networks that an experiment needs: the shipped ones, or with ``--train`` ones trained first."""

from collections.abc import Callable, Sequence
from pathlib import Path

from abclust.experiments.registry import ReproduceOptions
from abclust.foundations.errors import DataNotFoundError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.zoo.catalogue import shipped_names
from abclust.zoo.loading import load


def shipped_or_trained(
    names: Sequence[str],
    options: ReproduceOptions,
    train: Callable[[str, ReproduceOptions], Path],
    command_of: Callable[[str], str],
) -> dict[str, ContextKernelNetwork]:
    """The networks by name: freshly trained with ``--train``, else the shipped ones.

    Parameters
    ----------
    names
        Which networks.
    options
        What the command line says.
    train
        Trains one network by its name, into :func:`network_file`, and gives the file. It goes on from where a
        killed run stopped, and does not train again what is done.
    command_of
        The command that trains a network, for the error.

    Raises
    ------
    DataNotFoundError
        If a network is neither shipped nor to be trained; the message names the command that trains it.
    """
    if options.train:
        files = [train(name, options) for name in names]
        return {name: load(file) for name, file in zip(names, files, strict=True)}
    check_shipped(names, shipped_names(), command_of)
    return {name: load(name) for name in names}


def check_shipped(names: Sequence[str], shipped: Sequence[str], command_of: Callable[[str], str]) -> None:
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
                f"{', '.join(shipped) or 'no weights'}. Train it first: {command_of(name)}"
            )


def network_file(name: str, options: ReproduceOptions) -> Path:
    """Where ``--train`` writes a network; other seeds and quick runs have checkpoints of their own."""
    folder = options.output / "networks" / ("quick" if options.quick else "")
    ending = f"-seed-{options.seed}" if options.seed else ""
    return folder / f"{name}{ending}.safetensors"


def trainer_on_generated_sets(
    train_recipe: Callable[..., Path], *, quick_steps: int, quick_sets: int
) -> Callable[[str, ReproduceOptions], Path]:
    """What :func:`shipped_or_trained` takes, from the training of a recipe on generated sets.

    Parameters
    ----------
    train_recipe
        Takes a name and the output, and by name ``seed``, ``steps``, ``validation_sets`` and
        ``calibration_sets``, which all have defaults.
    quick_steps
        Steps under ``--quick``: enough to see that everything runs, far too few for a score.
    quick_sets
        Sets that such a training validates on, and calibrates on.
    """

    def train(name: str, options: ReproduceOptions) -> Path:
        quick: dict[str, int] = {}
        if options.quick:
            quick = {"steps": quick_steps, "validation_sets": quick_sets, "calibration_sets": quick_sets}
        return train_recipe(name, network_file(name, options), seed=options.seed, **quick)

    return train
