"""`abclust evaluate`: scores with intervals, trivial partitions beside them, no group that was trained on."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, draw

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.set_reading import read_sets
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.results_file import read_results
from abclust.evaluation.scores import mean_scores, score_partition
from abclust.foundations.errors import InvalidInputError
from abclust.zoo.loading import load

COLUMNS = ("--set-column", "set", "--label-column", "circle", "--model", "circles")
TRIVIAL = ["all singletons", "one cluster", "random, true k"]


def test_scores_are_those_of_the_clusterer_and_stand_beside_trivial_partitions(
    run: Run, points: Path, tmp_path: Path
) -> None:
    done = run("evaluate", points, *COLUMNS, "--known-k", "--output", "results.json")
    assert done.exit_code == 0, done.output
    results = read_results(tmp_path / "results.json")
    assert [row["system"] for row in results.rows] == ["circles, expected-rand"] * 2 + TRIVIAL
    assert [row["k"] for row in results.rows[:2]] == ["unknown", "known"]
    sets = list(read_sets(points, set_column="set", label_column="circle"))
    for row, known in zip(results.rows, (False, True)):
        scores = [
            score_partition(
                each.labels,
                SetClusterer(load("circles"), n_clusters=each.n_clusters if known else None)
                .cluster(each.items)
                .labels,
            )
            for each in sets
            if isinstance(each, LabelledSet)
        ]
        assert row["nmi"] == pytest.approx(mean_scores(scores).nmi)
        low, high = row["interval"]
        assert low < row["nmi"] < high
        assert row["n_sets"] == 3
        assert row["calibrated"] is True
        assert row["seconds_per_set"] > 0
    assert results.command == (
        f"abclust evaluate {points} --model circles --set-column set --label-column circle "
        "--output results.json --known-k"
    )
    assert "| system | k | sets | NMI | 95 % interval |" in done.stdout
    assert "wrote results.json" in done.stdout


def test_results_as_json_are_all_that_is_printed(run: Run, points: Path) -> None:
    told = json.loads(run("evaluate", points, *COLUMNS, "--json", "--per-set").stdout)
    assert {"command", "seed", "commit", "versions", "machine", "rows", "failed", "skipped"} == set(told)
    wanted = {
        "system",
        "protocol",
        "k",
        "n_sets",
        "nmi",
        "nmi_geometric",
        "ami",
        "ari",
        "accuracy",
        "k_error",
    }
    assert wanted | {"seconds_per_set", "interval"} <= set(told["rows"][0])
    assert len(told["rows"][0]["per_set"]["nmi"]) == 3


def test_results_are_not_replaced_without_force(run: Run, points: Path, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("precious")
    done = run("evaluate", points, *COLUMNS, "--output", "results.json")
    assert "--force" in str(done.exception)
    assert (tmp_path / "results.json").read_text() == "precious"


def test_groups_that_the_model_was_trained_on_are_refused(
    run: Run, image_network: Path, tmp_path: Path
) -> None:
    for script in ("greek", "latin"):
        for letter in ("a", "b"):
            for number in range(2):
                draw(tmp_path / "scripts" / script / letter / f"{number}.png", number)
    done = run("evaluate", "scripts", "--model", image_network)
    assert "Got 'greek', which it was" in str(done.exception)
    (tmp_path / "scripts" / "greek").rename(tmp_path / "scripts" / "runes")
    assert run("evaluate", "scripts", "--model", image_network).exit_code == 0


def test_sets_without_labels_are_refused(run: Run, one_set: Path) -> None:
    done = run("evaluate", one_set, "--model", "circles")
    assert isinstance(done.exception, InvalidInputError)
    assert "--label-column" in str(done.exception)


def test_a_bad_set_is_reported_and_the_rest_are_scored(run: Run, image_network: Path, tmp_path: Path) -> None:
    for script, letter in (("latin", "a"), ("latin", "b"), ("runes", "a"), ("runes", "b")):
        for number in range(2):
            draw(tmp_path / "scripts" / script / letter / f"{number}.png", number)
    for path in (tmp_path / "scripts" / "runes").glob("*/*.png"):
        path.write_bytes(b"not an image")
    done = run("evaluate", "scripts", "--model", image_network, "--json")
    assert done.exit_code == 3
    told = json.loads(done.stdout)
    assert told["rows"][0]["n_sets"] == 1
    assert len(told["skipped"]) == 4


def test_if_no_set_can_be_scored_it_is_an_error(run: Run, points: Path) -> None:
    done = run(
        "evaluate", points, "--set-column", "set", "--label-column", "circle", "--ignore-column", "x",
        "--model", "circles",
    )  # fmt: skip
    assert isinstance(done.exception, InvalidInputError)
    assert "no set could be scored" in str(done.exception)
