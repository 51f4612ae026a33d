"""Real tables that may choose: what the family of generated sets lacks shows here, before anything is judged.

Drawings of Omniglot's background alphabets as rows of pixels, words of ten kinds as embeddings, and tables of
R's packages (:mod:`abclust.experiments.development_tables`). None of them is among the sets that the
comparison judges by (:mod:`abclust.experiments.vector_real_sets`), which choose nothing.

Command
    ``python -m abclust.experiments.vector_development``, with ``--model`` for other weights. Cost: a minute.
    Writes ``results/vectors-development.json``.
"""

import argparse
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.omniglot_archive import omniglot
from abclust.evaluation.results_file import write_results
from abclust.experiments.development_tables import development_tables
from abclust.experiments.short_texts import WORDS, embedded_texts
from abclust.experiments.vector_rows import kind_rows
from abclust.experiments.vector_systems import our_systems, rival_systems
from abclust.foundations.errors import DataNotFoundError
from abclust.foundations.random_state import stream
from abclust.zoo.loading import load

DEVELOPMENT = "development"
"""What these rows' sets are, in their field ``data``."""
IMAGE_SIZE, INK_SIZE = 14, 12
CHARACTERS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
"""Characters of each set of drawings, of twenty drawings each."""
KINDS_OF_WORDS = (3, 4, 5, 6, 8, 10)
"""Kinds of words in each set, of twenty words each."""
RIVALS = ("k-means, k by silhouette", "k-means", "k-means, columns as they are")
_SEED = 1_100_4010  # no other sets' seed

_logger = logging.getLogger(__name__)


def development_sets() -> dict[str, list[LabelledSet]]:
    """The sets by what they are; without pixels or tables where these are not at hand.

    Examples
    --------
    >>> words = development_sets()["words"]
    >>> [each.items.shape for each in words][:2]
    [(60, 256), (80, 256)]
    """
    sets = {}
    for kind, read in {"pixels": _pixels, "words": _words, "tables": development_tables}.items():
        try:
            sets[kind] = read()
        except DataNotFoundError as error:
            _logger.info("no %s: %s", kind, error)
    return sets


def _words() -> list[LabelledSet]:
    return _some_classes(embedded_texts(WORDS, "words"), KINDS_OF_WORDS)


def _pixels() -> list[LabelledSet]:
    drawings = omniglot("background", image_size=IMAGE_SIZE, ink_size=INK_SIZE, download=False)
    pixels = drawings.images.reshape(len(drawings.images), -1).astype(np.float64)
    return _some_classes(LabelledSet(pixels, drawings.labels, name="pixels"), CHARACTERS)


def _some_classes(everything: LabelledSet, numbers: Sequence[int]) -> list[LabelledSet]:
    """A set of so many classes, drawn at random, for each of the numbers."""
    sets = []
    for place, number in enumerate(numbers):
        classes = stream(_SEED, place).choice(everything.n_clusters, number, replace=False)
        rows = np.flatnonzero(np.isin(everything.labels, classes))
        sets.append(LabelledSet(everything.items[rows], everything.labels[rows], name=everything.name))
    return sets


def development_rows(model: str, sets: Mapping[str, Sequence[LabelledSet]]) -> list[dict[str, object]]:
    """The network and k-means, told the number of clusters or not, on each kind of sets."""
    rivals = [system for system in rival_systems() if system.name in RIVALS]
    return kind_rows([*our_systems(load(model)), *rivals], sets, DEVELOPMENT)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.vector_development", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--model", default="vectors", help="shipped name or file of the weights")
    parser.add_argument("--output", type=Path, default=Path("results/vectors-development.json"))
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    command = f"python -m abclust.experiments.vector_development --model {given.model}"
    write_results(given.output, development_rows(given.model, development_sets()), command=command, seed=0)


if __name__ == "__main__":
    main()
