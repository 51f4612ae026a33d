"""The comparison on vectors: who is compared on what, what is promised, and what is drawn from rows alone."""

from pathlib import Path

import numpy as np
import pytest

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.estimator.item_preparation import prepare_items
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.kernel_scores import score_kernels
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments import vectors_comparison
from abclust.experiments.marked_page import BEGIN, END, with_results
from abclust.experiments.registry import EXPERIMENTS, ReproduceOptions
from abclust.experiments.shipped_or_trained import check_shipped
from abclust.experiments.vector_held_out import HELD_OUT_SEED, held_out_settings
from abclust.experiments.vector_honesty import ALL, HONESTY, honesty, honesty_rows, labelled_kernels
from abclust.experiments.vector_networks import training_command
from abclust.experiments.vector_real_sets import random_halves, real_sets
from abclust.experiments.vector_rows import (
    GENERATED,
    HALVES,
    MEAN,
    REAL,
    Row,
    generated_rows,
)
from abclust.experiments.vector_samples import main as draw_samples_command
from abclust.experiments.vector_samples import sample_panels
from abclust.experiments.vector_shapes import SHAPES, TRUTH, classic_shapes, draw_shapes
from abclust.experiments.vector_systems import OURS, VectorSystem
from abclust.experiments.vectors_comparison import COMPARISON_SEED, Extent, comparison_rows
from abclust.experiments.vectors_markdown import promises, vectors_markdown
from abclust.experiments.vectors_page import write_page
from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
TINY = Extent(generated_sets=4, honesty_sets=8, n_halves=2, largest_number=3, shape_points=23)


@pytest.fixture(scope="module")
def network() -> ContextKernelNetwork:
    config = ContextKernelConfig(n_features=PREPARATION.width, width=8, heads=2, n_blocks=1)
    calibration = {"log-odds": [{"n_items": 50, "temperature": 2.0, "shift": -1.0}]}
    header = {"preparation": to_dict(PREPARATION), "vector_views": {"count": 2}, "calibration": calibration}
    return ContextKernelNetwork(config, header)


@pytest.fixture(scope="module")
def rows(network: ContextKernelNetwork) -> list[Row]:
    return comparison_rows(network, real_sets()[:2], TINY, seed=0)


def of(rows: list[Row], **wanted: str) -> list[Row]:
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def test_every_system_has_a_row_for_every_kind_of_sets(rows):
    systems = {(row["system"], row["k"]) for row in rows} - {(TRUTH, "known")}
    assert len(systems) == 12
    for data, protocols in {
        GENERATED: {"family", "laplace", "waves", "hypercube", "plane", MEAN},
        REAL: {"iris", "wine", MEAN},
        HALVES: {"iris", "wine"},
        SHAPES: {"circles", "moons", "varied", "anisotropic", "blobs"},
    }.items():
        for system, k in systems:
            found = of(rows, data=data, system=system, k=k)
            assert protocols <= {row["protocol"] for row in found}, (data, system)


def test_rows_have_the_fields_of_a_results_file(rows):
    fields = (
        "n_sets",
        "nmi",
        "nmi_geometric",
        "ami",
        "ari",
        "accuracy",
        "k_error",
        "seconds_per_set",
        "interval",
    )
    for row in rows:
        is_scored = row["system"] != TRUTH and row["data"] != HONESTY
        assert not is_scored or all(name in row for name in fields)


def test_those_who_are_told_that_there_is_one_cluster_are_not_asked(rows):
    single = [row for row in rows if row["protocol"] in ("single", "no structure") and row["system"] != TRUTH]
    assert single
    assert {row["k"] for row in single} == {"unknown"}


def test_means_are_over_all_sets_of_several_clusters(rows):
    (mean,) = of(rows, data=GENERATED, system=OURS, k="unknown", protocol=MEAN)
    kinds = [
        row
        for row in of(rows, data=GENERATED, system=OURS, k="unknown")
        if row["protocol"] not in (MEAN, "single")
    ]
    assert mean["n_sets"] == sum(row["n_sets"] for row in kinds) == 20
    assert mean["ari"] == pytest.approx(np.mean([row["ari"] for row in kinds]))


def test_our_rows_say_how_honest_the_kernel_is(rows):
    own = {row["protocol"]: row for row in of(rows, data=HONESTY)}
    assert set(own) == {"family", "laplace", "waves", "hypercube", "plane", "single", ALL}
    assert {(row["system"], row["k"]) for row in own.values()} == {(OURS, "unknown")}
    pooled, single = own.pop(ALL), own.pop("single")
    assert pooled["n_sets"] == 6 * 8
    assert single["n_sets"] == 8
    assert "pair_ece_several" not in {*pooled, *single}
    for row in own.values():
        assert row["n_sets"] == 8 + 4  # of four sizes two each, and one of one cluster
        assert 0 < row["pair_ece_several"] != row["pair_ece"] > 0
    for row in (*own.values(), pooled, single):
        low, high = row["pair_ece_interval"]
        assert low <= row["pair_ece"] <= high


def test_all_together_are_the_scored_sets_of_all_settings(network):
    settings = held_out_settings(4, seed=5)
    *_, pooled = honesty_rows(network, settings)
    kernels = labelled_kernels(network, [each for setting in settings for each in setting.sets])
    assert pooled.items() >= honesty(SetClusterer(network), kernels).items()


def test_what_is_promised_of_pairs_is_of_settings_as_they_are_met(rows):
    (told,) = [row for row in promises(rows) if "calibration" in row["promise"]]
    errors = {row["protocol"]: row["pair_ece"] for row in of(rows, data=HONESTY)}
    del errors["single"], errors[ALL]
    assert told["measured"] == max(errors.values())


def test_errors_are_those_of_the_raw_kernel_and_of_the_one_that_is_clustered(network):
    sets, clusterer = real_sets()[:1], SetClusterer(network)
    sure = honesty(clusterer, labelled_kernels(network, sets))
    shown = clusterer.kernels([prepare_items(network, sets[0].items)])
    assert sure["pair_ece"] == pytest.approx(score_kernels([(shown[0], sets[0].labels)]).pair_ece, abs=1e-6)
    assert sure["pair_ece"] != sure["pair_ece_raw"]
    assert sure["pair_ece_likelihood"] == sure["pair_ece_raw"]  # no such calibration in this header


def test_an_oracle_scores_one_everywhere():
    settings = held_out_settings(4, seed=3)
    remaining = iter([labels for setting in settings for batch in setting.batches for labels in batch.labels])
    oracle = VectorSystem("oracle", False, lambda items, n_clusters: next(remaining))
    found = generated_rows([oracle], settings)
    assert {row["ari"] for row in found if "ari" in row} == {1.0}


def test_sets_of_the_comparison_are_none_of_the_validation():
    judged, watched = (held_out_settings(4, seed) for seed in (COMPARISON_SEED, HELD_OUT_SEED))
    for first, second in zip(judged, watched, strict=True):
        assert first.name == second.name
        assert not np.array_equal(first.batches[0].points, second.batches[0].points)


def test_promises_are_told_honestly(rows):
    told = promises(rows)
    assert [row["holds"] for row in told].count(False) >= 4  # an untrained network keeps none of them
    perfect = {"ari": 1.0, "pair_ece": 0.0}
    better = [
        {**row, **{name: perfect.get(name, row[name]) for name in row}} if _is_ours(row) else row
        for row in rows
    ]
    assert all(row["holds"] for row in promises(better))


def _is_ours(row: Row) -> bool:
    return (row["system"], row["k"]) == (OURS, "unknown")


def test_tables_and_pictures_are_made_of_rows_alone(rows, tmp_path: Path):
    write_results(tmp_path / "vectors.json", rows, command="abclust reproduce vectors", seed=0)
    files = vectors_comparison.run(ReproduceOptions(output=tmp_path, render=True))
    assert [file.name for file in files] == [
        "vectors.json",
        "vectors.md",
        "vectors-shapes.png",
        "vectors-family.png",
    ]
    assert all(file.stat().st_size > 0 for file in files)
    table = (tmp_path / "vectors.md").read_text()
    for name in ("abclust vectors", "HDBSCAN", "Gaussian mixture", "iris", "laplace", "promise"):
        assert name in table


def test_rows_of_something_else_are_refused(tmp_path: Path):
    with pytest.raises(FileFormatError, match="comparison on vectors"):
        vectors_markdown([{"data": GENERATED, "system": "x"}])
    with pytest.raises(FileFormatError, match="points and labels"):
        draw_shapes(
            [{"data": SHAPES, "system": TRUTH, "k": "known", "protocol": "moons"}], tmp_path / "x.png"
        )


def test_halves_are_halves_and_differ():
    first, second = random_halves(real_sets()[0], 2, seed=1)
    assert first.n_items == second.n_items == 75
    assert not np.array_equal(first.items, second.items)
    assert np.array_equal(first.items, random_halves(real_sets()[0], 1, seed=1)[0].items)


def test_real_sets_are_whole():
    assert {each.name: (each.n_items, each.n_clusters) for each in real_sets()} == {
        "iris": (150, 3),
        "wine": (178, 3),
        "breast cancer": (569, 2),
        "digits": (1797, 10),
        "sentences": (150, 6),
    }


def test_shapes_are_those_that_everybody_knows():
    assert [(each.name, each.n_clusters) for each in classic_shapes(29)] == [
        ("circles", 2),
        ("moons", 2),
        ("varied", 3),
        ("anisotropic", 3),
        ("blobs", 3),
        ("no structure", 1),
    ]


def test_the_family_is_drawn_with_a_mark_on_what_training_does_not_see(tmp_path: Path):
    panels = sample_panels(n_points=31)
    assert {panel.title for panel in panels if panel.is_held_out} == {"laplace", "waves"}
    assert all(len(panel.points) == 31 for panel in panels)
    draw_samples_command(["--output", str(tmp_path / "family.png")])
    assert (tmp_path / "family.png").is_file()


def test_another_seed_draws_other_samples_of_the_same_kinds():
    for first, second in zip(sample_panels(0, 31), sample_panels(3, 31), strict=True):
        assert first.title == second.title
        assert not np.array_equal(first.points, second.points)


def test_the_experiment_is_registered():
    assert EXPERIMENTS["vectors"] == "abclust.experiments.vectors_comparison"


def test_without_weights_the_error_names_the_command_that_trains_them():
    with pytest.raises(DataNotFoundError, match="abclust reproduce vectors --train"):
        check_shipped(["vectors"], [], training_command)


def test_the_page_takes_its_numbers_from_the_results(rows, tmp_path: Path):
    page = tmp_path / "docs" / "vectors.md"
    page.parent.mkdir()
    page.write_text(f"# Vectors\n\n{BEGIN}\nlast year\n{END}\n\nbelow\n", encoding="utf-8")
    write_results(tmp_path / "vectors.json", rows, command="abclust reproduce vectors", seed=0)
    for _ in range(2):  # a second time changes nothing
        written = write_page(tmp_path, page)
    text = page.read_text(encoding="utf-8")
    assert vectors_markdown(rows).splitlines()[2] in text
    assert "last year" not in text
    assert text.endswith(f"{END}\n\nbelow\n")
    assert text.count("What was promised") == 1
    assert all(path.is_file() for path in written)


def test_the_page_of_the_documentation_shows_the_stored_results():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "vectors.md").read_text(encoding="utf-8")
    assert (root / "docs" / "figures" / "vectors-family.png").is_file()
    stored = root / "results" / "vectors.json"
    if stored.is_file():
        assert with_results(page, vectors_markdown(read_results(stored).rows)) == page
    else:
        assert "abclust reproduce vectors --train" in page
