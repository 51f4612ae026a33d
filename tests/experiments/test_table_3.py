"""The comparison as table and figure, and the networks that it needs."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.experiments.comparison_domain import small_domain

from abclust.baselines.learning import LearningConfig
from abclust.baselines.registry import build_baseline
from abclust.evaluation.results_file import read_results, write_results
from abclust.evaluation.scores import score_partition
from abclust.experiments.comparison_learning import IMAGE_PASSES, image_learning
from abclust.experiments.comparison_rows import TRIVIAL, Row, system_rows, trivial_partition_rows
from abclust.experiments.comparison_store import Scored
from abclust.experiments.comparison_systems import COMPARED, build_system, check_names
from abclust.experiments.comparison_training import TRAINED, networks_folder, train, training_command
from abclust.experiments.marked_page import BEGIN, END
from abclust.experiments.omniglot_protocol import KNOWN, PAPER_PROTOCOL, UNKNOWN, WHOLE_PROTOCOL
from abclust.experiments.omniglot_recipes import omniglot_recipe
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.table_3 import check_trained, reproduce, with_others
from abclust.experiments.table_3_figure import draw_comparison
from abclust.experiments.table_3_markdown import table_3_markdown
from abclust.experiments.table_3_page import write_page
from abclust.experiments.table_3_printed import printed
from abclust.foundations.errors import DataNotFoundError, InvalidInputError

TRUTH = [0, 0, 1, 1, 2, 2, 2]


def rows_of(name: str, guess: list[int]) -> list[Row]:
    """A system that gives `guess` to every set of two alphabets."""
    scores = (score_partition(TRUTH, guess),) * 3
    scored = [
        Scored(name, "omniglot", protocol, pool, task, scores, 0.5, 17)
        for protocol in (PAPER_PROTOCOL, WHOLE_PROTOCOL)
        for pool in ("Greek", "Korean")
        for task in (UNKNOWN, KNOWN)
    ]
    return system_rows(build_baseline(name).card, scored)


ROWS = [*rows_of("itml", [0, 0, 0, 0, 0, 0, 0]), *rows_of("dac", TRUTH), *rows_of("mcl", TRUTH)]


def test_a_row_says_what_the_paper_printed_where_it_measured_it() -> None:
    whole = next(row for row in ROWS if (row["name"], row["protocol"]) == ("dac", WHOLE_PROTOCOL))
    assert (whole["n_sets"], whole["n_pools"], whole["image_passes"]) == (6, 2, 17)
    assert whole["printed_nmi"] == 0.829
    assert whole["nmi"] == 1.0
    drawn = next(row for row in ROWS if (row["name"], row["protocol"]) == ("dac", PAPER_PROTOCOL))
    assert drawn["printed_nmi"] is None


def test_printed_numbers_are_the_papers() -> None:
    assert printed("sklr", WHOLE_PROTOCOL, KNOWN) == 0.791
    assert printed("skms", WHOLE_PROTOCOL, KNOWN) is None
    assert printed("dtc-pi", WHOLE_PROTOCOL, UNKNOWN) == 0.945
    assert printed("abc-additive", PAPER_PROTOCOL, KNOWN) == 0.8733
    assert printed("k-means", WHOLE_PROTOCOL, KNOWN) is None


def test_the_table_has_groups_daggers_and_who_trains_on_the_set() -> None:
    text = table_3_markdown(ROWS)
    assert "| DAC † | no | 1.000 | 1.000 | 1.000 (.829) | 1.000 |" in text
    assert "| MCL | yes | 1.000 | 1.000 | 1.000 (.893) | 1.000 (.897) |" in text
    assert text.index("*metric learning*") < text.index("| ITML |") < text.index("*synthesised clusters*")
    assert "ITML, whole alphabet, k known: .000 against .674 printed, more than .10 below" in text
    assert "quick run" not in text
    assert "quick run" in table_3_markdown(ROWS, quick=True)


def test_trivial_partitions_stand_beside_the_systems() -> None:
    rows = trivial_partition_rows(small_domain(2), seed=0, n_instances=3)
    assert {row["kind"] for row in rows} == {TRIVIAL}
    assert {(row["protocol"], row["system"]) for row in rows} >= {("drawn", "all singletons")}
    assert next(row for row in rows if row["protocol"] == "drawn")["n_sets"] == 6


def test_the_figure_is_drawn_from_rows(tmp_path: Path) -> None:
    draw_comparison(ROWS, tmp_path / "table-3.png")
    assert (tmp_path / "table-3.png").read_bytes()[1:4] == b"PNG"


def test_rows_of_other_systems_stay_unless_another_command_made_them(tmp_path: Path) -> None:
    stored, command = tmp_path / "table-3.json", "abclust reproduce table-3"
    write_results(stored, ROWS, command=command, seed=0)
    fresh = [{**row, "nmi": 0.5} for row in rows_of("itml", TRUTH)]
    together = with_others(stored, command, fresh)
    assert len(together) == len(ROWS)
    assert [row["name"] for row in together[::4]] == ["itml", "dac", "mcl"]
    assert {row["nmi"] for row in together if row["name"] == "itml"} == {0.5}
    assert with_others(stored, f"{command} --quick", fresh) == fresh


def test_every_learned_system_has_the_encoder_of_the_papers_network_and_one_budget() -> None:
    learning, recipe = image_learning(), omniglot_recipe("omniglot-paper-mul")
    assert learning.network == recipe.network
    assert learning.augmentation == recipe.augmentation
    assert learning.image_passes == IMAGE_PASSES
    domain = replace(small_domain(1), learning=learning)
    for name in COMPARED:
        system = build_system(name, domain)
        assert system.card.name == name
        own = getattr(system, "learning", getattr(getattr(system, "similarity", None), "learning", learning))
        assert own == learning
        assert isinstance(own, LearningConfig)


def test_networks_are_trained_once_and_then_found(tmp_path: Path) -> None:
    domain = small_domain(1)
    folder = networks_folder(tmp_path, "digits", "training")
    system = build_system("mcl", domain)
    with pytest.raises(DataNotFoundError, match="comparison_training pairwise-multiplicative --output"):
        check_trained(system, {}, folder, "digits", "training")
    train("pairwise-multiplicative", folder, domain)
    check_trained(system, {}, folder, "digits", "training")
    written = (folder / "pairwise-multiplicative.safetensors").stat().st_mtime_ns
    train("pairwise-multiplicative", folder, domain)
    assert (folder / "pairwise-multiplicative.safetensors").stat().st_mtime_ns == written


def test_commands_name_what_is_not_the_default() -> None:
    assert training_command("dac", Path("there"), "omniglot", "final").endswith("dac --output there --final")
    assert training_command("dac", Path("there"), "texts", "training").endswith("there --domain texts")
    assert set(TRAINED) <= set(COMPARED)


def test_unknown_systems_are_answered_with_the_names(tmp_path: Path) -> None:
    check_names(["dac"])
    with pytest.raises(InvalidInputError, match="Got telepathy"):
        reproduce(ReproduceOptions(output=tmp_path), ["telepathy"], ["texts"], 1)


@pytest.mark.slow
def test_a_quick_run_on_texts_writes_json_table_and_figure(tmp_path: Path) -> None:
    options = ReproduceOptions(output=tmp_path, quick=True)
    stored, table, _ = reproduce(options, ["k-means", "itml", "mcl", "abc-multiplicative"], ["texts"], 1)
    rows = read_results(stored).rows
    assert {row["name"] for row in rows if row["kind"] != TRIVIAL} == {
        "k-means",
        "itml",
        "mcl",
        "abc-multiplicative",
    }
    assert table.read_text(encoding="utf-8").startswith("**A quick run")
    written = stored.read_text(encoding="utf-8")
    reproduce(replace(options, render=True), [], [], 1)
    assert stored.read_text(encoding="utf-8") == written


def test_the_page_takes_its_numbers_from_the_results(tmp_path: Path) -> None:
    write_results(tmp_path / "table-3.json", ROWS, command="abclust reproduce table-3", seed=0)
    page = tmp_path / "baselines.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    written = write_page(tmp_path, page)
    assert all(path.is_file() for path in written)
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert "| DAC † | no |" in text
    assert text.endswith("below\n")
