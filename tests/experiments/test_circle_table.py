"""The table of the general network: every cell beside the oracle's, floors told honestly."""

from pathlib import Path

import numpy as np
import pytest

from abclust.evaluation.results_file import write_results
from abclust.experiments import circles_table
from abclust.experiments.circles_markdown import circles_markdown
from abclust.experiments.circles_table import FLOORS, FULL, QUICK, Grid, floor_rows, grid_rows, other_seeds
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file
from abclust.foundations.errors import FileFormatError
from abclust.model import ContextKernelConfig, ContextKernelNetwork

TINY = Grid((1, 3), (11, 23), (0.0, 0.02), points_per_cell=23, fewest_sets=2, most_sets=3, floor_sets=2)


@pytest.fixture(scope="module")
def network() -> ContextKernelNetwork:
    calibration = {"likelihood": [{"n_items": 20, "temperature": 2.0, "shift": -1.0}]}
    config = ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=1)
    return ContextKernelNetwork(config, {"calibration": calibration})


@pytest.fixture(scope="module")
def rows(network: ContextKernelNetwork) -> list[dict[str, object]]:
    return [*floor_rows(network, 2, seed=0), *grid_rows(network, TINY, seed=0)]


def test_every_cell_has_a_row_of_the_network_and_one_of_the_oracle(rows: list[dict[str, object]]) -> None:
    cells = [(row["system"], row["n_circles"], row["n"], row["noise"]) for row in rows if "floor" not in row]
    assert len(cells) == len(set(cells)) == 2 * 2 * 2 * 2


def test_the_oracle_is_right_without_noise_and_always_with_one_circle(rows: list[dict[str, object]]) -> None:
    oracle = [row for row in rows if row["system"] == "oracle"]
    assert [row["ari"] for row in oracle if row["noise"] == 0 or row["n_circles"] == 1] == [1.0] * 6


def test_floors_are_asked_of_the_default_alone(rows: list[dict[str, object]]) -> None:
    floors = {row["n"]: row["floor"] for row in rows if row.get("floor") is not None}
    assert floors == FLOORS
    assert {row["method"] for row in rows if row.get("floor") is not None} == {"expected-rand"}


def test_floors_are_shown_raw_and_calibrated_and_cells_calibrated(rows: list[dict[str, object]]) -> None:
    floors = [row["calibrated"] for row in rows if "floor" in row]
    assert floors == [False, False, False, True, True, True] * len(FLOORS)
    assert all(row["calibrated"] for row in rows if "floor" not in row and row["system"] == "circles")


def test_a_network_without_calibration_has_raw_floors_alone() -> None:
    bare = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=0))
    assert [row["calibrated"] for row in floor_rows(bare, 1, seed=0)] == [False] * 3 * len(FLOORS)


def test_files_are_rendered_from_what_is_stored(rows: list[dict[str, object]], tmp_path: Path) -> None:
    write_results(tmp_path / "circles.json", rows, command="abclust reproduce circles", seed=0)
    stored, table, picture = circles_table.run(ReproduceOptions(output=tmp_path, render=True))

    assert picture.read_bytes().startswith(b"\x89PNG")
    text = table.read_text()
    assert text.count("\n## ") + text.startswith("## ") == 3  # floors, and a table for each noise
    assert "| circles | 11 points | 23 points |" in text
    assert stored.name == "circles.json"


def test_a_missing_cell_is_an_error(rows: list[dict[str, object]], tmp_path: Path) -> None:
    write_results(tmp_path / "circles.json", rows[:-1], command="abclust reproduce circles", seed=0)
    with pytest.raises(FileFormatError, match="a row for every cell"):
        circles_table.run(ReproduceOptions(output=tmp_path, render=True))


def test_networks_of_other_seeds_in_the_output_folder_are_found(tmp_path: Path) -> None:
    options = ReproduceOptions(output=tmp_path)
    other = network_file("circles", ReproduceOptions(output=tmp_path, seed=2))
    config = ContextKernelConfig(n_features=2, width=6, heads=2)
    ContextKernelNetwork(config, {"seed": 2, "steps": 6_000}).save(other)

    assert list(other_seeds(options)) == ["circles, seed 2, 6,000 steps"]
    assert other_seeds(ReproduceOptions(output=tmp_path, seed=2)) == {}


def test_the_table_says_whether_a_floor_holds() -> None:
    one = np.ones((1, 1, 1))
    row = {"system": "circles", "method": "log-odds", "n": 20, "n_sets": 2, "ari": 0.71, "calibrated": False}
    row |= {"ari_interval": [0.6, 0.8], "floor": 0.7}
    text = circles_markdown([row, {**row, "ari": 0.69}], one, one, [0.0], [4], [20])
    assert [line.split("|")[9].strip() for line in text.splitlines()[4:6]] == ["yes", "no"]


@pytest.mark.parametrize("grid", [FULL, QUICK])
def test_cells_of_large_sets_hold_fewer_sets(grid: Grid) -> None:
    counts = [grid.n_sets(size) for size in grid.n_points]
    assert counts == sorted(counts, reverse=True)
    assert grid.fewest_sets <= counts[-1]
    assert counts[0] == grid.most_sets
