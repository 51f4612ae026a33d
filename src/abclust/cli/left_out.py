"""The end of a command that may have left something out: each thing is named, and the exit code says so."""

from collections.abc import Mapping, Sequence

import typer

from abclust.cli.exit_codes import LEFT_OUT


def end_with(skipped: Sequence[Mapping[str, str]], failed: Sequence[Mapping[str, str]]) -> None:
    """Name what was left out on standard error and leave with exit code 3; if nothing was, do nothing.

    Parameters
    ----------
    skipped
        Files with their ``path`` and ``reason``.
    failed
        Sets with their name, ``set``, and ``error``.
    """
    for each in skipped:
        typer.echo(f"left out {each['path']}: {each['reason']}", err=True)
    for each in failed:
        typer.echo(f"failed {each['set']}: {each['error']}", err=True)
    if skipped or failed:
        raise typer.Exit(LEFT_OUT)
