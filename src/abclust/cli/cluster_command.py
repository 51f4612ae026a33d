"""``abclust cluster INPUT``: sets on a disk in, their clusters out."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abclust.cli.command_text import typed_command
from abclust.cli.left_out import end_with
from abclust.cli.shared_options import (
    Device,
    IgnoreColumn,
    Method,
    Model,
    Seed,
    SetColumn,
    Strict,
    TableMemory,
    Workers,
)
from abclust.foundations.errors import InvalidInputError

if TYPE_CHECKING:
    from abclust.cli.cluster_summary import ClusterSummary

_SHOWN = 20  # sets that are told of one by one

EPILOG = """Examples:

abclust cluster scans/ --model omniglot --output labels.csv --tree sorted --link symlink

abclust cluster points.csv --model circles --set-column set --label-column circle

cat points.csv | abclust cluster - --model circles > labels.csv

Exit codes: 0 done, 2 something to mend (nothing was written), 3 done but some sets or images left out."""


def cluster(
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="Folder of images, folder of such folders (one set each), .csv, .parquet, .npy or .npz; "
            "- reads CSV from standard input.",
        ),
    ],
    model: Model = "auto",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Labels, .csv or .parquet: \\[set,]item,cluster,confidence; - is standard output. "
            "\\[default: labels.csv; - for standard input]",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="HTML report, one file. \\[default: report.html beside the labels]",
            show_default=False,
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    n_clusters: Annotated[
        str | None,
        typer.Option(
            "--n-clusters", "-k", metavar="K|MIN-MAX", help="Number of clusters; found if not given."
        ),
    ] = None,
    method: Method = "auto",
    set_column: SetColumn = None,
    label_column: Annotated[
        str | None,
        typer.Option("--label-column", help="Column of known clusters: not looked at, only scored against."),
    ] = None,
    ignore_column: IgnoreColumn = None,
    layout: Annotated[
        str,
        typer.Option("--layout", metavar="sets|classes", help="What one level of folders of images means."),
    ] = "sets",
    tree: Annotated[
        Path | None,
        typer.Option("--tree", help="Folder to make, with one folder of images for each cluster."),
    ] = None,
    link: Annotated[
        str, typer.Option("--link", metavar="copy|symlink", help="How images come into the tree.")
    ] = "copy",
    must_link: Annotated[
        Path | None,
        typer.Option(
            "--must-link", help="CSV \\[set,]first,second: items that belong together, by their names."
        ),
    ] = None,
    cannot_link: Annotated[
        Path | None, typer.Option("--cannot-link", help="The same for items that do not belong together.")
    ] = None,
    engine: Annotated[str, typer.Option("--engine", help="Where the work is done: local or ray.")] = "local",
    workers: Workers = 1,
    seed: Seed = 0,
    device: Device = "cpu",
    scale: Annotated[
        str,
        typer.Option(
            "--scale",
            metavar="auto|full|local",
            help="All pairs of a set, or local sets and a sparse graph; auto: local above 20,000 items.",
        ),
    ] = "auto",
    report_sets: Annotated[
        int, typer.Option("--report-sets", min=1, help="Sets that the report shows in detail.")
    ] = 24,
    strict: Strict = False,
    memory: TableMemory = 512,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a summary as JSON and nothing else.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace outputs that are there already.")] = False,
) -> None:
    """Cluster one set or many: labels, a report and, for images, a tree of folders; k need not be known.

    A set that cannot be clustered is reported, and the rest are finished (exit code 3).

    Files are written beside their place and renamed when they are whole; none is replaced without --force.
    """
    from abclust.cli.cluster_request import ClusterRequest
    from abclust.cli.cluster_run import cluster_sets
    from abclust.cli.set_input import STANDARD_INPUT, InputOptions
    from abclust.cli.work_progress import WorkProgress

    logging.getLogger("abclust").addHandler(logging.NullHandler())  # what is left out is told below, once
    place = output or (STANDARD_INPUT if source == STANDARD_INPUT else "labels.csv")
    labels = None if place == STANDARD_INPUT else Path(place)
    if labels is None and as_json:
        raise InvalidInputError("at most one of labels and --json must go to standard output. Got both.")
    if report is None and labels is not None and not no_report:
        report = labels.with_name("report.html")
    request = ClusterRequest(
        source=source,
        model=model,
        output=labels,
        report=None if no_report else report,
        tree=tree,
        link=link,
        reading=InputOptions(
            set_column,
            label_column,
            tuple(ignore_column or ()),
            layout=layout,
            strict=strict,
            memory_bytes=memory * 2**20,
        ),
        n_clusters=None if n_clusters is None else number_or_range(n_clusters),
        method=method,
        must_link=must_link,
        cannot_link=cannot_link,
        engine=engine,
        workers=workers,
        seed=seed,
        device=device,
        scale=scale,
        report_sets=report_sets,
        force=force,
        command=typed_command(),
    )
    with WorkProgress("clustered") as progress:
        summary = cluster_sets(request, progress)
    if as_json:
        typer.echo(json.dumps(summary.to_dict(), indent=1))
    else:
        _tell(summary, err=labels is None)
    end_with(summary.skipped, summary.failed)


def number_or_range(text: str) -> Any:
    """``"5"`` is 5, ``"3-8"`` is (3, 8).

    Raises
    ------
    InvalidInputError
        If it is neither.

    Examples
    --------
    >>> number_or_range("5"), number_or_range("3-8")
    (5, (3, 8))
    """
    parts = text.split("-")
    if len(parts) > 2 or not all(part.strip().isdigit() for part in parts):
        raise InvalidInputError(f"n_clusters must be a number, or a range such as 3-8. Got {text!r}.")
    numbers = [int(part) for part in parts]
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _tell(summary: "ClusterSummary", *, err: bool) -> None:
    for each in summary.sets[:_SHOWN]:
        low, high = each.n_clusters_interval or (each.n_clusters, each.n_clusters)
        between = f" ({low} to {high} are likely)" if low < high else ""
        scored = f", ARI {each.scores['ari']:.3f}, NMI {each.scores['nmi']:.3f}" if each.scores else ""
        typer.echo(
            f"{each.set}: {each.n_items:,} items in {each.n_clusters:,} clusters{between}, "
            f"mean confidence {each.confidence:.2f}{scored}",
            err=err,
        )
    if len(summary.sets) > _SHOWN:
        typer.echo(f"... {len(summary.sets):,} sets, {summary.n_items:,} items in all", err=err)
    written = [path for path in (summary.output, summary.report, summary.tree) if path]
    if written:
        typer.echo(f"wrote {', '.join(written)}", err=err)
