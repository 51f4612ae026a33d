"""The networks that an experiment on vectors needs: shipped, or trained first."""

from collections.abc import Sequence

from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import shipped_or_trained, trainer_on_generated_sets
from abclust.experiments.vector_recipes import vector_recipe
from abclust.experiments.vector_training import train_recipe
from abclust.model.context_kernel_network import ContextKernelNetwork

_train = trainer_on_generated_sets(train_recipe, quick_steps=60, quick_sets=8)


def obtain_networks(names: Sequence[str], options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    """The networks by name; see :func:`~abclust.experiments.shipped_or_trained.shipped_or_trained`."""
    return shipped_or_trained(names, options, _train, training_command)


def training_command(name: str) -> str:
    """The command that trains the network of that name."""
    return vector_recipe(name).command
