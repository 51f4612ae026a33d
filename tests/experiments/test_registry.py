"""Names, and the modules behind them."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from abclust.experiments.registry import (
    EXPERIMENTS,
    ReproduceOptions,
    experiment_names,
    run_experiment,
)
from abclust.foundations.errors import InvalidInputError


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_can_run_and_says_command_cost_and_expected_number(name: str) -> None:
    module = import_module(EXPERIMENTS[name])
    assert callable(module.run)
    text = module.__doc__ or ""
    assert f"abclust reproduce {name}" in text
    assert "Cost" in text
    assert "Expected" in text


def test_names_can_be_file_names_and_theory_is_one_of_them() -> None:
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in experiment_names())
    assert "theory" in experiment_names()


def test_an_unknown_name_lists_the_names() -> None:
    with pytest.raises(InvalidInputError, match=r"'theory'.*Got 'figure-99'"):
        run_experiment("figure-99", ReproduceOptions())


def test_an_experiment_gets_the_options_and_gives_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one_line_experiment.py").write_text(
        "def run(options):\n    return [options.output / 'mine.json']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    options = ReproduceOptions(output=tmp_path)
    assert run_experiment("mine", options, {"mine": "one_line_experiment"}) == [tmp_path / "mine.json"]


def test_the_command_names_what_changes_the_numbers() -> None:
    assert ReproduceOptions().command("theory") == "abclust reproduce theory"
    options = ReproduceOptions(output=Path("elsewhere"), quick=True, train=True, seed=3)
    assert options.command("theory") == "abclust reproduce theory --quick --train --seed 3"


def test_contradicting_options_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="train and render"):
        ReproduceOptions(train=True, render=True)
    with pytest.raises(InvalidInputError, match="seed"):
        ReproduceOptions(seed=-1)
