"""What each part of ``omniglot-post-norm`` is worth: short trainings that differ from it in one thing.

Command
    ``abclust reproduce ablation``; some variants alone by
    ``python -m abclust.experiments.omniglot_ablation VARIANT ...``.
Cost
    A training of 240,000 images for each variant, about 10 minutes of one core; ``--quick`` takes minutes. A
    run that was killed goes on with the variant it was at.
Expected
    Less for every part that is taken away; hardly anything learnt with 128 sets a step.

Everything is measured on the five held-out alphabets: sets of 100 images as the paper draws them, and sets of
characters that resemble each other (:mod:`abclust.experiments.omniglot_look_alikes`). Kernels are raw, of one
view. The number of characters is known, so that no calibration is needed; beside it stand the average
precision and the cross entropy of all pairs, which need no partition. And all drawings of one character, as
in the paper's Figure 5: how probable is it that two of them belong together, and is the set split? Writes
``ablation.json`` and ``ablation.md``.
"""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from sklearn.metrics import average_precision_score

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.grouped_images import GroupedImages
from abclust.evaluation.intervals import interval
from abclust.evaluation.results_file import read_results, write_results
from abclust.evaluation.scores import nmi
from abclust.experiments.omniglot_look_alikes import look_alike_sets
from abclust.experiments.omniglot_split import background_images
from abclust.experiments.omniglot_training import compound_images, training_source
from abclust.experiments.omniglot_validation import draw_instances
from abclust.experiments.omniglot_variants import VARIANTS, variant_recipe
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import encode_views, view_kernels
from abclust.storage.atomic_file import write_text
from abclust.training.progress_bar import default_reporter
from abclust.training.trainer import fit

NAME = "ablation"
IMAGES, QUICK_IMAGES = 240_000, 4_000
"""Images that every variant may encode in training."""
SETS_PER_ALPHABET, QUICK_SETS = 30, 2
ABLATION_SEED = 2_010_01044  # other sets than those of validation, calibration and scoring
METHOD = "size-prior"
KINDS = ("sets of 100", "look-alikes")
ONE_CHARACTER = "one character"
_SMALLEST = 1e-7
_logger = logging.getLogger(__name__)

Row = dict[str, Any]
Places = list[Int[np.ndarray, " _"]]


def run(options: ReproduceOptions) -> list[Path]:
    """Train and score every variant that has no rows yet; write rows and table. Gives the two files."""
    return reproduce(options, list(VARIANTS))


def reproduce(options: ReproduceOptions, names: Sequence[str]) -> list[Path]:
    """The same for some variants; rows of others that are there stay, also those of a process beside."""
    stored, table = options.output / f"{NAME}.json", options.output / f"{NAME}.md"
    if not options.render:
        for name in names:
            if any(row["variant"] == name and row["quick"] == options.quick for row in _stored_rows(stored)):
                _logger.info("%s: done before", name)
                continue
            found = variant_rows(name, options)
            rows = [row for row in _stored_rows(stored) if row["variant"] != name] + found
            write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    write_text(table, ablation_table(read_results(stored).rows))
    return [stored, table]


def _stored_rows(file: Path) -> list[Row]:
    return read_results(file).rows if file.is_file() else []


def variant_rows(name: str, options: ReproduceOptions) -> list[Row]:
    """Train one variant and score it: a row for each kind of sets, sets of one character last."""
    recipe = variant_recipe(name, QUICK_IMAGES if options.quick else IMAGES)
    framing = {"image_size": recipe.image_size, "ink_size": recipe.ink_size, "data": options.data}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(options.seed)
        network = ContextKernelNetwork(recipe.network)
    compounds = compound_images(recipe, "training", data=options.data, seed=options.seed)
    learnt = background_images("training", **framing)
    file = network_file(f"{NAME}-{name.replace(' ', '-')}", options)
    result = fit(
        network,
        training_source(recipe, learnt, options.seed, compounds),
        replace(recipe.training, seed=options.seed),
        folder=file.with_name(f"{file.name}.run"),
        reporter=default_reporter(),
        resume=True,
    )
    about = {"variant": name, "quick": options.quick, "steps": result.step, "image_passes": result.n_items}
    held_out = background_images("held-out", **framing)
    sets = held_out_sets(held_out, QUICK_SETS if options.quick else SETS_PER_ALPHABET, options)
    scores = [*score_pairs(network, held_out, sets), score_one_character(network, held_out)]
    return [{**about, "seconds": round(result.seconds, 1), **row} for row in scores]


def held_out_sets(
    data: GroupedImages, sets_per_alphabet: int, options: ReproduceOptions
) -> dict[str, Places]:
    """Sets of both kinds as places in the held-out images, the same whatever their framing."""
    usual = [
        instance.places
        for alphabet in data.group_names
        for instance in draw_instances(data, alphabet, sets_per_alphabet, ABLATION_SEED)
    ]
    rendering = background_images("held-out", image_size=28, ink_size=20, data=options.data)
    return dict(zip(KINDS, (usual, look_alike_sets(rendering, sets_per_alphabet)), strict=True))


def score_pairs(network: ContextKernelNetwork, data: GroupedImages, sets: dict[str, Places]) -> list[Row]:
    """How well pairs and partitions of these sets of `data` come out: a row for each kind."""
    encoded = encode_views(network, data.images)
    rows = []
    for kind, places in sets.items():
        kernels = [view_kernels(network, encoded, [each])[0] for each in places]
        scores = _scores(kernels, [data.labels[each] for each in places])
        rows.append({"sets": kind, "n_sets": len(places), **scores})
    return rows


def score_one_character(network: ContextKernelNetwork, data: GroupedImages) -> Row:
    """What the network makes of sets that are all drawings of one character of `data`, each in turn."""
    encoded = encode_views(network, data.images)
    members = [np.flatnonzero(data.labels == label) for label in range(len(data.class_names))]
    kernels = view_kernels(network, encoded, members)
    found = cluster_kernel(kernels, method=METHOD)
    return {
        "sets": ONE_CHARACTER,
        "n_sets": len(members),
        "mean_probability": float(np.mean([_between(kernel).mean() for kernel in kernels])),
        "share_split": float(np.mean([labels.max() > 0 for labels in found])),
    }


def _between(matrix: Shaped[np.ndarray, "n n"]) -> Shaped[np.ndarray, " p"]:
    """The entries of pairs of two items."""
    return matrix[np.triu_indices(len(matrix), 1)]


def _scores(
    kernels: Sequence[Float[np.ndarray, "_ _"]], labels: Sequence[Int[np.ndarray, " _"]]
) -> dict[str, Any]:
    n_clusters = [len(np.unique(true)) for true in labels]
    found = cluster_kernel(list(kernels), n_clusters, METHOD)
    mean = interval([nmi(true, guess) for true, guess in zip(labels, found, strict=True)])
    chances = np.concatenate([_between(kernel) for kernel in kernels])
    together = np.concatenate([_between(true[:, None] == true) for true in labels])
    likely = np.where(together, chances, 1 - chances).clip(_SMALLEST)
    return {
        "nmi": mean.mean,
        "interval": mean.bounds(),
        "average_precision": float(average_precision_score(together, chances)),
        "cross_entropy": float(-np.log(likely).mean()),
    }


def ablation_table(rows: Sequence[Row]) -> str:
    """A line for each variant, in their order.

    Examples
    --------
    >>> row = {"variant": "the recipe", "steps": 1000, "n_sets": 150, "nmi": 0.9512, "interval": [0.94, 0.96]}
    >>> row |= {"average_precision": 0.8971, "cross_entropy": 0.0923}
    >>> one = {"sets": ONE_CHARACTER, "mean_probability": 0.8712, "share_split": 0.25}
    >>> print(ablation_table([*(row | {"sets": kind} for kind in KINDS), row | one]).splitlines()[-1])
    | the recipe | 1,000 | .951 (.940 to .960), .897, .092 | .951 (.940 to .960), .897, .092 | .871, .250 |
    """
    cells = {(row["variant"], row["sets"]): _cell(row) for row in rows}
    steps = {row["variant"]: row["steps"] for row in rows}
    kinds = (*KINDS, ONE_CHARACTER)
    heads = (
        *(f"{kind}: NMI (95 %), AP, cross entropy" for kind in KINDS),
        f"sets of {ONE_CHARACTER}: mean probability of a pair, share split",
    )
    lines = [("variant", "steps", *heads), ("---", "---:", *["---"] * len(kinds))]
    for name in VARIANTS:
        if name in steps:
            lines.append((name, f"{steps[name]:,}", *(cells.get((name, kind), "-") for kind in kinds)))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(row: Row) -> str:
    if row["sets"] == ONE_CHARACTER:
        return f"{_three(row['mean_probability'])}, {_three(row['share_split'])}"
    low, high = row["interval"]
    precise, entropy = row["average_precision"], row["cross_entropy"]
    return f"{_three(row['nmi'])} ({_three(low)} to {_three(high)}), {_three(precise)}, {_three(entropy)}"


def _three(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module: some variants."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.omniglot_ablation", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("variants", nargs="+", choices=VARIANTS, metavar="VARIANT", help="which ones")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--data", type=Path, help="folder of Omniglot's archives")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    reproduce(ReproduceOptions(output=given.output, data=given.data), given.variants)


if __name__ == "__main__":
    main()
