"""``abclust reproduce`` at the command line."""

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from abclust.cli.reproduce_command import reproduce
from abclust.experiments.registry import experiment_names
from abclust.foundations.errors import InvalidInputError

app = typer.Typer()
app.command()(reproduce)
runner = CliRunner()


def test_list_prints_the_names_one_a_line() -> None:
    result = runner.invoke(app, ["--list"])
    assert result.exit_code == 0
    assert result.stdout.split("\n")[:-1] == experiment_names()


def test_it_writes_json_and_picture_and_prints_their_paths(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = runner.invoke(app, ["theory", "--quick", "--train", "--output", str(tmp_path / "mine")])
    assert result.exit_code == 0, result.output
    written = [tmp_path / "mine" / name for name in ("theory.json", "theory.png")]
    assert result.stdout.split() == [str(path) for path in written]
    assert all(path.stat().st_size > 0 for path in written)
    assert "nothing to train" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure-99"], "'theory'.*Got 'figure-99'"),
        ([], "name must be given.*theory"),
        (["theory", "--train", "--render"], "train and render"),
    ],
)
def test_what_a_user_can_mend_is_said_clearly(arguments: list[str], message: str) -> None:
    result = runner.invoke(app, arguments)
    assert isinstance(result.exception, InvalidInputError)
    assert re.search(message, str(result.exception))


def test_help_names_every_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    result = runner.invoke(app, ["--help"])
    for option in ("--quick", "--train", "--render", "--output", "--seed", "--data", "--list"):
        assert option in result.output
