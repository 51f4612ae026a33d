"""The README's table: what stands in the results stands in it, and the README of this tree is up to date."""

from pathlib import Path

import pytest

from abclust.evaluation.results_file import write_results
from abclust.experiments.comparison_rows import TRIVIAL
from abclust.experiments.marked_page import BEGIN, END, with_results
from abclust.experiments.readme_results import COLUMNS, results_table, stored_results, write_page
from abclust.foundations.errors import FileFormatError
from abclust.zoo.loading import load

ROOT = Path(__file__).parents[2]


def scored(**fields):
    value = fields.get("ari", fields.get("nmi"))
    return {**fields, "intervals": {name: [value - 0.011, value + 0.013] for name in ("ari", "nmi")}}


def circle_row(n, **more):
    return scored(**{"n": n, "n_circles": 4, "noise": 0.0, **more})


CIRCLES = [
    circle_row(n, system="circles", method=method, calibrated=calibrated, ari=value)
    for n, value in ((20, 0.711), (40, 0.871), (100, 0.947))
    for method, calibrated, value in (
        ("spectral", True, 0.1),
        ("expected-rand", False, 0.2),
        ("expected-rand", True, value),
    )
]
FIGURE_2 = [
    circle_row(100, system="ABC multiplicative", method="log-odds", ari=0.9),
    circle_row(100, system="ABC multiplicative", method="spectral", ari=0.523),
    circle_row(100, system="spectral clustering, k given", method="spectral", ari=0.167),
]
TABLE_2 = [
    scored(
        protocol="100 images",
        network=network,
        task="k unknown",
        method=method,
        calibrated=calibrated,
        nmi=nmi,
    )
    for network, method, calibrated, nmi in (
        ("omniglot-paper-mul", "spectral", False, 0.881),
        ("omniglot", "spectral", True, 0.999),
        ("omniglot", "expected-rand", True, 0.998),
        ("omniglot", "size-prior", False, 0.997),
        ("omniglot", "size-prior", True, 0.937),
    )
]


def test_every_stored_experiment_has_its_lines_and_the_others_none():
    table = results_table({"circles": CIRCLES})
    lines = table.splitlines()
    assert lines[0] == "| " + " | ".join(COLUMNS) + " |"
    assert len(lines) == 2 + 3
    assert "**.947** (.936 to .960)" in lines[-1]
    assert "Omniglot" not in table


def test_peers_stand_beside_where_they_met_the_same_sets():
    *_, at_40, at_100 = results_table({"circles": CIRCLES, "figure-2": FIGURE_2}).splitlines()
    assert "| .523 | - | spectral, told k: .167 |" in at_100, (
        "the eigengap and spectral clustering, as the paper"
    )
    assert at_40.endswith("| - | - | - |")


def test_the_best_system_of_others_stands_beside_ours_on_omniglot():
    met = {"domain": "omniglot", "protocol": "100 images", "task": "k unknown", "kind": "learned"}
    peers = [
        {**met, **row}
        for row in (
            {"name": "mcl", "system": "MCL", "nmi": 0.883},
            {"name": "kcl", "system": "KCL", "nmi": 0.852},
            {"name": "abc-mcl", "system": "ABC + MCL", "nmi": 0.991},
            {"name": "singletons", "system": "singletons", "nmi": 0.992, "kind": TRIVIAL},
            {"name": "itml", "system": "ITML", "nmi": 0.993, "task": "k known"},
            {"name": "dac", "system": "DAC", "nmi": 0.994, "domain": "digits"},
        )
    ]
    *_, line = results_table({"table-2": TABLE_2, "table-3": peers}).splitlines()
    assert line.endswith("| MCL: .883 |")
    *_, line = results_table({"table-2": TABLE_2}).splitlines()
    assert line.endswith("| - |")


def test_large_sets_say_what_they_cost():
    ours = {"system": "ABC", "n": 1_000_000, "nmi": 0.9781, "seconds": 2509.0, "peak_bytes": 10_946_000_000}
    small = ours | {"n": 1_000, "seconds": 0.5}
    told = {"system": "MiniBatchKMeans", "n": 1_000_000, "nmi": 0.9402}
    *_, line = results_table({"scaling": [small, ours, told]}).splitlines()
    assert line == (
        "| 1,000,000 generated embeddings, k unknown: 42 minutes and 10.9 GB on one core | NMI "
        "| **.978** (one set) | - | - | MiniBatchKMeans, told k: .940 |"
    )
    assert "| 1,000 " not in results_table({"scaling": [small, ours, told]})


def test_on_omniglot_the_default_of_the_estimator_counts_and_not_the_best_column():
    assert load("omniglot").metadata["method"] == "size-prior"
    from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL

    rows = [{**row, "protocol": PAPER_PROTOCOL} for row in TABLE_2]
    table = results_table({"table-2": rows})
    assert "**.937**" in table
    assert "| .881 | .874 |" in table
    assert "k known" not in table


def test_the_page_is_rewritten_between_its_marks_alone(tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    write_results(tmp_path / "circles.json", CIRCLES, command="abclust reproduce circles", seed=0)
    for _ in range(2):  # a second time changes nothing
        write_page(tmp_path, page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"above\n{BEGIN}\n")
    assert text.endswith(f"{END}\nbelow\n")
    assert "old" not in text
    assert text.count("100 points") == 1


def test_a_page_without_marks_is_refused():
    with pytest.raises(FileFormatError, match="marks"):
        with_results(f"{END} before {BEGIN}", "## table")


def test_the_readme_shows_the_stored_results():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_results(page, results_table(stored_results(ROOT / "results"))) == page
