"""Train a recipe of :mod:`abclust.experiments.omniglot_recipes` into a network file; a killed run goes on.

Command
    ``python -m abclust.experiments.omniglot_training NAME --output FILE``, with ``--steps`` or ``--minutes``
    for another length, ``--seed``, ``--optimizer`` and ``--learning-rate`` for another walk, ``--fresh`` to
    start anew. ``--final`` trains on all 30 background alphabets. No alphabet is left to calibrate on then,
    so the calibration is that of the same recipe on 25 alphabets, which is trained first, into
    ``<FILE>-25.safetensors`` beside it; ``--calibration-from`` names one that is there.

Checkpoints, the curve and the snapshots for Figure 4 live in ``FILE.run/``.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from abclust.clustering.default_method import HEADER, PLAIN_METHOD
from abclust.datasets.compound_characters import compound_alphabets
from abclust.datasets.grouped_images import GroupedImages
from abclust.experiments.omniglot_calibration import CalibrationSets, calibrate_on_alphabets
from abclust.experiments.omniglot_recipes import RECIPES, OmniglotRecipe, omniglot_recipe
from abclust.experiments.omniglot_snapshots import SnapshotReporter
from abclust.experiments.omniglot_source import MixedPoolSource, PhasedSource
from abclust.experiments.omniglot_split import HELD_OUT, background_images, check_no_evaluation_alphabet
from abclust.experiments.omniglot_validation import ValidationConfig, held_out_validation
from abclust.experiments.recipe_training import history, origin, training_parser
from abclust.foundations.frozen_config import to_dict
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import check_writable_folder
from abclust.training.batch_source import BatchSource
from abclust.training.progress_bar import default_reporter
from abclust.training.reporter import Reporters
from abclust.training.trainer import fit

_COMPOUNDS = 2**31 + 3  # a branch of the tree of random streams that no step uses
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrainingRequest:
    """What the command line may say beyond the name of a recipe; None keeps what the recipe says."""

    seed: int = 0
    steps: int | None = None
    minutes: float | None = None
    optimizer: str | None = None
    learning_rate: float | None = None
    final: bool = False
    """All 30 background alphabets."""
    calibration_from: Path | None = None
    """Take the calibration of this network file instead of fitting one, or training one that can be."""
    resume: bool = True
    data: Path | None = None
    """Folder of Omniglot's archives."""
    validation: ValidationConfig = ValidationConfig()  # noqa: RUF009 (frozen)
    calibration: CalibrationSets | None = None
    """Which sets the calibration is fitted on; the recipe's sizes by default."""

    def applied_to(self, recipe: OmniglotRecipe) -> OmniglotRecipe:
        """The recipe with what was asked for in the place of its own."""
        given = {
            name: getattr(self, name)
            for name in ("steps", "minutes", "optimizer", "learning_rate")
            if getattr(self, name) is not None
        }
        return replace(recipe, training=replace(recipe.training, seed=self.seed, **given))


def train_recipe(name: str, output: str | Path, request: TrainingRequest | None = None) -> Path:
    """Train the network of a recipe and write it to `output`.

    Parameters
    ----------
    name
        A name of :data:`~abclust.experiments.omniglot_recipes.RECIPES`.
    output
        The network file. Checkpoints, curve and snapshots live in ``<output>.run/``.
    request
        Another length, seed or part of the data.

    Returns
    -------
    Path
        `output`.

    Raises
    ------
    InvalidInputError
        If there is no such recipe, or nothing can be written there.
    DataNotFoundError
        If the background archive of Omniglot is not found and cannot be fetched.
    """
    request = request or TrainingRequest()
    recipe = request.applied_to(omniglot_recipe(name))
    output = Path(output)
    check_writable_folder(output.parent)
    framing = {"image_size": recipe.image_size, "ink_size": recipe.ink_size, "data": request.data}
    held_out = background_images("held-out", **framing)

    def train_part(part: str, file: Path, request: TrainingRequest) -> Path:
        compounds = compound_images(recipe, part, data=request.data, seed=request.seed)
        return train_on(recipe, file, background_images(part, **framing), held_out, request, compounds)

    if not request.final:
        return train_part("training", output, request)
    if request.calibration_from is None:
        judged = trained_before(recipe, output, request, partial(train_part, "training"))
        request = replace(request, calibration_from=judged)
    return train_part("final", output, request)


def trained_before(
    recipe: OmniglotRecipe,
    output: Path,
    request: TrainingRequest,
    train: Callable[[Path, TrainingRequest], Path],
) -> Path:
    """The network beside `output` whose calibration a final one takes; trained if it is not there."""
    beside = output.with_name(f"{output.stem}-25{output.suffix}")
    wanted = {"recipe": recipe.name, "seed": request.seed, "training": to_dict(recipe.training)}
    if beside.is_file() and wanted.items() <= ContextKernelNetwork.from_file(beside).metadata.items():
        _logger.info("the calibration is that of %s", beside)
        return beside
    return train(beside, replace(request, final=False))


def train_on(
    recipe: OmniglotRecipe,
    output: Path,
    learnt: GroupedImages,
    held_out: GroupedImages,
    request: TrainingRequest,
    compounds: GroupedImages | None = None,
) -> Path:
    """The same for any alphabets: learn from `learnt`, validate and calibrate on `held_out`."""
    check_no_evaluation_alphabet(learnt.group_names)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(request.seed)
        network = ContextKernelNetwork(recipe.network)
    facts = _facts(recipe, learnt, request)
    folder = output.with_name(f"{output.name}.run")
    seen = bool(set(learnt.group_names) & set(held_out.group_names))
    result = fit(
        network,
        training_source(recipe, learnt, request.seed, compounds),
        recipe.training,
        folder=folder,
        validate=held_out_validation(held_out, request.validation, "seen_" if seen else ""),
        reporter=Reporters([default_reporter(), SnapshotReporter(folder, facts)]),
        resume=request.resume,
    )
    network.metadata = {
        **facts,
        **history(result),
        "image_passes": result.n_items,
        **_calibration(network, recipe, held_out, request, seen=seen),
    }
    network.save(output)
    _logger.info("wrote %s after %d steps and %s images", output, result.step, f"{result.n_items:,}")
    return output


def training_source(
    recipe: OmniglotRecipe, learnt: GroupedImages, seed: int, compounds: GroupedImages | None = None
) -> BatchSource:
    """The steps of a recipe on these alphabets, the late ones varied in their own way."""
    early = MixedPoolSource(learnt, recipe.steps, recipe.augmentation, seed, compounds)
    if recipe.late_augmentation is None:
        return early
    late = MixedPoolSource(learnt, recipe.steps, recipe.late_augmentation, seed, compounds)
    return PhasedSource([(0, early), (recipe.first_late_step, late)])


def compound_images(
    recipe: OmniglotRecipe, part: str, *, data: Path | None = None, seed: int = 0
) -> GroupedImages | None:
    """Characters put together of parts of a part of the alphabets, if the recipe learns from such."""
    if recipe.compounds is None:
        return None
    size, ink_size = recipe.image_size, recipe.ink_size
    # Parts are shrunk into their boxes: from twice the size, strokes stay strokes.
    large = background_images(
        part,
        data=data,
        image_size=2 * size,
        ink_size=None if ink_size is None else 2 * ink_size,
    )
    return compound_alphabets(large, recipe.compounds, image_size=size, seed=stream(seed, _COMPOUNDS))


def _facts(recipe: OmniglotRecipe, learnt: GroupedImages, request: TrainingRequest) -> dict[str, Any]:
    """What is known before the first step; ``card`` is what the catalogue of shipped weights takes over."""
    changed = recipe.training != replace(RECIPES[recipe.name].training, seed=request.seed)
    alphabets = f"{len(learnt.group_names)} background alphabets of Omniglot"
    return {
        "recipe": recipe.name,
        "card": {
            "expects": recipe.expects,
            "trained_on": alphabets + ("; not with the recipe's own training" if changed else ""),
            "command": recipe.training_command(final=request.final),
            "cost": "" if changed else recipe.cost,
        },
        "groups": list(learnt.group_names),
        "fingerprint": learnt.fingerprint,
        "framing": recipe.framing,
        "views": to_dict(recipe.views),
        "seed": request.seed,
        "training": to_dict(recipe.training),
        **origin(),
    }


def _calibration(
    network: ContextKernelNetwork,
    recipe: OmniglotRecipe,
    held_out: GroupedImages,
    request: TrainingRequest,
    *,
    seen: bool,
) -> dict[str, Any]:
    """The calibration and where it comes from."""
    if request.calibration_from is not None:
        other = ContextKernelNetwork.from_file(request.calibration_from).metadata
        calibrated_on = f"{other['calibrated_on']}, by a network trained without them"
        return {
            "calibration": other["calibration"],
            HEADER: other.get(HEADER, PLAIN_METHOD),
            "calibrated_on": calibrated_on,
        }
    if seen:
        _logger.warning(
            "the calibration is fitted on alphabets that the network has seen, and will be too confident; "
            "--calibration-from takes that of a network trained without %s",
            ", ".join(HELD_OUT),
        )
    sets = request.calibration or CalibrationSets(sizes=recipe.calibration_sizes)
    table, method = calibrate_on_alphabets(network, held_out, recipe.views, sets)
    names = ", ".join(held_out.group_names) + (" (seen in training)" if seen else "")
    return {"calibration": table.to_dict(), HEADER: method, "calibrated_on": names}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = training_parser("abclust.experiments.omniglot_training", __doc__, RECIPES)
    parser.add_argument("--optimizer", choices=("adam", "adamw", "muon"), help="instead of the recipe's")
    parser.add_argument("--learning-rate", type=float, help="instead of the recipe's")
    parser.add_argument("--final", action="store_true", help="train on all 30 background alphabets")
    parser.add_argument("--calibration-from", type=Path, help="take the calibration of this network file")
    parser.add_argument("--data", type=Path, help="folder of Omniglot's archives")
    given = vars(parser.parse_args(arguments))
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    name, output, resume = given.pop("name"), given.pop("output"), not given.pop("fresh")
    train_recipe(name, output, TrainingRequest(**given, resume=resume))


if __name__ == "__main__":
    main()
