"""The paper's figures run from networks to rows to pictures, and pictures come from rows alone."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.circle_sets import circle_batch
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments import figure_1, figure_2
from abclust.experiments.circle_evaluation import batch_kernels
from abclust.experiments.circle_training import train_recipe
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import trainer_on_generated_sets
from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.model import ContextKernelConfig, ContextKernelNetwork

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def networks() -> dict[str, ContextKernelNetwork]:
    return {
        name: ContextKernelNetwork(
            ContextKernelConfig(
                n_features=2,
                width=6,
                heads=2,
                n_blocks=0 if "pairwise" in name else 1,
                compatibility="additive" if name.endswith("add") else "multiplicative",
            )
        )
        for name in figure_2.SYSTEMS
    }


def test_figure_2_has_a_row_for_each_size_system_and_method(
    networks: dict[str, ContextKernelNetwork],
) -> None:
    rows = figure_2.figure_rows(networks, (13, 19), n_sets=2, seed=0)

    assert len(rows) == 2 * (4 * 2 + 1)
    assert {row["n"] for row in rows} == {13, 19}
    known = [row for row in rows if row["k"] == "known"]
    assert [row["system"] for row in known] == [figure_2.SPECTRAL_SYSTEM] * 2
    assert {(row["network"], row["method"]) for row in rows if row["k"] == "unknown"} == {
        (name, method) for name in networks for method in ("spectral", "log-odds")
    }


def test_figure_2_is_drawn_from_what_is_stored(
    networks: dict[str, ContextKernelNetwork], tmp_path: Path
) -> None:
    rows = figure_2.figure_rows(networks, (13,), n_sets=2, seed=0)
    write_results(tmp_path / "figure-2.json", rows, command="abclust reproduce figure-2", seed=0)
    before = (tmp_path / "figure-2.json").read_bytes()
    files = figure_2.run(ReproduceOptions(output=tmp_path, render=True))

    assert files == [tmp_path / "figure-2.json", tmp_path / "figure-2.png"]
    assert files[0].read_bytes() == before
    assert files[1].read_bytes().startswith(PNG)


def test_the_baseline_is_told_the_number_of_circles_of_each_set() -> None:
    batch = circle_batch(5, 31, (1, 5), seed=3)
    found = figure_2.spectral_labels(batch, seed=0)

    assert [len(np.unique(labels)) for labels in found] == batch.n_circles.tolist()


def test_figure_1_has_a_row_for_each_panel_with_the_set_in_it(
    networks: dict[str, ContextKernelNetwork],
) -> None:
    rows = figure_1.panel_rows(networks, seed=0)

    assert [row["panel"] for row in rows] == ["A", "B", "C", "D"]
    assert [row["k"] for row in rows] == ["unknown"] * 3 + ["known"]
    for row in rows:
        assert row["points"].shape == (figure_1.N_POINTS, 2)
        assert len(row["labels"]) == len(row["true_labels"]) == figure_1.N_POINTS
        np.testing.assert_array_equal(row["points"], rows[0]["points"])


def test_figure_1_shows_the_set_whose_score_is_the_median(
    networks: dict[str, ContextKernelNetwork],
) -> None:
    network = networks["circles-paper-mul"]
    candidates = circle_batch(7, 31, 4, seed=5)
    scores = [
        adjusted_rand_score(
            labels, cluster_kernel(batch_kernels(network, points[None])[0], method="spectral")
        )
        for points, labels in zip(candidates.points, candidates.labels, strict=True)
    ]
    shown = figure_1.typical_set(candidates, [network])

    assert shown.points.shape == (1, 31, 2)
    position = np.flatnonzero((candidates.points == shown.points).all(axis=(1, 2)))
    assert scores[int(position.item())] == pytest.approx(np.median(scores))


def test_figure_1_runs_from_training_to_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = trainer_on_generated_sets(train_recipe, quick_steps=1, quick_sets=2)
    monkeypatch.setattr("abclust.experiments.circle_networks._train", train)
    stored, picture = figure_1.run(ReproduceOptions(output=tmp_path, quick=True, train=True))

    results = read_results(stored)
    assert results.command == "abclust reproduce figure-1 --quick --train"
    assert picture.read_bytes().startswith(PNG)
    drawn = picture.read_bytes()
    figure_1.run(ReproduceOptions(output=tmp_path, render=True))
    assert picture.read_bytes() == drawn


@pytest.mark.parametrize("experiment", [figure_1, figure_2])
def test_rendering_needs_rows_of_this_figure(experiment: object, tmp_path: Path) -> None:
    options = ReproduceOptions(output=tmp_path, render=True)
    with pytest.raises(DataNotFoundError):
        experiment.run(options)
    write_results(tmp_path / f"{experiment.NAME}.json", [{"nmi": 0.5}], command="other", seed=0)
    with pytest.raises(FileFormatError, match=experiment.NAME):
        experiment.run(options)
