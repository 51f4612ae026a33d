"""`abclust demo`: the main job on real data, offline, in under a minute."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[Path, typer.Option(help="Folder for the report and the picture.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the sets.")] = 0,
) -> None:
    """Cluster handwritten digits and circles by shipped weights and write a report; offline, k unknown."""
    from abclust.experiments.demonstration import demonstrate

    demonstrate(output, seed, say=typer.echo)
