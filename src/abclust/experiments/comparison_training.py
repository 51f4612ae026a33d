"""Train the networks of the comparison on a background; a killed run goes on from its checkpoints.

Command
    ``python -m abclust.experiments.comparison_training SYSTEM --output FOLDER``, with ``--domain`` for digits
    or texts, ``--final`` for all 30 background alphabets, ``--steps`` for another length. The networks go
    to ``FOLDER/<name>.safetensors``, their checkpoints to ``FOLDER/<name>.run/``. ITML, SKMS, SKKm, SKLR, KCL
    and MCL need no more than ``pairwise-multiplicative``.
"""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from abclust.experiments.comparison_domains import Domain, digits_domain, omniglot_domain, texts_domain
from abclust.experiments.comparison_run import taught
from abclust.experiments.comparison_systems import build_system
from abclust.experiments.omniglot_split import check_no_evaluation_alphabet
from abclust.foundations.options import check_choice

TRAINED = (
    "pairwise-multiplicative",
    "pairwise-additive",
    "set-transformer",
    "dac",
    "dtc-pi",
    "abc-multiplicative",
    "abc-additive",
)
"""Systems with a network of their own. On Omniglot the last two are networks of Table 2 instead."""
DOMAINS = ("omniglot", "digits", "texts")


def networks_folder(output: Path, domain: str, part: str, *, quick: bool = False) -> Path:
    """Where the comparison looks for its networks, inside the folder of results.

    Examples
    --------
    >>> networks_folder(Path("results"), "omniglot", "training").as_posix()
    'results/networks/comparison/omniglot-training'
    """
    name = f"{domain}-{part}" if domain == "omniglot" else domain
    return output / "networks" / ("quick" if quick else "") / "comparison" / name


def training_command(name: str, folder: Path, domain: str, part: str) -> str:
    """The command that trains the network of that name."""
    more = f" --domain {domain}" if domain != "omniglot" else " --final" if part == "final" else ""
    return f"python -m abclust.experiments.comparison_training {name} --output {folder.as_posix()}{more}"


def build_domain(
    name: str, part: str = "training", *, data: Path | None = None, seed: int = 0, quick: bool = False
) -> Domain:
    """The domain of that name.

    Raises
    ------
    InvalidInputError
        If there is none.
    """
    check_choice("domain", name, DOMAINS)
    if name == "omniglot":
        return omniglot_domain(part, data=data, seed=seed, quick=quick)
    return (digits_domain if name == "digits" else texts_domain)(seed=seed, quick=quick)


def train(name: str, folder: Path, domain: Domain, steps: int | None = None) -> None:
    """Train the network of a system into a folder, or go on with it; what is done is not done again.

    Parameters
    ----------
    name
        One of :data:`TRAINED`.
    folder
        For networks and checkpoints.
    domain
        What is learned from.
    steps
        Another length than the comparison's budget; the comparison refuses such networks.
    """
    check_choice("name", name, TRAINED)
    if domain.name == "omniglot":
        check_no_evaluation_alphabet(domain.background().group_names)  # type: ignore[union-attr]
    if steps is not None:
        learning = replace(domain.learning, training=replace(domain.learning.training, steps=steps))
        domain = replace(domain, learning=learning)
    taught(build_system(name, domain), domain, folder)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.comparison_training", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("name", choices=TRAINED, help="whose network")
    parser.add_argument("--output", type=Path, required=True, help="folder of the networks")
    parser.add_argument("--domain", choices=DOMAINS, default="omniglot", help="what is learned from")
    parser.add_argument("--final", action="store_true", help="all 30 background alphabets instead of 25")
    parser.add_argument("--steps", type=int, help="steps instead of the comparison's budget")
    parser.add_argument("--data", type=Path, help="folder of Omniglot's archives")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    domain = build_domain(given.domain, "final" if given.final else "training", data=given.data)
    train(given.name, given.output, domain, given.steps)


if __name__ == "__main__":
    main()
