"""The page on circles: its tables and pictures come from stored rows, between its marks alone."""

from pathlib import Path

import pytest

from abclust.evaluation.results_file import write_results
from abclust.experiments import figure_1, figure_2
from abclust.experiments.circles_page import size_table, write_page
from abclust.experiments.circles_table import Grid, floor_rows, grid_rows
from abclust.experiments.marked_page import BEGIN, END
from abclust.foundations.errors import DataNotFoundError
from abclust.model import ContextKernelConfig, ContextKernelNetwork

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(figure_1, "N_CANDIDATES", 3)
    monkeypatch.setattr(figure_1, "N_POINTS", 23)
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=1))
    networks = dict.fromkeys(figure_2.SYSTEMS, network)
    rows = {
        "figure-1": figure_1.panel_rows(networks, seed=0),
        "figure-2": figure_2.figure_rows(networks, (13, 19), n_sets=2, seed=0),
        "circles": [
            *floor_rows(network, 2, seed=0),
            *grid_rows(network, Grid((1, 3), (11,), (0.0,), 11, fewest_sets=2, most_sets=2), seed=0),
        ],
    }
    for name, each in rows.items():
        write_results(tmp_path / f"{name}.json", each, command=f"abclust reproduce {name}", seed=0)
    return tmp_path


def test_tables_stand_between_the_marks_and_pictures_beside_the_page(results: Path) -> None:
    page = results / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(f"above\n{BEGIN}\nyesterday\n{END}\nbelow\n", encoding="utf-8")
    files = write_page(results, page)

    text = page.read_text(encoding="utf-8")
    assert text.startswith("above\n")
    assert text.endswith("below\n")
    assert "yesterday" not in text
    assert "| system | by | k | 13 | 19 |" in text
    assert "| circles | 11 points |" in text
    assert [file.name for file in files] == ["page.md", "figure-1.png", "figure-2.png", "circles.png"]
    assert all(file.read_bytes().startswith(PNG) for file in files[1:])


def test_without_results_the_page_stays_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN} old {END}", encoding="utf-8")
    with pytest.raises(DataNotFoundError):
        write_page(tmp_path, page)
    assert page.read_text(encoding="utf-8") == f"{BEGIN} old {END}"


def test_a_system_has_a_line_for_each_of_its_methods() -> None:
    row = {"system": "ABC", "k": "unknown", "method": "spectral", "n": 17, "ari": 0.31}
    told = {"system": "told", "k": "known", "method": "spectral", "n": 17, "ari": -0.02}
    lines = size_table([row, {**row, "method": "log-odds", "ari": 0.53}, told]).splitlines()

    assert lines[2:] == [
        "| ABC | eigengap | unknown | .310 |",
        "| ABC | log-odds | unknown | .530 |",
        "| told | spectral | known | -.020 |",
    ]
