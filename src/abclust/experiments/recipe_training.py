"""What the commands that train a recipe have in common: their options, another length, and the header."""

import argparse
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from abclust.evaluation.provenance import current_commit, package_versions
from abclust.foundations.frozen_config import to_dict
from abclust.training.config import TrainingConfig
from abclust.training.trainer import TrainingResult


@runtime_checkable
class Recipe(Protocol):
    """What decides the weights of a network, and what its card says; a frozen dataclass."""

    @property
    def name(self) -> str:
        """What ``abclust.load`` takes once the weights ship."""
        ...

    @property
    def training(self) -> TrainingConfig:
        """How it is trained."""
        ...

    @property
    def expects(self) -> str:
        """What an item is, in a sentence."""
        ...

    @property
    def command(self) -> str:
        """The one command that trains these weights."""
        ...

    @property
    def cost(self) -> str:
        """What that takes on two cores with nothing else to do."""
        ...


AnyRecipe = TypeVar("AnyRecipe")


def with_length(recipe: AnyRecipe, steps: int | None, minutes: float | None) -> AnyRecipe:
    """The recipe with so many steps or minutes in the place of its own; None for both leaves it as it is."""
    if steps is None and minutes is None:
        return recipe
    training: TrainingConfig = recipe.training  # type: ignore[attr-defined]
    return replace(recipe, training=replace(training, steps=steps or training.steps, minutes=minutes))  # type: ignore[type-var]


def training_header(
    recipe: Recipe, trained_on: str, result: TrainingResult, *, seed: int, is_changed: bool
) -> dict[str, Any]:
    """What travels with the weights; ``card`` is what the catalogue of shipped weights takes over.

    Parameters
    ----------
    recipe
        What was trained, with the length that it was trained for.
    trained_on
        The data, in a sentence.
    result
        Of the run.
    seed
        Of the weights and of the data.
    is_changed
        Whether the length is not the recipe's own: the card then says so.
    """
    told = trained_on + (f"; {result.step} steps instead of the recipe's" if is_changed else "")
    return {
        "recipe": recipe.name,
        "card": {
            "expects": recipe.expects,
            "trained_on": told,
            "command": recipe.command,
            "cost": "" if is_changed else recipe.cost,
        },
        "groups": [],  # generated: there is no class that a test could share with the training
        "seed": seed,
        "training": to_dict(replace(recipe.training, seed=seed)),
        **history(result),
        **origin(),
    }


def history(result: TrainingResult) -> dict[str, Any]:
    """How far a run came."""
    return {
        "steps": result.step,
        "seconds": round(result.seconds, 1),
        "scores": {name: round(value, 4) for name, value in result.scores.items()},
    }


def origin() -> dict[str, Any]:
    """Which code made the weights."""
    return {"commit": current_commit(), "versions": package_versions()}


def training_parser(module: str, documentation: str | None, names: Iterable[str]) -> argparse.ArgumentParser:
    """The options that every such command has.

    Parameters
    ----------
    module
        The module that is run by ``python -m``.
    documentation
        Its docstring, whose first line is the description.
    names
        Of the recipes.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=(documentation or "").splitlines()[0]
    )
    parser.add_argument("name", choices=list(names), help="which recipe")
    parser.add_argument("--output", type=Path, required=True, help="network file to write")
    parser.add_argument("--seed", type=int, default=0, help="seed of the weights and of the sets")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=int, help="steps in total instead of the recipe's length")
    length.add_argument("--minutes", type=float, help="time budget instead of the recipe's length")
    parser.add_argument(
        "--fresh", action="store_true", help="do not go on from the checkpoints beside the output"
    )
    return parser


def training_command_line(
    train: Callable[..., Path],
    module: str,
    documentation: str | None,
    names: Iterable[str],
    arguments: Sequence[str] | None = None,
) -> None:
    """The whole command of a module whose networks learn from generated sets.

    Parameters
    ----------
    train
        Takes the name of a recipe and the output, and by name ``seed``, ``steps``, ``minutes``, ``resume``.
    module, documentation, names
        As for :func:`training_parser`.
    arguments
        Of the command line; those of this process by default.
    """
    given = training_parser(module, documentation, names).parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    train(
        given.name,
        given.output,
        seed=given.seed,
        steps=given.steps,
        minutes=given.minutes,
        resume=not given.fresh,
    )
