"""``abclust reproduce NAME``: compute a table or figure of the paper again."""

import logging
from pathlib import Path
from typing import Annotated

import typer

from abclust.experiments.registry import ReproduceOptions, experiment_names, run_experiment
from abclust.foundations.errors import InvalidInputError


def _print_names(wanted: bool) -> bool:
    if wanted:
        for name in experiment_names():
            typer.echo(name)
        raise typer.Exit
    return wanted  # what a callback gives back is what the option becomes


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="Which table or figure; --list shows the names.", show_default=False)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small variant in minutes, to look at.")] = False,
    train: Annotated[
        bool, typer.Option("--train", help="Retrain first instead of taking the shipped weights.")
    ] = False,
    render: Annotated[bool, typer.Option("--render", help="Only draw what the stored JSON holds.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the JSON and the pictures.")
    ] = Path("results"),
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn at random.")] = 0,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of the data set, where one is needed.", show_default=False),
    ] = None,
    list_names: Annotated[
        bool,
        typer.Option("--list", callback=_print_names, is_eager=True, help="Print the names, one a line."),
    ] = False,
) -> None:
    """Compute a table or figure of the paper again, from shipped weights, into JSON and a picture."""
    if name is None:
        raise InvalidInputError(
            f"name must be given. Got none. There are: {', '.join(experiment_names())}. "
            "Example: abclust reproduce theory --quick"
        )
    logging.basicConfig(format="%(message)s")  # how far it is goes to standard error
    logging.getLogger("abclust").setLevel(logging.INFO)
    options = ReproduceOptions(output=output, quick=quick, train=train, render=render, seed=seed, data=data)
    for path in run_experiment(name, options):
        typer.echo(path)
