"""Train a recipe of :mod:`abclust.experiments.circle_recipes` into a network file; a killed run goes on.

Command
    ``python -m abclust.experiments.circle_training NAME --output FILE``, with ``--seed``, ``--steps`` or
    ``--minutes`` for another seed or length, and ``--fresh`` to start anew.

``abclust reproduce figure-2 --train`` and ``abclust reproduce circles --train`` do the same for the networks
they need.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.circle_sets import circle_batch
from abclust.evaluation.scores import ari, nmi
from abclust.experiments.circle_calibration import calibrate_on_circles
from abclust.experiments.circle_evaluation import batch_kernels
from abclust.experiments.circle_recipes import RECIPES, circle_recipe
from abclust.experiments.recipe_training import training_command_line, training_header, with_length
from abclust.foundations.frozen_config import to_dict
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import check_writable_folder
from abclust.training.generated_source import GeneratedSource
from abclust.training.progress_bar import default_reporter
from abclust.training.target_head import TaughtNetwork
from abclust.training.trainer import fit
from abclust.zoo.loading import load

VALIDATION_SEED = 2_010_01040  # the same sets whatever the seed of the training, and none of its streams
_logger = logging.getLogger(__name__)


def train_recipe(
    name: str,
    output: str | Path,
    *,
    seed: int = 0,
    steps: int | None = None,
    minutes: float | None = None,
    resume: bool = True,
    validation_sets: int = 48,
    calibration_sets: int = 200,
) -> Path:
    """Train the network of a recipe and write it to `output`.

    Parameters
    ----------
    name
        A name of :data:`~abclust.experiments.circle_recipes.RECIPES`.
    output
        The network file. Checkpoints and the curve live in ``<output>.run/``.
    seed
        Of the weights and of the sets.
    steps, minutes
        Take the place of the recipe's own length; at most one of them.
    resume
        Go on from the last checkpoint in ``<output>.run/``, if there is one.
    validation_sets
        Held-out sets that a validation scores at each of its sizes.
    calibration_sets
        Others that calibrate the result at each size of the recipe.

    Returns
    -------
    Path
        `output`.

    Raises
    ------
    InvalidInputError
        If there is no such recipe, or nothing can be written there.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "pairwise.safetensors"
    >>> train_recipe("circles-pairwise-mul", file, steps=2, validation_sets=2).stat().st_size < 1_000_000
    True
    """
    recipe = with_length(circle_recipe(name), steps, minutes)
    output = Path(output)
    check_writable_folder(output.parent)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = ContextKernelNetwork(recipe.network)
        if recipe.starts_from is not None:
            network.load_state_dict(load(recipe.starts_from).state_dict())
        told = recipe.sampler.n_targets
        taught = TaughtNetwork(network, told) if told else network
    result = fit(
        taught,
        GeneratedSource(recipe.sampler, seed=seed),
        replace(recipe.training, seed=seed),
        folder=output.with_name(f"{output.name}.run"),
        validate=circle_validation(recipe.validation_sizes, validation_sets),
        reporter=default_reporter(),
        resume=resume,
    )
    is_changed = steps is not None or minutes is not None
    network.metadata = {
        **training_header(recipe, recipe.trained_on, result, seed=seed, is_changed=is_changed),
        "point_views": to_dict(recipe.views),
    }
    # After the header asks for views: kernels are calibrated as they will be used.
    network.metadata["calibration"] = calibrate_on_circles(network, recipe, calibration_sets).to_dict()
    network.save(output)
    _logger.info("wrote %s after %d steps", output, result.step)
    return output


def circle_validation(sizes: Sequence[int], n_sets: int) -> Callable[[nn.Module], Mapping[str, float]]:
    """A validation on held-out sets of four clean circles, the issue's yardstick: k unknown, by log-odds.

    Gives ``ari_k_unknown`` and ``nmi_k_unknown``, means over all sets, and ``ari_<n>`` for each size n.
    """
    batches = [circle_batch(n_sets, size, seed=stream(VALIDATION_SEED, size)) for size in sizes]

    def validate(network: nn.Module) -> dict[str, float]:
        aris, nmis = {}, []
        for size, batch in zip(sizes, batches, strict=True):
            found = cluster_kernel(batch_kernels(network, batch.points), method="log-odds")
            pairs = list(zip(batch.labels, found, strict=True))
            aris[f"ari_{size}"] = sum(ari(true, labels) for true, labels in pairs) / n_sets
            nmis.append(sum(nmi(true, labels) for true, labels in pairs) / n_sets)
        return {
            "ari_k_unknown": sum(aris.values()) / len(aris),
            "nmi_k_unknown": sum(nmis) / len(nmis),
            **aris,
        }

    return validate


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    training_command_line(train_recipe, "abclust.experiments.circle_training", __doc__, RECIPES, arguments)


if __name__ == "__main__":
    main()
