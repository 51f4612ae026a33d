"""The scaling runs: what is generated, what is trained on, and the rows that come out."""

from dataclasses import replace

import numpy as np
import pytest

from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.marked_page import BEGIN, END
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.scaling import large_scores, run, scaling_rows
from abclust.experiments.scaling_mixtures import EmbeddingDomain
from abclust.experiments.scaling_page import write_page
from abclust.experiments.scaling_sampler import NeighbourhoodSampler
from abclust.experiments.scaling_systems import CosineEvidence
from abclust.experiments.scaling_training import TRAINING, train_embeddings
from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelNetwork
from abclust.scale.config import local_context

SMALL = EmbeddingDomain(width=13, n_telling=5, n_nuisance=3)


def test_a_mixture_is_a_function_of_its_seed_and_its_classes_are_of_the_stated_sizes() -> None:
    items, labels = EmbeddingDomain().mixture(20_011, seed=1)
    again, _ = EmbeddingDomain().mixture(20_011, seed=1)
    assert np.array_equal(items, again)
    sizes = np.bincount(labels)
    assert sizes.min() >= 1
    assert sizes.max() <= 2_001
    assert items.std() == pytest.approx(1.0, abs=0.1)


def test_the_telling_directions_tell_and_the_nuisance_varies() -> None:
    items, labels = SMALL.mixture(5_003, seed=0)
    plain = items @ SMALL.rotation
    within = np.concatenate([plain[labels == each] - plain[labels == each].mean(0) for each in set(labels)])
    share = within.var(axis=0) / plain.var(axis=0)
    assert share[:5].max() < 0.85
    assert share[5:].min() > 0.9
    assert within[:, -3:].std() > 1.5 * within[:, :10].std()


def test_too_many_directions_and_no_items_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="must fit into the width"):
        EmbeddingDomain(width=7, n_telling=5, n_nuisance=3)
    with pytest.raises(InvalidInputError, match="at least 1"):
        SMALL.mixture(0, seed=0)


def test_neighbourhoods_are_nearer_than_the_set_and_hold_several_classes() -> None:
    sampler = NeighbourhoodSampler(
        SMALL, n_sets=3, n_anywhere=1, n_clumped=0, set_size=47, n_far=7, mixture_sizes=(400, 401)
    )
    items, labels = sampler(np.random.default_rng(3), 0)
    assert items.shape == (3, 47, 13)
    assert items.dtype == np.float32
    assert all(len(set(each)) > 1 for each in labels.tolist())


def test_sets_of_clumps_show_a_few_items_of_each_piece_of_many_classes() -> None:
    clumps = NeighbourhoodSampler(
        SMALL, n_sets=11, n_anywhere=0, n_clumped=11, set_size=192, mixture_sizes=(2_000, 2_001)
    )
    items, labels = clumps(np.random.default_rng(3), 0)
    assert all(len(np.unique(each, axis=0)) == 192 for each in items)  # no item stands for two pieces
    _, near_labels = replace(clumps, n_clumped=0)(np.random.default_rng(3), 0)
    largest = [max(np.bincount(each)) for each in (*labels, *near_labels)]
    assert np.mean(largest[:11]) < np.mean(largest[11:])  # a neighbourhood shows the class in its middle


def test_sets_of_clumps_are_full_even_if_every_class_is_used_up() -> None:
    clumps = NeighbourhoodSampler(
        SMALL, n_sets=5, n_anywhere=0, n_clumped=5, set_size=192, mixture_sizes=(193, 194)
    )
    items, labels = clumps(np.random.default_rng(0), 0)
    assert items.shape == (5, 192, 13)
    assert labels.shape == (5, 192)


def test_scores_of_a_perfect_and_of_a_trivial_partition() -> None:
    truth = np.repeat(np.arange(7), 11)
    assert large_scores(truth, truth)["ari"] == 1.0
    assert large_scores(truth, np.zeros(77, dtype=int))["k_error"] == 6.0


def test_the_cosine_is_a_line_fitted_to_labelled_pairs() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], np.float32)
    found = CosineEvidence(rows, slope=4.0, offset=-3.0).log_odds(np.array([[0, 1, 2]]))
    assert found[0].tolist() == [[1, -3, 1], [-3, 1, -3], [1, -3, 1]]


def test_a_figure_is_drawn_from_stored_rows_alone(tmp_path) -> None:
    row = {"system": "ABC", "n": 1000, "seconds": 2.0, "peak_bytes": 10**9, "nmi": 0.9}
    rows = [row, {**row, "n": 3000, "seconds": 5.0}]
    write_results(tmp_path / "scaling.json", rows, command="abclust reproduce scaling", seed=0)
    files = run(ReproduceOptions(output=tmp_path, render=True))
    assert [file.name for file in files] == ["scaling.json", "scaling.png"]
    assert len(read_results(files[0]).rows) == 2


def test_the_page_holds_scores_and_cost_of_stored_rows_between_its_marks(tmp_path) -> None:
    row = {"system": "ABC", "n": 1000, "k": 44, "nmi": 0.9691, "ari": 0.9669}
    row |= {"seconds": 1.22, "peak_bytes": 577_286_144}
    rows = [row, {**row, "n": 3000, "seconds": 29.6}, {**row, "system": "HDBSCAN", "nmi": 0.772}]
    write_results(tmp_path / "scaling.json", rows, command="abclust reproduce scaling", seed=0)
    page = tmp_path / "page.md"
    page.write_text(f"above\n{BEGIN}\nyesterday\n{END}\nbelow\n", encoding="utf-8")
    files = write_page(tmp_path, page)
    text = page.read_text(encoding="utf-8")
    assert "yesterday" not in text
    assert "| 1,000 | 44 | .969 / .967 | .772 / .967 |" in text
    assert "| 3,000 | 44 | 30 / 0.58 | - |" in text
    assert [file.name for file in files] == ["page.md", "scaling.png"]
    assert files[1].read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_short_training_gives_weights_that_know_their_local_sets_and_rows_for_every_system(
    tmp_path,
) -> None:
    sampler = NeighbourhoodSampler(
        SMALL, n_sets=3, n_anywhere=1, n_clumped=1, set_size=47, n_far=7, mixture_sizes=(200, 201)
    )
    training = replace(TRAINING, minutes=None, steps=3, validate_every=2)
    path = train_embeddings(
        tmp_path / "tiny.safetensors",
        sampler=sampler,
        training=training,
        validation_steps=1,
        calibration_sizes=[101],
    )
    header = ContextKernelNetwork.from_file(path).metadata
    assert local_context(header, is_for_images=False).set_size == 47
    assert [point["n_items"] for point in header["calibration"]["log-odds"]] == [47]
    rows = list(scaling_rows(path, [211], 0, tmp_path / "work", ["ABC", "MiniBatchKMeans"]))
    assert [row["system"] for row in rows] == ["ABC", "MiniBatchKMeans"]
    assert all(row["n"] == 211 and row["seconds"] > 0 and row["peak_bytes"] > 1e7 for row in rows)
