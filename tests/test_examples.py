"""Every example runs, is short, and says what it should."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from abclust.zoo.catalogue import shipped_names

EXAMPLES = Path(__file__).parents[1] / "examples"
LONGEST = 60
needs_omniglot = pytest.mark.skipif(
    "omniglot" not in shipped_names(),
    reason="the weights `omniglot` are not shipped: train them and put them into the zoo "
    "(python -m abclust.zoo.shipping omniglot FILE)",
)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run an example in an empty folder and give what it prints."""

    def run_example(name):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run_example


def number(pattern, text):
    (found,) = re.findall(pattern, text)
    return float(found)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_short_and_says_how_to_run_it(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGEST
    assert f"Run: python examples/{path.name}" in text


def test_every_example_is_run_by_a_test_of_this_page():
    here = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if f'run("{path.name}")' not in here] == []


def test_a_table_becomes_a_file_of_clusters_and_a_picture(run, tmp_path):
    told = run("cluster_table.py")
    assert number(r"against the species: ([\d.]+)", told) > 0.4
    header, *rows = (tmp_path / "clusters.csv").read_text().splitlines()
    assert header == "sepal length,sepal width,petal length,petal width,cluster,confidence"
    assert len(rows) == 150
    assert (tmp_path / "clusters.png").stat().st_size > 10_000


def test_new_items_join_or_open_clusters_and_old_ids_stay(run):
    told = run("new_items.py")
    assert number(r"known circles: (\d+)%", told) > 80
    assert number(r"the new circle: (\d+)%", told) > 80
    assert "Monday's ids are unchanged: True" in told


def test_constraints_help(run):
    told = run("constraints.py")
    alone, helped = (float(score) for score in re.findall(r"score ([\d.]+)", told))
    assert helped > alone + 0.05


@needs_omniglot
def test_digits_are_clustered_by_weights_that_never_saw_one(run, tmp_path):
    told = run("cluster_images.py")
    assert number(r"mean of 5 sets: ([\d.]+)", told) > 0.4
    assert (tmp_path / "digits.png").stat().st_size > 10_000
