"""``abclust evaluate DATA``: how good a model is on labelled sets that it never saw."""

import json
import logging
from pathlib import Path
from typing import Annotated

import typer

from abclust.cli.command_text import typed_command
from abclust.cli.left_out import end_with
from abclust.cli.shared_options import (
    Device,
    IgnoreColumn,
    LabelColumn,
    Method,
    Model,
    Seed,
    SetColumn,
    Strict,
    TableMemory,
    Workers,
)

EPILOG = """Examples:

abclust evaluate sets.csv --set-column set --label-column label --model mine.safetensors

abclust evaluate alphabets/ --model omniglot --known-k --output results/mine.json"""


def evaluate(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Labelled sets: folder of images (set/class/image), .csv, .parquet, .npy or .npz; - reads "
            "CSV from standard input.",
        ),
    ],
    model: Model = "auto",
    set_column: SetColumn = None,
    label_column: LabelColumn = None,
    ignore_column: IgnoreColumn = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Results as JSON: rows, command, versions, machine.")
    ] = None,
    method: Method = "auto",
    known_k: Annotated[
        bool, typer.Option("--known-k", help="Score once more with the true number of clusters given.")
    ] = False,
    per_set: Annotated[
        bool, typer.Option("--per-set", help="Keep the scores of every set in the JSON.")
    ] = False,
    engine: Annotated[str, typer.Option("--engine", help="Where the work is done: local.")] = "local",
    workers: Workers = 1,
    seed: Seed = 0,
    device: Device = "cpu",
    strict: Strict = False,
    memory: TableMemory = 512,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the results as JSON and nothing else.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace results that are there already.")] = False,
) -> None:
    """Score a model on labelled sets, number of clusters unknown: means, 95 % intervals, trivial partitions.

    Sets of groups that the model was trained on, which its header names, are refused.
    """
    from abclust.cli.evaluate_run import EvaluateRequest, evaluate_sets
    from abclust.cli.set_input import InputOptions
    from abclust.cli.work_progress import WorkProgress
    from abclust.evaluation.results_table import markdown_table

    logging.getLogger("abclust").addHandler(logging.NullHandler())  # what is left out is told below, once
    request = EvaluateRequest(
        source=data,
        model=model,
        output=output,
        reading=InputOptions(
            set_column,
            label_column,
            tuple(ignore_column or ()),
            layout="classes",
            strict=strict,
            memory_bytes=memory * 2**20,
        ),
        method=method,
        with_known_k=known_k,
        per_set=per_set,
        engine=engine,
        workers=workers,
        seed=seed,
        device=device,
        force=force,
        command=typed_command(),
    )
    with WorkProgress("scored") as progress:
        summary = evaluate_sets(request, progress)
    if as_json:
        typer.echo(json.dumps(summary.to_dict(), indent=1))
    else:
        columns = ["system", "k", "n_sets", "nmi", "interval", "ami", "ari", "accuracy", "k_error"]
        typer.echo(markdown_table(summary.results.rows, columns))
        if output is not None:
            typer.echo(f"wrote {output}")
    end_with(summary.skipped, summary.failed)
