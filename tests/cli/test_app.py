"""The command itself: its help, its version, its exit codes; in a real process."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from abclust.cli.app import app
from abclust.version import __version__


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from abclust.cli.app import main; main()", *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.strip() == f"abclust {__version__}"


@pytest.mark.parametrize("command", ["demo", "train", "reproduce"])
def test_every_command_has_a_help_with_a_first_sentence(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output
    assert result.output.count(".") > 0


def test_what_the_user_can_mend_is_one_line_and_exit_code_2() -> None:
    finished = run("reproduce", "figure-99")
    assert finished.returncode == 2
    assert finished.stderr.startswith("abclust: error: ")
    assert "figure-99" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_an_unknown_option_is_exit_code_2() -> None:
    assert run("demo", "--no-such-option").returncode == 2
