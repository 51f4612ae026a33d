"""`abclust demo`: the main job on real data, offline, in under a minute."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[Path, typer.Option(help="Folder for the pictures.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the sets and of the training.")] = 0,
) -> None:
    """Cluster circles by shipped weights, then learn to cluster handwritten digits; offline, k unknown."""
    from abclust.experiments.demonstration import demonstrate

    demonstrate(output, seed, say=typer.echo)
