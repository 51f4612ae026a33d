"""What each part of ``omniglot-post-norm`` is worth: short trainings that differ from it in one thing.

Command
    ``abclust reproduce ablation``; some variants alone by
    ``python -m abclust.experiments.omniglot_ablation VARIANT ...``.
Cost
    Sixteen trainings of 240,000 images, about 10 minutes of one core each; ``--quick`` takes minutes. A run
    that was killed goes on with the variant it was at.
Expected
    Less for every part that is taken away; hardly anything learnt with 128 sets a step.

Everything is measured on the five held-out alphabets: sets of 100 images as the paper draws them, and sets of
characters that resemble each other (:mod:`abclust.experiments.omniglot_look_alikes`). Kernels are raw, of one
view. The number of characters is known, so that no calibration is needed; beside it stand the average
precision and the cross entropy of all pairs, which need no partition. Writes ``ablation.json`` and
``ablation.md``.
"""

import argparse
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.metrics import average_precision_score

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.compound_characters import CompoundConfig
from abclust.datasets.grouped_images import GroupedImages
from abclust.evaluation.intervals import interval
from abclust.evaluation.results_file import read_results, write_results
from abclust.evaluation.scores import nmi
from abclust.experiments.omniglot_look_alikes import look_alike_sets
from abclust.experiments.omniglot_recipes import (
    BEST_AUGMENTATION,
    OmniglotRecipe,
    omniglot_recipe,
)
from abclust.experiments.omniglot_source import MixedPoolSource
from abclust.experiments.omniglot_split import background_images
from abclust.experiments.omniglot_training import compound_images
from abclust.experiments.omniglot_validation import draw_instances
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import encode_views, view_kernels
from abclust.storage.atomic_file import write_text
from abclust.training.progress_bar import default_reporter
from abclust.training.trainer import fit

NAME = "ablation"
BASE = "omniglot-post-norm"
"""The recipe that is taken apart."""
IMAGES, QUICK_IMAGES = 240_000, 4_000
"""Images that every variant may encode in training."""
SETS_PER_ALPHABET, QUICK_SETS = 30, 2
ABLATION_SEED = 2_010_01044  # other sets than those of validation, calibration and scoring
METHOD = "size-prior"
KINDS = ("sets of 100", "look-alikes")
_SMALLEST = 1e-7
_logger = logging.getLogger(__name__)

Row = dict[str, Any]
Places = list[Int[np.ndarray, " _"]]


def _pools(recipe: OmniglotRecipe, **changes: Any) -> OmniglotRecipe:
    """The recipe with pools changed in all its kinds of steps."""
    kinds = tuple(replace(kind, pools=replace(kind.pools, **changes)) for kind in recipe.steps)
    return replace(recipe, steps=kinds)


def _small_images(recipe: OmniglotRecipe) -> OmniglotRecipe:
    """28 pixels: lengths in pixels are halved, and one halving of the encoder falls away."""
    given = recipe.augmentation
    augmentation = replace(
        given, elastic=given.elastic / 2, stroke=given.stroke / 2, ink_size=(17.0, 23.0), bold=given.bold / 2
    )
    network = replace(recipe.network, image_size=28, encoder_channels=(64, 128, 256))
    return replace(recipe, network=network, ink_size=20, augmentation=augmentation)


def _whole_sheets(recipe: OmniglotRecipe) -> OmniglotRecipe:
    """Sheets as they are: how large a character is and where it stands stays to be seen."""
    augmentation = replace(recipe.augmentation, ink_size=None, scale=0.15, shift=0.15)
    return replace(recipe, ink_size=None, augmentation=augmentation)


def _cropped(recipe: OmniglotRecipe) -> OmniglotRecipe:
    """The framing of ``omniglot`` and nothing else of it."""
    augmentation = replace(
        recipe.augmentation, shift=BEST_AUGMENTATION.shift, ink_size=BEST_AUGMENTATION.ink_size
    )
    return replace(recipe, ink_size=40, augmentation=augmentation)


def _one_alphabet(recipe: OmniglotRecipe) -> OmniglotRecipe:
    often, large = recipe.steps
    pools = replace(often.pools, pools_per_step=1, pool_size=400, sets_per_pool=8, largest_set=400)
    return replace(recipe, steps=(replace(often, pools=pools), large))


def _one_size(recipe: OmniglotRecipe) -> OmniglotRecipe:
    kind = recipe.steps[0]
    pools = replace(kind.pools, smallest_set=100, largest_set=100)
    return replace(recipe, steps=(replace(kind, share=1.0, pools=pools),))


def _with_compounds(recipe: OmniglotRecipe) -> OmniglotRecipe:
    often, large = recipe.steps
    mixed = (replace(often, share=often.share - 0.3), replace(often, share=0.3, compound=True), large)
    return replace(recipe, steps=mixed, compounds=CompoundConfig())


def _training(recipe: OmniglotRecipe, **changes: Any) -> OmniglotRecipe:
    return replace(recipe, training=replace(recipe.training, **changes))


def _network(recipe: OmniglotRecipe, **changes: Any) -> OmniglotRecipe:
    return replace(recipe, network=replace(recipe.network, **changes))


# As ``omniglot`` has them, on whole sheets.
_PENS = replace(BEST_AUGMENTATION, shear=0.2, shift=0.15, ink_size=None)

VARIANTS: dict[str, tuple[str, Callable[[OmniglotRecipe], OmniglotRecipe]]] = {
    "the recipe": (BASE, lambda recipe: recipe),
    "28 pixels in the place of 56": (BASE, _small_images),
    "whole sheets, not cropped to the ink": (BASE, _whole_sheets),
    "one alphabet a step, sets of 20 to 400": (BASE, _one_alphabet),
    "classes as they are, none bent": (BASE, lambda recipe: _pools(recipe, warped=0.0)),
    "no contrastive loss": (BASE, lambda recipe: _training(recipe, contrastive_weight=0.0)),
    "AdamW in the place of Muon": (
        BASE,
        lambda recipe: _training(recipe, optimizer="adamw", learning_rate=1e-3),
    ),
    "plain skips, not gated": (BASE, lambda recipe: _network(recipe, skip="plain")),
    "pre-norm blocks": (BASE, lambda recipe: _network(recipe, pre_norm=True)),
    "a direct path beside the context": (BASE, lambda recipe: _network(recipe, direct_path=True)),
    "softmax and similarity without log n and bias": (
        BASE,
        lambda recipe: _network(recipe, log_n_reference=None, similarity_bias=False),
    ),
    "sets of 100 alone": (BASE, _one_size),
    "half of the sets look-alikes": (BASE, lambda recipe: _pools(recipe, look_alike=0.5)),
    "compounds in a third of the steps": (BASE, _with_compounds),
    "the paper's architecture": ("omniglot-paper-mul", lambda recipe: recipe),
    "the paper's architecture, 128 sets a step": (
        "omniglot-paper-mul",
        lambda recipe: _pools(recipe, pools_per_step=32),
    ),
    "the paper's architecture, sets of 20 to 200": (
        "omniglot-paper-mul",
        lambda recipe: _pools(recipe, smallest_set=20, largest_set=200),
    ),
    "the paper's architecture, other pens and scanners": (
        "omniglot-paper-mul",
        lambda recipe: replace(recipe, augmentation=_PENS),
    ),
    "the paper's architecture, cropped to the ink": ("omniglot-paper-mul", _cropped),
    "the paper's architecture with log n and bias": (
        "omniglot-paper-mul",
        lambda recipe: _network(recipe, log_n_reference=100, similarity_bias=True),
    ),
}
"""What is told of a variant, the recipe it starts from, and the one change."""


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
    """Train one variant and score it: a row for each kind of sets."""
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
        MixedPoolSource(learnt, recipe.steps, recipe.augmentation, options.seed, compounds),
        replace(recipe.training, seed=options.seed),
        folder=file.with_name(f"{file.name}.run"),
        reporter=default_reporter(),
        resume=True,
    )
    about = {"variant": name, "quick": options.quick, "steps": result.step, "image_passes": result.n_items}
    held_out = background_images("held-out", **framing)
    sets = held_out_sets(held_out, QUICK_SETS if options.quick else SETS_PER_ALPHABET, options)
    scores = score_pairs(network, held_out, sets)
    return [{**about, "seconds": round(result.seconds, 1), **row} for row in scores]


def variant_recipe(name: str, images: int) -> OmniglotRecipe:
    """The recipe of a variant, as long as `images` images last."""
    start, change = VARIANTS[name]
    recipe = change(omniglot_recipe(start))
    per_step = sum(kind.share * kind.images for kind in recipe.steps)
    steps = max(1, round(images / per_step))
    return replace(recipe, training=replace(recipe.training, steps=steps))


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


def _scores(
    kernels: Sequence[Float[np.ndarray, "_ _"]], labels: Sequence[Int[np.ndarray, " _"]]
) -> dict[str, Any]:
    n_clusters = [len(np.unique(true)) for true in labels]
    found = cluster_kernel(list(kernels), n_clusters, METHOD)
    mean = interval([nmi(true, guess) for true, guess in zip(labels, found, strict=True)])
    pairs = [np.triu_indices(len(true), 1) for true in labels]
    chances = np.concatenate([kernel[pair] for kernel, pair in zip(kernels, pairs, strict=True)])
    together = np.concatenate([(t[:, None] == t)[pair] for t, pair in zip(labels, pairs, strict=True)])
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
    >>> print(ablation_table([row | {"sets": kind} for kind in KINDS]).splitlines()[-1])
    | the recipe | 1,000 | .951 (.940 to .960), .897, .092 | .951 (.940 to .960), .897, .092 |
    """
    cells = {(row["variant"], row["sets"]): _cell(row) for row in rows}
    steps = {row["variant"]: row["steps"] for row in rows}
    head = ("variant", "steps", *(f"{kind}: NMI (95 %), AP, cross entropy" for kind in KINDS))
    lines = [head, ("---", "---:", *["---"] * len(KINDS))]
    for name in VARIANTS:
        if name in steps:
            lines.append((name, f"{steps[name]:,}", *(cells.get((name, kind), "-") for kind in KINDS)))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(row: Row) -> str:
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
