"""``abclust train DATA``: labelled sets on a disk in, a network file out."""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from abclust.cli.shared_options import IgnoreColumn, LabelColumn, SetColumn, Strict
from abclust.foundations.errors import InvalidInputError
from abclust.training.config import TrainingConfig, help_of

_DEFAULTS = TrainingConfig()


def _option(field: str, *names: str, **keywords: Any) -> Any:
    """The option of a field of the training configuration: its help stands there."""
    return typer.Option(*(names or (f"--{field.replace('_', '-')}",)), help=help_of(field), **keywords)


def train(
    data: Annotated[
        Path, typer.Argument(help="Folder of images (set/class/image), .csv, .parquet, .npy or .npz.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The network file; FILE.run/ holds the run.")
    ],
    set_column: SetColumn = None,
    label_column: LabelColumn = None,
    ignore_column: IgnoreColumn = None,
    validation: Annotated[
        Path | None, typer.Option("--validation", help="Sets to be judged by; by default some are held out.")
    ] = None,
    max_steps: Annotated[int | None, _option("steps", "--max-steps")] = None,
    minutes: Annotated[float | None, _option("minutes")] = None,
    checkpoint_every: Annotated[str, _option("checkpoint_every")] = _DEFAULTS.checkpoint_every,
    keep_checkpoints: Annotated[int, _option("keep_checkpoints")] = _DEFAULTS.keep_checkpoints,
    seed: Annotated[int, _option("seed")] = _DEFAULTS.seed,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint in FILE.run/, if there is one.")
    ] = False,
    start_from: Annotated[
        str | None,
        typer.Option(
            "--from", help="A network file or shipped name to start from; vectors takes tables of any width."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start anew, and lose an unfinished run in FILE.run/.")
    ] = False,
    strict: Strict = False,
    memory: Annotated[
        int,
        typer.Option("--memory", min=1, help="Megabytes of data to hold; more lie in a temporary file."),
    ] = 512,
    sets_per_step: Annotated[int | None, _option("sets_per_step")] = None,
    learning_rate: Annotated[float | None, _option("learning_rate")] = None,
    optimizer: Annotated[str | None, _option("optimizer")] = None,
    contrastive_weight: Annotated[float | None, _option("contrastive_weight")] = None,
    validate_every: Annotated[int | None, _option("validate_every")] = None,
    patience: Annotated[int | None, _option("patience")] = None,
    precision: Annotated[str, _option("precision")] = _DEFAULTS.precision,
    accelerator: Annotated[str, _option("accelerator")] = _DEFAULTS.accelerator,
    devices: Annotated[int, _option("devices")] = _DEFAULTS.devices,
    strategy: Annotated[str, _option("strategy")] = _DEFAULTS.strategy,
    num_nodes: Annotated[int, _option("num_nodes")] = _DEFAULTS.num_nodes,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write TensorBoard events to FILE.run/ too (an extra).")
    ] = False,
) -> None:
    """Learn from labelled sets how things are to be grouped; survives being killed.

    Ctrl-C and SIGTERM write a checkpoint and leave with exit code 130 and 143; --resume goes on from there.
    """
    # What was not given is left to what suits the data: vectors and images differ.
    given = {
        "steps": max_steps,
        "minutes": minutes,
        "sets_per_step": sets_per_step,
        "learning_rate": learning_rate,
        "optimizer": optimizer,
        "contrastive_weight": contrastive_weight,
        "validate_every": validate_every,
        "patience": patience,
    }
    changes = {
        **{name: value for name, value in given.items() if value is not None},
        "checkpoint_every": checkpoint_every,
        "keep_checkpoints": keep_checkpoints,
        "seed": seed,
        "precision": precision,
        "accelerator": accelerator,
        "devices": devices,
        "strategy": strategy,
        "num_nodes": num_nodes,
    }
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    columns = {
        "set_column": set_column,
        "label_column": label_column,
        "ignore_columns": tuple(ignore_column or ()),
        "strict": strict,
        "memory_bytes": memory * 2**20,
    }
    if _is_first_process():
        _prepare(output, resume=resume, force=force)
    network = _start(start_from)
    if data.is_dir():
        columns["prepare"] = _framing_of(network)
    sets, framing = _labelled_sets(data, columns, run_folder(output))
    judged = None if validation is None else _labelled_sets(validation, columns, run_folder(output))[0]
    _train(
        sets,
        judged,
        changes,
        output,
        network=network,
        framing=framing,
        tensorboard=tensorboard,
        resume=resume,
    )


def run_folder(output: Path) -> Path:
    """Where the checkpoints and the curve of a run live: beside its network file."""
    return output.with_name(f"{output.name}.run")


def _train(
    sets: Sequence[Any],
    judged: Sequence[Any] | None,
    changes: dict[str, Any],
    output: Path,
    *,
    network: Any,
    framing: Mapping[str, int] | None,
    tensorboard: bool,
    resume: bool,
) -> None:
    # Imported here: torch and Fabric take seconds, and `abclust --help` needs neither.
    from abclust.foundations.freed_memory import freed_memory_kept
    from abclust.learn import learn
    from abclust.training.going_on import suitable_training
    from abclust.training.progress_bar import default_reporter
    from abclust.training.reporter import Reporters
    from abclust.training.signals import TrainingInterrupted
    from abclust.training.tensorboard import TensorBoardReporter

    reporters = [default_reporter()]
    if tensorboard:
        reporters.append(TensorBoardReporter(run_folder(output) / "tensorboard"))
    try:
        with freed_memory_kept():
            learned = learn(
                sets,
                judged,
                replace(suitable_training(sets, network), **changes),
                network=network,
                framing=framing,
                folder=run_folder(output),
                resume=resume,
                reporter=Reporters(reporters),
            )
    except TrainingInterrupted as interruption:
        typer.echo(f"abclust: {interruption}", err=True)
        raise typer.Exit(interruption.exit_code) from interruption
    if learned.result.is_first_process:
        learned.network.save(output)
        scores = learned.network.metadata["scores"]
        typer.echo(f"wrote {output} after step {learned.result.step}: " + _worded(scores))


def _prepare(output: Path, *, resume: bool, force: bool) -> None:
    """Look at what an earlier run left in its folder, and say where this one starts."""
    from abclust.training.checkpoint import checkpoint_paths, latest_step

    folder = run_folder(output)
    if resume:
        step = latest_step(folder)
        typer.echo(
            f"nothing to resume in {folder}: starting fresh" if step is None else f"resuming from step {step}"
        )
        return
    left = checkpoint_paths(folder)
    if left and not force and not _is_finished(output, left[-1]):
        raise InvalidInputError(
            f"{folder} must hold no unfinished run. Got {left[-1].name}. Add --resume to go on from it, or "
            "--force to start anew."
        )
    for path in left:
        path.unlink(missing_ok=True)


def _is_finished(output: Path, checkpoint: Path) -> bool:
    """A run whose network was written after its last checkpoint has nothing left to lose."""
    return output.is_file() and output.stat().st_mtime_ns >= checkpoint.stat().st_mtime_ns


def _start(start_from: str | None) -> Any:
    """The network to go on from, if there is one."""
    from abclust.zoo.loading import load

    return None if start_from is None else load(start_from)


def _framing_of(network: Any) -> Callable[[Any], Any]:
    """What to make of each image: as the network to go on from has seen its own, or by default."""
    from abclust.datasets.image_framing import frame_image
    from abclust.estimator.image_input import read_images

    if network is None or network.config.image_size is None:
        return frame_image
    size, framing = network.config.image_size, network.metadata.get("framing")
    return lambda image: read_images([image], size, framing)[0]


def _labelled_sets(
    path: Path, options: dict[str, Any], folder: Path
) -> tuple[Sequence[Any], Mapping[str, int] | None]:
    """The sets of a file or folder, and how images were framed.

    What is too much for memory lies in a temporary file in `folder`.
    """
    from abclust.datasets.labelled_set import LabelledSet
    from abclust.datasets.set_reading import read_sets
    from abclust.datasets.spooled_sets import spool_sets

    source = read_sets(path, **options)
    labelled = (each for each in source if isinstance(each, LabelledSet))
    sets = spool_sets(labelled, memory_bytes=options["memory_bytes"], folder=folder)
    for skipped in source.skipped:
        typer.echo(f"skipped {skipped.path}: {skipped.reason}", err=True)
    if source.skipped:
        typer.echo(f"skipped {len(source.skipped)} unreadable images", err=True)
    if not sets:
        raise InvalidInputError(
            f"{path} must hold labelled sets. Got none. Name the column of the clusters with --label-column, "
            "or lay images out as set/class/image."
        )
    return sets, source.framing


def _worded(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in scores.items()) or "no scores"


def _is_first_process() -> bool:
    """Fabric starts this very command again for every further process, and torchrun starts all at once."""
    return os.environ.get("RANK", os.environ.get("LOCAL_RANK", "0")) == "0"
