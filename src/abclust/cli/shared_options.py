"""Options that several commands have, each said once: `name: Option = default` in their signatures."""

from typing import Annotated

import typer

Model = Annotated[
    str,
    typer.Option(
        "--model", "-m", help="Shipped name (abclust models), network file, or auto: by the kind of items."
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method", help="How the kernel becomes clusters: auto, expected-rand, log-odds, spectral, ..."
    ),
]
SetColumn = Annotated[
    str | None, typer.Option("--set-column", help="Column that names the set of a row; none is one set.")
]
LabelColumn = Annotated[
    str | None, typer.Option("--label-column", help="Column that names the cluster of a row.")
]
IgnoreColumn = Annotated[
    list[str] | None,
    typer.Option("--ignore-column", help="A column that is no feature; may be repeated."),
]
Workers = Annotated[int, typer.Option("--workers", "-w", min=1, help="Processes that share the sets.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything drawn at random.")]
Device = Annotated[str, typer.Option("--device", help="Where the network runs, as torch names it.")]
Strict = Annotated[bool, typer.Option("--strict", help="An unreadable image is an error.")]
TableMemory = Annotated[
    int,
    typer.Option("--memory", min=1, help="Megabytes of a table to hold; larger ones must be sorted by set."),
]
