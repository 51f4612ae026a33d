"""``abclust export MODEL --onnx FILE``: a network for programs that have no torch."""

import json
from pathlib import Path
from typing import Annotated

import typer

from abclust.foundations.errors import InvalidInputError

EPILOG = """Example:

abclust export mine.safetensors --onnx mine.onnx --check"""


def export(
    model: Annotated[str, typer.Argument(help="Network file or shipped name (abclust models).")],
    onnx: Annotated[Path, typer.Option("--onnx", help="The ONNX file to write.")],
    check: Annotated[
        bool,
        typer.Option("--check", help="Compare with the network by onnxruntime on sets of 1 to 1,000 items."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a summary as JSON and nothing else.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
) -> None:
    """Write a network as ONNX: any number of sets and items, a mask, the header in its metadata.

    Needs an extra: pip install 'abclust\\[export]'. The graph gives raw kernels, not labels.
    """
    from abclust.cli.outputs import check_outputs
    from abclust.model.onnx_export import TOLERANCE, compare_with_onnx, export_onnx
    from abclust.zoo.loading import load

    network = load(model)
    check_outputs([onnx], force=force, source=Path(model))
    export_onnx(network, onnx)
    differences = compare_with_onnx(network, onnx) if check else []
    if as_json:
        sizes = {each.n_items: each.largest_difference for each in differences}
        facts = {"onnx": str(onnx), "n_bytes": onnx.stat().st_size, "largest_difference_by_n_items": sizes}
        typer.echo(json.dumps(facts, indent=1))
    else:
        typer.echo(f"wrote {onnx}, {onnx.stat().st_size:,} bytes")
        for each in differences:
            typer.echo(f"{each.n_items:>5} items: largest difference {each.largest_difference:.1e}")
    worst = max((each.largest_difference for each in differences), default=0.0)
    if worst > TOLERANCE:
        raise InvalidInputError(
            f"the graph must agree with the network to {TOLERANCE}. Got a difference of {worst:.1e}. Please "
            "report this with the output of: abclust models " + model
        )
