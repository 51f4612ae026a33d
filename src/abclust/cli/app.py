"""The `abclust` command: registers the commands and turns user errors into one line and exit code 2."""

import sys
from typing import Annotated

import typer

from abclust.cli.demo_command import demo
from abclust.cli.reproduce_command import reproduce
from abclust.cli.train_command import train
from abclust.foundations.errors import AbclustError
from abclust.version import __version__

app = typer.Typer(
    name="abclust",
    help="Attention-Based Clustering: learn a kernel from labelled sets, cluster new sets of unseen classes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command()(train)
app.command()(reproduce)


def _print_version(wanted: bool) -> bool:
    if wanted:
        typer.echo(f"abclust {__version__}")
        raise typer.Exit
    return wanted


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Attention-Based Clustering: learn a kernel from labelled sets, cluster new sets of unseen classes."""


def main() -> None:
    """Run the command. Exit codes: 0 done, 2 what the user can mend, 130 interrupted, 143 terminated."""
    try:
        app()
    except AbclustError as error:
        typer.echo(f"abclust: error: {error}", err=True)
        sys.exit(2)
