"""The `abclust` command: registers the commands and turns user errors into one line and exit code 2."""

import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from abclust.cli import cluster_command, evaluate_command, export_command, models_command, serve_command
from abclust.cli.command_text import RememberedCommand
from abclust.cli.demo_command import demo
from abclust.cli.exit_codes import MENDABLE, TERMINATED
from abclust.cli.reproduce_command import reproduce
from abclust.cli.train_command import train
from abclust.foundations.errors import AbclustError
from abclust.version import __version__

EPILOG = """Examples:

abclust demo

abclust cluster points.csv --model circles --report report.html

abclust train sets.csv --set-column set --label-column label --output mine.safetensors

abclust evaluate new.csv --set-column set --label-column label --model mine.safetensors

Exit codes: 0 done; 2 something to mend, as the last line says; 3 done, but some sets or images left out.

Results go to standard output, all else to standard error."""

app = typer.Typer(
    name="abclust",
    help="Attention-Based Clustering: learn a kernel from labelled sets, cluster new sets of unseen classes.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command(cls=RememberedCommand, epilog=cluster_command.EPILOG)(cluster_command.cluster)
app.command()(train)
app.command(cls=RememberedCommand, epilog=evaluate_command.EPILOG)(evaluate_command.evaluate)
app.command(epilog=models_command.EPILOG)(models_command.models)
app.command(epilog=export_command.EPILOG)(export_command.export)
app.command(epilog=serve_command.EPILOG)(serve_command.serve)
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


def _leave(number: int, frame: FrameType | None) -> None:
    """Unwind as an exception would, so that no half-written file stays behind."""
    sys.exit(TERMINATED)


def main() -> None:
    """Run the command. Exit codes: see :mod:`abclust.cli.exit_codes`."""
    signal.signal(signal.SIGTERM, _leave)
    try:
        app()
    except AbclustError as error:
        typer.echo(f"abclust: error: {error}", err=True)
        sys.exit(MENDABLE)
