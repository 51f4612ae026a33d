"""Table 1 and Figure 3 come from the code, Figure 4 from snapshots, Figure 5 from one character."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tests.experiments.test_omniglot_split import archive, needs_omniglot
from tests.experiments.tiny_alphabets import TINY_NETWORK, tiny_alphabets, tiny_recipe

from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments import figure_3, figure_4, figure_5, table_1
from abclust.experiments.omniglot_protocol import APPROACHES, PAPER_APPROACH
from abclust.experiments.omniglot_snapshots import SnapshotReporter
from abclust.experiments.registry import ReproduceOptions
from abclust.figures.omniglot_figures import OneCharacterPanel, draw_one_character
from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.model import ContextKernelNetwork
from abclust.model.config import PAPER_OMNIGLOT
from abclust.training.run import fresh_state

PNG = b"\x89PNG"


def test_table_1_has_both_forms_and_they_agree_with_their_expressions(tmp_path: Path) -> None:
    stored, table = table_1.run(ReproduceOptions(output=tmp_path))
    rows = read_results(stored).rows
    assert [(row["form"], row["parameters"]) for row in rows] == [
        ("multiplicative", "none"),
        ("additive", "weight (128,)"),
    ]
    assert max(row["largest_difference"] for row in rows) < 1e-12
    assert "act(q + k) . w" in table.read_text()


def test_figure_3_has_the_shapes_of_four_halvings(tmp_path: Path) -> None:
    stored, picture = figure_3.run(ReproduceOptions(output=tmp_path))
    assert picture.read_bytes().startswith(PNG)
    paper = [row for row in read_results(stored).rows if row["encoder"].startswith("Paper")]
    shapes = [row["shape"] for row in paper if row["layer"] == "ConvBlock"]
    assert shapes == [[64, 14, 14], [64, 7, 7], [64, 3, 3], [64, 1, 1]]
    network = ContextKernelNetwork(PAPER_OMNIGLOT)
    n_parameters = sum(parameter.numel() for parameter in network.encoder.parameters())
    assert sum(row["parameters"] for row in paper) == n_parameters


def test_snapshots_are_taken_at_the_stated_parts_of_a_run(tmp_path: Path) -> None:
    network = ContextKernelNetwork(TINY_NETWORK)
    state = fresh_state(network, tiny_recipe(steps=10, ema_decay=0.0).training)
    reporter = SnapshotReporter(tmp_path, {"groups": ["one"]}, fractions=(0.01, 0.5, 1.0))
    for step in range(1, 11):
        state.step, state.n_items = step, 60 * step
        reporter.stepped(state, {})
    assert [path.name[9:17] for path in sorted(tmp_path.iterdir())] == ["00000001", "00000005", "00000010"]


def test_figure_4_is_drawn_from_the_rows_of_snapshots(tmp_path: Path) -> None:
    rows, alphabets = [], tiny_alphabets("two", "three")
    for step, passes in ((1, 100), (7, 700)):
        facts = {"step": step, "total_steps": 7, "image_passes": passes, "groups": ["one"]}
        network = ContextKernelNetwork(TINY_NETWORK, facts)
        for split in (figure_4.EVALUATION, figure_4.HELD_OUT):
            rows += figure_4.course_rows(network, alphabets, split, 1, seed=0, workers=1)
    assert len(rows) == 2 * 2 * 4  # three tasks by spectral clustering, and k unknown by log-odds
    assert {row["calibrated"] for row in rows} == {False}
    write_results(tmp_path / "figure-4.json", rows, command="abclust reproduce figure-4", seed=0)
    _, picture = figure_4.run(ReproduceOptions(output=tmp_path, render=True))
    assert picture.read_bytes().startswith(PNG)


def test_an_unfinished_run_is_an_error_that_says_how_to_train_it(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"omniglot_training omniglot-paper-mul --output .*networks"):
        figure_4.run(ReproduceOptions(output=tmp_path))


def test_figure_5_counts_the_clusters_of_a_set_of_one_character() -> None:
    torch.manual_seed(1)
    network = ContextKernelNetwork(TINY_NETWORK)
    data = tiny_alphabets("one")
    kernels = figure_5.one_character_kernels(network, data, data.class_names[:3])
    assert [kernel.shape for kernel in kernels] == [(20, 20)] * 3
    together, apart = np.full((20, 20), 0.9), np.where(np.eye(20) == 1, 0.9, 0.1)
    assert figure_5.n_clusters_found(network, [together, apart], APPROACHES[2]) == [1, 20]
    blocks = np.kron(np.eye(2), np.full((10, 10), 0.98)) + 0.01
    assert figure_5.n_clusters_found(network, [blocks], PAPER_APPROACH) == [2]


def test_figure_5_is_drawn_from_rows_with_and_without_the_characters(tmp_path: Path) -> None:
    found = [
        {"method": each.method, "calibrated": each.calibrated, "n_clusters": 1, "share_split": 0.0}
        for each in APPROACHES
    ]
    row = {"system": "ABC mul", "approaches": found, "kernel": np.eye(20)}
    write_results(tmp_path / "figure-5.json", [row], command="abclust reproduce figure-5", seed=0)
    _, picture = figure_5.run(ReproduceOptions(output=tmp_path, render=True, data=tmp_path))
    assert picture.read_bytes().startswith(PNG)
    images = tiny_alphabets("one").images[:20]
    panel = OneCharacterPanel("ABC mul", "1", np.eye(20))
    assert [len(draw_one_character([panel], each).axes) for each in (None, images)] == [3, 4]


@needs_omniglot
def test_the_letter_of_figure_5_has_twenty_drawings() -> None:
    options = ReproduceOptions(data=archive("background").parent)
    images = figure_5.letter_images(options)
    assert images is not None
    assert images.shape == (20, 28, 28)


@pytest.mark.parametrize(
    ("module", "name"), [(figure_3, "figure-3"), (figure_4, "figure-4"), (figure_5, "figure-5")]
)
def test_rows_of_another_experiment_are_refused(module: object, name: str, tmp_path: Path) -> None:
    write_results(tmp_path / f"{name}.json", [{"nmi": 0.5}], command="another", seed=0)
    with pytest.raises(FileFormatError, match="Got a row without"):
        module.run(ReproduceOptions(output=tmp_path, render=True, data=tmp_path))  # type: ignore[attr-defined]
