"""The names that ``abclust reproduce`` knows, and what each of them runs.

An experiment is a module with a function ``run(options) -> list[Path]`` that writes ``<output>/<name>.json``
and what is drawn from it, and gives back the files it wrote. One line below makes it known; the module is
imported when asked for, so that the list of names costs nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import resolve

EXPERIMENTS: dict[str, str] = {
    "figure-1": "abclust.experiments.figure_1",
    "table-1": "abclust.experiments.table_1",
    "theory": "abclust.experiments.theory_figure",
    "figure-2": "abclust.experiments.figure_2",
    "circles": "abclust.experiments.circles_table",
    "figure-3": "abclust.experiments.figure_3",
    "figure-4": "abclust.experiments.figure_4",
    "table-2": "abclust.experiments.table_2",
    "table-3": "abclust.experiments.table_3",
    "table-4": "abclust.experiments.table_4",
    "figure-5": "abclust.experiments.figure_5",
    "ablation": "abclust.experiments.omniglot_ablation",
    "vectors": "abclust.experiments.vectors_comparison",
    "scaling": "abclust.experiments.scaling",
}
"""Name, as in ``results/<name>.json``, and the module that makes it. In the order of the paper."""


@dataclass(frozen=True)
class ReproduceOptions:
    """What the command line says about how to run an experiment; every experiment takes the same.

    Raises
    ------
    InvalidInputError
        If it shall both retrain and only draw.
    """

    output: Path = Path("results")
    """Folder that the files are written to; made if it is not there."""
    quick: bool = False
    """A small variant in minutes. Its numbers are for looking, not for publishing."""
    train: bool = False
    """Retrain the networks first instead of taking the shipped weights."""
    render: bool = False
    """Only draw what ``<output>/<name>.json`` holds; compute nothing."""
    seed: int = 0
    """Seed of everything that is drawn at random."""
    data: Path | None = None
    """Folder of the data set, for experiments that need one that is not shipped."""

    def __post_init__(self) -> None:
        if self.train and self.render:
            raise InvalidInputError("at most one of train and render must be asked for. Got both.")
        if self.seed < 0:
            raise InvalidInputError(f"seed must be at least 0. Got {self.seed}.")

    def command(self, name: str) -> str:
        """The command line that gives the same numbers again; folders are left out."""
        flags = {"--quick": self.quick, "--train": self.train, f"--seed {self.seed}": self.seed != 0}
        return " ".join(["abclust reproduce", name, *(flag for flag, given in flags.items() if given)])


Experiment = Callable[[ReproduceOptions], list[Path]]


def experiment_names() -> list[str]:
    """The names of all experiments, in the order of the paper."""
    return list(EXPERIMENTS)


def run_experiment(
    name: str, options: ReproduceOptions, experiments: Mapping[str, str] = EXPERIMENTS
) -> list[Path]:
    """Run one experiment and give the files it wrote.

    Raises
    ------
    InvalidInputError
        If there is no experiment of that name; the message lists the names.
    """
    module = import_module(resolve("name", name, experiments))
    run: Experiment = module.run
    return run(options)
