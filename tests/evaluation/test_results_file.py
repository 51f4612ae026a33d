"""Results files: what they hold, that they come back whole, and the tables rendered from them."""

import json
import platform
import subprocess

import numpy as np
import pytest

from abclust.evaluation import markdown_table, read_results, write_results
from abclust.evaluation.provenance import current_commit, machine_description, package_versions
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError

ROW = {
    "system": "ABC",
    "protocol": "omniglot",
    "k": "unknown",
    "n_sets": 1000,
    "nmi": 0.87391,
    "interval": [0.86, 0.89],
}


def test_results_come_back_as_they_were_written(tmp_path):
    path = tmp_path / "results" / "table-2.json"
    written = write_results(path, [ROW], command="abclust reproduce table-2", seed=3)
    assert read_results(path) == written
    content = json.loads(path.read_text())
    assert set(content) == {"command", "seed", "commit", "versions", "machine", "rows"}
    assert (content["command"], content["seed"], content["rows"]) == ("abclust reproduce table-2", 3, [ROW])


def test_numbers_of_numpy_become_plain_ones(tmp_path):
    path = tmp_path / "scaling.json"
    write_results(
        path, [{"n": np.int64(5), "seconds": np.float32(0.5), "sizes": np.arange(3)}], command="", seed=0
    )
    assert read_results(path).rows == [{"n": 5, "seconds": 0.5, "sizes": [0, 1, 2]}]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_what_json_cannot_hold_is_refused_and_leaves_the_old_file(tmp_path, value):
    path = tmp_path / "table-2.json"
    write_results(path, [ROW], command="", seed=0)
    with pytest.raises(InvalidInputError, match="rows must hold finite, plain values"):
        write_results(path, [{"nmi": value}], command="", seed=0)
    assert read_results(path).rows == [ROW]


def test_files_that_are_not_ours_are_refused(tmp_path):
    with pytest.raises(DataNotFoundError, match="must exist"):
        read_results(tmp_path / "missing.json")
    for text in ("{", "[]", '{"rows": []}'):
        (tmp_path / "foreign.json").write_text(text)
        with pytest.raises(FileFormatError, match="results file must hold"):
            read_results(tmp_path / "foreign.json")


def test_versions_are_those_installed():
    versions = package_versions()
    assert versions["numpy"] == np.__version__
    assert versions["python"] == platform.python_version()
    assert set(versions) == {"abclust", "numpy", "python", "scikit-learn", "scipy", "torch"}


def test_machine_is_described_without_its_name():
    machine = machine_description()
    assert machine["cores"] >= 1
    assert machine["cpu"]
    assert platform.node() not in [str(value) for value in machine.values()]


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_commit_is_unknown_outside_a_repository_and_in_one_that_does_not_track_us(tmp_path):
    assert current_commit(tmp_path) == "unknown"
    git(tmp_path, "init", "-q")
    (tmp_path / "installed.py").write_text("")
    assert current_commit(tmp_path) == "unknown"


def test_commit_says_when_files_differ_from_it(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("first")
    git(tmp_path, "add", "code.py")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert current_commit(tmp_path) == commit
    (tmp_path / "code.py").write_text("second")
    assert current_commit(tmp_path) == f"{commit}-dirty"


def test_table_shows_the_columns_that_have_values_in_their_order():
    assert markdown_table(
        [ROW, {"system": "a|b", "nmi": 1.0, "k_error": 12.345, "calibrated": True}]
    ) == "\n".join(
        [
            "| system | protocol | k | calibrated | sets | NMI | 95 % interval | k error |",
            "|---|---|---|---|---:|---:|---:|---:|",
            "| ABC | omniglot | unknown | - | 1,000 | .874 | .860 to .890 | - |",
            "| a\\|b | - | - | yes | - | 1.000 | - | 12.35 |",
        ]
    )


def test_table_shows_the_columns_asked_for():
    rows = [
        {"system": "ABC", "peak_bytes": 1_000_000, "seconds": 0.00123, "ari": -0.0004, "calibrated": False}
    ]
    table = markdown_table(rows, ["ari", "peak_bytes", "seconds", "calibrated"])
    assert table.splitlines()[0] == "| ARI | peak bytes | seconds | calibrated |"
    assert table.splitlines()[2] == "| .000 | 1,000,000 | 0.0012 | no |"


def test_a_negative_score_keeps_its_sign():
    assert "| -.051 |" in markdown_table([{"ari": -0.051}])


def test_a_table_without_rows_is_refused():
    with pytest.raises(InvalidInputError, match="at least one row"):
        markdown_table([])
