"""Train a recipe of :mod:`abclust.experiments.vector_recipes` into a network file; a killed run goes on.

Command
    ``python -m abclust.experiments.vector_training NAME --output FILE``, with ``--seed``, ``--steps`` or
    ``--minutes`` for another seed or length, and ``--fresh`` to start anew.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from abclust.clustering.default_method import HEADER as METHOD_HEADER
from abclust.experiments.recipe_training import training_command_line, training_header, with_length
from abclust.experiments.vector_calibration import calibrate_on_vectors
from abclust.experiments.vector_held_out import HeldOutSetting, held_out_settings
from abclust.experiments.vector_recipes import RECIPES, VectorRecipe, VectorStage, vector_recipe
from abclust.experiments.vector_validation import vector_validation
from abclust.foundations.freed_memory import freed_memory_kept
from abclust.foundations.frozen_config import to_dict
from abclust.kernel.one_cluster_odds import HEADER as ODDS_HEADER
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import check_writable_folder
from abclust.training.generated_source import GeneratedSource
from abclust.training.progress_bar import default_reporter
from abclust.training.target_head import TaughtNetwork
from abclust.training.trainer import TrainingResult, fit

LATER_SEED = 1_000
"""Added to the seed for every stage that follows on another: none shall see the same random numbers again."""
_logger = logging.getLogger(__name__)


def train_recipe(
    recipe: VectorRecipe | str,
    output: str | Path,
    *,
    seed: int = 0,
    steps: int | None = None,
    minutes: float | None = None,
    resume: bool = True,
    validation_sets: int = 32,
    calibration_sets: int = 200,
) -> Path:
    """Train the network of a recipe and write it to `output`.

    Parameters
    ----------
    recipe
        The recipe, or its name in :data:`~abclust.experiments.vector_recipes.RECIPES`.
    output
        The network file. Checkpoints and the curve live in ``<output>.run/``, those of earlier stages in
        ``<output>.stage-1.run/`` and so on.
    seed
        Of the weights and of the sets.
    steps, minutes
        Take the place of the recipe's own length, of each stage; at most one of them.
    resume
        Go on from the last checkpoint in these folders, if there is one.
    validation_sets
        Held-out sets of each kind that a validation scores.
    calibration_sets
        Generated sets of each size that calibrate the result.

    Returns
    -------
    Path
        `output`.

    Raises
    ------
    InvalidInputError
        If there is no such recipe, or nothing can be written there.
    """
    recipe = vector_recipe(recipe) if isinstance(recipe, str) else recipe
    stages = [with_length(stage, steps, minutes) for stage in recipe.stages]
    recipe = with_length(recipe, steps, minutes)
    output = Path(output)
    check_writable_folder(output.parent)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = ContextKernelNetwork(recipe.network)
    settings = held_out_settings(validation_sets)
    folders = [f"{output.name}.stage-{place}.run" for place in range(1, len(stages))] + [f"{output.name}.run"]
    # A process a core: their linear algebra would fight over the cores with threads of its own.
    with freed_memory_kept(), threadpool_limits(limits=1):
        results = [
            train_stage(
                network,
                stage,
                output.with_name(folder),
                settings,
                seed=seed + place * LATER_SEED,
                resume=resume,
            )
            for place, (stage, folder) in enumerate(zip(stages, folders, strict=True))
        ]
    result = replace(
        results[-1],
        step=sum(each.step for each in results),
        seconds=sum(each.seconds for each in results),
    )
    preparation = recipe.sampler.preparation
    is_changed = steps is not None or minutes is not None
    network.metadata = {
        **training_header(recipe, recipe.trained_on, result, seed=seed, is_changed=is_changed),
        "preparation": to_dict(preparation),
        "vector_views": to_dict(recipe.views),
        METHOD_HEADER: recipe.method,
        ODDS_HEADER: to_dict(recipe.one_cluster_odds),
    }
    if recipe.earlier:
        network.metadata["earlier_trainings"] = [to_dict(stage.training) for stage in stages[:-1]]
    network.metadata["calibration"] = calibrate_on_vectors(network, recipe, calibration_sets).to_dict()
    network.save(output)
    _logger.info("wrote %s after %d steps", output, result.step)
    return output


def train_stage(
    network: ContextKernelNetwork,
    stage: VectorStage,
    folder: Path,
    settings: Sequence[HeldOutSetting],
    *,
    seed: int,
    resume: bool = True,
) -> TrainingResult:
    """Train the network in place; the layer that tells centres is new in every stage, and thrown away."""
    sampler = stage.sampler
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        taught = TaughtNetwork(network, sampler.n_targets) if sampler.n_targets else network
    return fit(
        taught,
        GeneratedSource(sampler, seed=seed),
        replace(stage.training, seed=seed),
        folder=folder,
        validate=vector_validation(settings, sampler.preparation),
        reporter=default_reporter(),
        resume=resume,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    training_command_line(train_recipe, "abclust.experiments.vector_training", __doc__, RECIPES, arguments)


if __name__ == "__main__":
    main()
