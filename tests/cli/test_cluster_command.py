"""`abclust cluster` as a user meets it: what goes in, what comes out, what is never lost."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run, draw, rows_of

from abclust.cli.cluster_command import number_or_range
from abclust.datasets.set_reading import read_sets
from abclust.datasets.vector_preparation import VectorPreparation
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import DataNotFoundError, InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.zoo.loading import load

CIRCLES = ("--model", "circles")
QUIET = (*CIRCLES, "--no-report")


def labels_of(path: Path) -> list[int]:
    return [int(row["cluster"]) for row in rows_of(path)]


def test_a_table_of_sets_becomes_labels_and_a_report(run: Run, points: Path, tmp_path: Path) -> None:
    done = run("cluster", points, *CIRCLES, "--set-column", "set", "--label-column", "circle")
    assert done.exit_code == 0, done.output
    rows = rows_of(tmp_path / "labels.csv")
    assert list(rows[0]) == ["set", "item", "cluster", "confidence"]
    clusterer = SetClusterer(load("circles"), random_state=0)
    sets = read_sets(points, set_column="set", label_column="circle")
    expected = [
        (each.name, item, str(label))
        for each in sets
        for item, label in zip(each.item_names, clusterer.cluster(each.items).labels)
    ]
    assert [(row["set"], row["item"], row["cluster"]) for row in rows] == expected
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows)
    assert "s0: 23 items in" in done.stdout
    assert "ARI" in done.stdout
    assert "wrote labels.csv, report.html" in done.stdout
    page = (tmp_path / "report.html").read_text()
    assert "abclust cluster" in page
    assert "--set-column set --label-column circle" in page


def test_one_set_has_no_column_of_sets_and_items_are_rows(run: Run, one_set: Path, tmp_path: Path) -> None:
    assert run("cluster", one_set, *QUIET).exit_code == 0
    rows = rows_of(tmp_path / "labels.csv")
    assert list(rows[0]) == ["item", "cluster", "confidence"]
    assert [row["item"] for row in rows] == [str(number) for number in range(19)]
    assert not (tmp_path / "report.html").exists()


def test_every_kind_of_file_gives_the_same_labels(run: Run, points: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    frame = pandas.read_csv(points)
    frame.to_parquet(tmp_path / "points.parquet")
    np.savez(tmp_path / "points.npz", X=frame[["x", "y"]].to_numpy(), sets=frame["set"].to_numpy(str))
    numbered = frame.assign(set=frame["set"].str[1:].astype(float))[["set", "x", "y"]]
    np.save(tmp_path / "points.npy", numbered.to_numpy())
    columns = ("--set-column", "set", "--ignore-column", "circle")
    for name, options in {
        "csv": columns,
        "parquet": columns,
        "npz": (),
        "npy": ("--set-column", "0"),
    }.items():
        done = run("cluster", f"points.{name}", *QUIET, *options, "--output", f"{name}.csv")
        assert done.exit_code == 0, done.output
        assert labels_of(tmp_path / f"{name}.csv") == labels_of(tmp_path / "csv.csv"), name
        assert len({row["set"] for row in rows_of(tmp_path / f"{name}.csv")}) == 3, name


def test_labels_may_be_parquet(run: Run, points: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    options = ("--set-column", "set", "--ignore-column", "circle", *QUIET)
    run("cluster", points, *options)
    assert run("cluster", points, *options, "--output", "labels.parquet").exit_code == 0
    frame = pandas.read_parquet(tmp_path / "labels.parquet")
    assert frame["cluster"].tolist() == labels_of(tmp_path / "labels.csv")
    assert frame.columns.tolist() == ["set", "item", "cluster", "confidence"]


def test_standard_input_goes_to_standard_output(run: Run, one_set: Path, tmp_path: Path) -> None:
    run("cluster", one_set, *QUIET)
    done = run("cluster", "-", *CIRCLES, given=one_set.read_text())
    assert done.exit_code == 0
    assert done.stdout == (tmp_path / "labels.csv").read_text()
    assert "stdin: 19 items in" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cloud.csv", "labels.csv"]


def test_a_summary_as_json_is_all_that_is_printed(run: Run, points: Path) -> None:
    options = ("--set-column", "set", "--label-column", "circle", "--report-sets", 1, "--json")
    done = run("cluster", points, *CIRCLES, *options)
    told = json.loads(done.stdout)
    assert (told["n_sets"], told["n_items"], told["failed"], told["skipped"]) == (3, 69, [], [])
    assert told["output"] == "labels.csv"
    first, second, _ = told["sets"]
    low, high = first["n_clusters_interval"]
    assert low <= first["n_clusters"] <= high
    assert second["n_clusters_interval"] is None  # beyond the sets in detail
    assert 0 < first["scores"]["nmi"] <= 1


def test_the_number_of_clusters_may_be_given(run: Run, one_set: Path, tmp_path: Path) -> None:
    run("cluster", one_set, *QUIET, "-k", 5)
    assert max(labels_of(tmp_path / "labels.csv")) == 4
    run("cluster", one_set, *QUIET, "-k", "6-7", "--method", "agglomerative", "--force")
    assert max(labels_of(tmp_path / "labels.csv")) in (5, 6)
    with pytest.raises(InvalidInputError, match="range such as 3-8"):
        number_or_range("many")
    assert isinstance(run("cluster", one_set, *QUIET, "-k", "7-3").exception, InvalidInputError)


def test_nothing_is_replaced_without_force_and_nothing_is_done_before(
    run: Run, one_set: Path, tmp_path: Path
) -> None:
    (tmp_path / "labels.csv").write_text("precious")
    refused = run("cluster", one_set, *QUIET)
    assert "--force" in str(refused.exception)
    assert (tmp_path / "labels.csv").read_text() == "precious"
    (tmp_path / "report.html").write_text("precious")
    refused = run("cluster", one_set, *CIRCLES, "--output", "new.csv")
    assert "report.html" in str(refused.exception)
    assert not (tmp_path / "new.csv").exists()
    assert run("cluster", one_set, *CIRCLES, "--force").exit_code == 0
    assert "precious" not in (tmp_path / "labels.csv").read_text() + (tmp_path / "report.html").read_text()


def test_the_input_is_never_replaced_not_even_by_force(run: Run, one_set: Path) -> None:
    before = one_set.read_text()
    refused = run("cluster", one_set, *QUIET, "--output", one_set, "--force")
    assert "must not replace the input" in str(refused.exception)
    assert one_set.read_text() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "squares"), "shipped name"),
        (("--method", "magic"), "method must be one of"),
        (("--engine", "cloud"), "engine must be one of 'local'"),
        (("--device", "telephone"), "device must be"),
        (("--output", "labels.txt"), r"\.csv or \.parquet"),
        (("--output", "same.csv", "--report", "same.csv"), "different files"),
        (("--set-column", "lot"), "set_column must be one of"),
        (("--tree", "sorted"), "folder of images"),
        (("--output", "-", "--json"), "standard output"),
        (("--must-link", "none.csv"), "must exist"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    options: tuple[str, ...], message: str, run: Run, one_set: Path, tmp_path: Path
) -> None:
    done = run("cluster", one_set, *CIRCLES, *options)
    assert isinstance(done.exception, InvalidInputError), done.output
    with pytest.raises(InvalidInputError, match=message):
        raise done.exception
    assert [path.name for path in tmp_path.iterdir()] == ["cloud.csv"]


def test_a_missing_input_is_an_error(run: Run) -> None:
    assert isinstance(run("cluster", "nowhere.csv", *CIRCLES).exception, DataNotFoundError)


def test_pairs_that_belong_together_or_do_not_are_kept(run: Run, points: Path, tmp_path: Path) -> None:
    (tmp_path / "must.csv").write_text("set,first,second\ns0,0,1\ns0,1,2\n")
    (tmp_path / "cannot.csv").write_text("set,first,second\ns1,23,24\n")
    options = ("--set-column", "set", "--ignore-column", "circle", *QUIET)
    done = run("cluster", points, *options, "--must-link", "must.csv", "--cannot-link", "cannot.csv")
    assert done.exit_code == 0, done.output
    labels = labels_of(tmp_path / "labels.csv")
    assert labels[0] == labels[1] == labels[2]
    assert labels[23] != labels[24]


def test_a_bad_set_is_reported_and_the_rest_are_finished(run: Run, points: Path, tmp_path: Path) -> None:
    options = ("--set-column", "set", "--ignore-column", "circle", *CIRCLES)
    run("cluster", points, *options, "--no-report", "--output", "whole.csv")
    (tmp_path / "must.csv").write_text("set,first,second\ns1,23,24\ns7,1,2\n")
    (tmp_path / "cannot.csv").write_text("set,first,second\ns1,24,23\ns2,0,1\n")
    done = run("cluster", points, *options, "--must-link", "must.csv", "--cannot-link", "cannot.csv")
    assert done.exit_code == 3
    assert "failed s1: cannot_link must not contradict must_link" in done.stderr
    assert "failed s2: items of 'cannot.csv' must be those of the set 's2'" in done.stderr
    assert "failed s7: links must be for sets of the input" in done.stderr
    whole = [row for row in rows_of(tmp_path / "whole.csv") if row["set"] == "s0"]
    assert rows_of(tmp_path / "labels.csv") == whole
    assert "contradict" in (tmp_path / "report.html").read_text()


def test_a_set_with_a_wrong_cell_is_reported_and_the_rest_are_finished(
    run: Run, points: Path, tmp_path: Path
) -> None:
    options = ("--set-column", "set", "--ignore-column", "circle", *QUIET)
    run("cluster", points, *options, "--output", "whole.csv")
    lines = points.read_text().splitlines()
    lines[30] = "s1,oops,0.1,0"
    (tmp_path / "points.csv").write_text("\n".join(lines))
    done = run("cluster", points, *options)
    assert done.exit_code == 3
    assert "left out set 's1': features must be finite numbers. Got 'oops' in line 31" in done.stderr
    whole = [row for row in rows_of(tmp_path / "whole.csv") if row["set"] != "s1"]
    assert rows_of(tmp_path / "labels.csv") == whole


def test_missing_values_are_for_models_that_fill_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text("x,y\n0.1,0.2\n,0.3\n0.5,0.1\n")
    refused = run("cluster", "gaps.csv", *QUIET)
    assert "Got '' in line 3" in str(refused.exception)
    preparation = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
    config = ContextKernelConfig(n_features=preparation.width, width=6, heads=2, n_blocks=1)
    ContextKernelNetwork(config, {"preparation": to_dict(preparation)}).save(tmp_path / "tables.safetensors")
    done = run("cluster", "gaps.csv", "--model", "tables.safetensors", "--no-report")
    assert done.exit_code == 0, (done.output, done.exception)
    assert len(rows_of(tmp_path / "labels.csv")) == 3


def test_if_every_set_is_bad_nothing_is_written(run: Run, one_set: Path, tmp_path: Path) -> None:
    done = run("cluster", one_set, *CIRCLES, "-k", 23)
    assert isinstance(done.exception, InvalidInputError)
    assert "no set could be clustered" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["cloud.csv"]


def test_names_in_a_report_are_text_and_never_markup(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("set,x,y\n<script>alert(1)</script>,0.1,0.2\n../../b,0.3,0.4\n")
    assert run("cluster", "odd.csv", *CIRCLES, "--set-column", "set").exit_code == 0
    assert "<script>alert(1)" not in (tmp_path / "report.html").read_text()
    assert {row["set"] for row in rows_of(tmp_path / "labels.csv")} == {
        "<script>alert(1)</script>",
        "../../b",
    }


def test_archives_reach_nothing_outside_and_run_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    np.savez(tmp_path / "inner" / "sly.npz", **{"../../sly": np.random.default_rng(3).random((5, 2))})
    done = run("cluster", tmp_path / "inner" / "sly.npz", *QUIET)
    assert done.exit_code == 0, done.exception
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inner", "labels.csv", "sly.npz"]
    np.save(tmp_path / "pickled.npy", np.array([{"a": 1}]), allow_pickle=True)
    refused = run("cluster", "pickled.npy", *QUIET, "--force")
    assert isinstance(refused.exception, InvalidInputError)


def test_a_set_in_detail_costs_only_the_first_sets(run: Run, points: Path, tmp_path: Path) -> None:
    options = ("--set-column", "set", "--ignore-column", "circle", *CIRCLES, "--report-sets", 1)
    assert run("cluster", points, *options).exit_code == 0
    short = (tmp_path / "report.html").stat().st_size
    assert run("cluster", points, *options[:-1], 3, "--force").exit_code == 0
    assert (tmp_path / "report.html").stat().st_size > short


def test_without_a_model_the_kind_of_items_chooses(run: Run, one_set: Path, images: Path) -> None:
    from abclust.zoo.catalogue import shipped_names

    for source, name in ((one_set, "vectors"), (images, "omniglot")):
        done = run("cluster", source, "--no-report", "--force")
        assert (done.exit_code == 0) == (name in shipped_names()), name
        assert done.exit_code == 0 or name in str(done.exception)


def test_images_need_a_model_for_images(run: Run, images: Path) -> None:
    done = run("cluster", images, *QUIET)
    assert "model must be one for images" in str(done.exception)
    draw(images / "one more.png", 13)
