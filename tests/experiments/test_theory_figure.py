"""``abclust reproduce theory``: rows first, the picture from the rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.theory_figure import draw, layer_curves, run
from abclust.figures.theory_figures import BoundCurves, DriftCurves, LayerCurves, theory_figure
from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    assert run(ReproduceOptions(output=folder, quick=True)) == [folder / "theory.json", folder / "theory.png"]
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[dict[str, Any]]:
    return read_results(folder / "theory.json").rows


def test_the_file_says_where_its_rows_come_from(folder: Path) -> None:
    content = json.loads((folder / "theory.json").read_text())
    assert sorted(content) == ["command", "commit", "machine", "rows", "seed", "versions"]
    assert content["command"] == "abclust reproduce theory --quick"


def test_the_drawn_system_follows_the_proposition(rows: list[dict[str, Any]]) -> None:
    drifts = [row for row in rows if row.get("panel") == "drift"]
    assert len(drifts) == 4
    for row in drifts:
        for name in ("separation", "diameter_a", "diameter_b"):
            np.testing.assert_allclose(row[name], row[f"predicted_{name}"], rtol=1e-6)
        between = row["rates"]["between"]
        assert between == pytest.approx(1.4 if row["skip"] else 0.4)
        assert (row["separation"][-1] > row["separation"][0]) is row["skip"]


def test_every_measured_contraction_stays_below_the_bounds(rows: list[dict[str, Any]]) -> None:
    for row in (row for row in rows if row.get("panel") == "bounds"):
        for bound in ("paper", "compared", "dobrushin"):
            assert np.all(np.array(row["measured"]) <= np.array(row[bound]) + 1e-12)


def test_the_row_of_the_layers_says_whether_a_network_ships(rows: list[dict[str, Any]]) -> None:
    (row,) = (row for row in rows if row.get("panel") == "layers")
    if row["shipped"]:
        assert len(row["separation"]) == len(row["extent_without"])
        assert row["extent_without"][-1] < row["extent"][-1]
    else:
        assert "left out" in row["note"]


def test_render_draws_the_same_picture_and_computes_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "theory.json").write_bytes((folder / "theory.json").read_bytes())
    run(ReproduceOptions(output=tmp_path, render=True))
    assert (tmp_path / "theory.png").read_bytes() == (folder / "theory.png").read_bytes()
    assert (tmp_path / "theory.json").read_bytes() == (folder / "theory.json").read_bytes()


def test_render_without_rows_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"theory\.json"):
        run(ReproduceOptions(output=tmp_path, render=True))
    write_results(tmp_path / "theory.json", [{"panel": "drift"}], command="none", seed=0)
    with pytest.raises(FileFormatError, match="every panel"):
        run(ReproduceOptions(output=tmp_path, render=True))


def test_the_layers_of_a_network_are_measured_and_drawn(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2, n_blocks=3))
    curves = layer_curves(network, n_sets=2, seed=0)
    assert all(values.shape == (4,) for values in curves.values())
    assert curves["extent_without"][-1] < curves["extent"][-1]
    row = {"panel": "layers", "shipped": True, "network": "circles"}
    row |= {name: values.tolist() for name, values in curves.items()}
    others = [each for each in rows if each.get("panel") != "layers"]
    draw([*others, row], tmp_path / "theory.png")
    assert (tmp_path / "theory.png").read_bytes().startswith(PNG)


def test_the_panel_of_layers_is_there_only_with_a_network() -> None:
    steps = np.geomspace(1, 2, 3)
    orbit = np.random.default_rng(0).normal(size=(3, 5, 2))
    drift = DriftCurves(orbit, 2, *(steps,) * 6)
    bounds = BoundCurves(*(np.array([2.0, 4.0, 8.0]),) * 5)
    layers = LayerCurves("circles", *(steps,) * 4)
    assert len(theory_figure(drift, drift, bounds).axes) == 5
    with_layers = theory_figure(drift, drift, bounds, layers)
    assert len(with_layers.axes) == 6
    assert "circles" in with_layers.axes[-1].get_title(loc="left")
