"""Train a recipe of :mod:`abclust.experiments.vector_recipes` into a network file; a killed run goes on.

Command
    ``python -m abclust.experiments.vector_training NAME --output FILE``, with ``--seed``, ``--steps`` or
    ``--minutes`` for another seed or length, and ``--fresh`` to start anew.
"""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from abclust.evaluation.provenance import current_commit, package_versions
from abclust.experiments.vector_calibration import calibrate_on_vectors
from abclust.experiments.vector_held_out import held_out_settings
from abclust.experiments.vector_recipes import RECIPES, VectorRecipe, vector_recipe
from abclust.experiments.vector_validation import vector_validation
from abclust.foundations.frozen_config import to_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import check_writable_folder
from abclust.training.generated_source import GeneratedSource
from abclust.training.progress_bar import default_reporter
from abclust.training.trainer import TrainingResult, fit

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
        The network file. Checkpoints and the curve live in ``<output>.run/``.
    seed
        Of the weights and of the sets.
    steps, minutes
        Take the place of the recipe's own length; at most one of them.
    resume
        Go on from the last checkpoint in ``<output>.run/``, if there is one.
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
    recipe = _with_length(recipe, steps, minutes)
    output = Path(output)
    check_writable_folder(output.parent)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = ContextKernelNetwork(recipe.network)
    preparation = recipe.sampler.preparation
    result = fit(
        network,
        GeneratedSource(recipe.sampler, seed=seed),
        replace(recipe.training, seed=seed),
        folder=output.with_name(f"{output.name}.run"),
        validate=vector_validation(held_out_settings(validation_sets), preparation),
        reporter=default_reporter(),
        resume=resume,
    )
    network.metadata = _metadata(recipe, result, seed, changed=steps is not None or minutes is not None)
    network.metadata["calibration"] = calibrate_on_vectors(network, recipe, calibration_sets).to_dict()
    network.save(output)
    _logger.info("wrote %s after %d steps", output, result.step)
    return output


def _with_length(recipe: VectorRecipe, steps: int | None, minutes: float | None) -> VectorRecipe:
    if steps is None and minutes is None:
        return recipe
    training = replace(recipe.training, steps=steps or recipe.training.steps, minutes=minutes)
    return replace(recipe, training=training)


def _metadata(recipe: VectorRecipe, result: TrainingResult, seed: int, *, changed: bool) -> dict[str, object]:
    """What travels with the weights; ``card`` is what the catalogue of shipped weights takes over."""
    trained_on = recipe.trained_on + (f"; {result.step} steps instead of the recipe's" if changed else "")
    return {
        "recipe": recipe.name,
        "card": {"expects": recipe.expects, "trained_on": trained_on, "command": recipe.command},
        "groups": [],  # generated: there is no class that a test could share with the training
        "preparation": to_dict(recipe.sampler.preparation),
        "vector_views": to_dict(recipe.views),
        "seed": seed,
        "steps": result.step,
        "seconds": round(result.seconds, 1),
        "training": to_dict(replace(recipe.training, seed=seed)),
        "scores": {name: round(value, 4) for name, value in result.scores.items()},
        "commit": current_commit(),
        "versions": package_versions(),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.vector_training", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("name", choices=list(RECIPES), help="which recipe")
    parser.add_argument("--output", type=Path, required=True, help="network file to write")
    parser.add_argument("--seed", type=int, default=0, help="seed of the weights and of the sets")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=int, help="steps in total instead of the recipe's length")
    length.add_argument("--minutes", type=float, help="time budget instead of the recipe's length")
    parser.add_argument(
        "--fresh", action="store_true", help="do not go on from the checkpoints beside the output"
    )
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    train_recipe(
        given.name,
        given.output,
        seed=given.seed,
        steps=given.steps,
        minutes=given.minutes,
        resume=not given.fresh,
    )


if __name__ == "__main__":
    main()
