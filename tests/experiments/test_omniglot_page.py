"""The page on Omniglot: its tables and pictures come from what is stored, between its marks alone."""

from pathlib import Path

import pytest

from abclust.evaluation.results_file import write_results
from abclust.experiments.marked_page import BEGIN, END
from abclust.experiments.omniglot_ablation import KINDS
from abclust.experiments.omniglot_page import BY_ALPHABET, write_page
from abclust.experiments.omniglot_protocol import APPROACHES, PAPER_PROTOCOL, WHOLE_PROTOCOL, with_headlines
from abclust.experiments.omniglot_tables import HEADLINES, SYSTEMS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "page.md"
    path.parent.mkdir()
    path.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    return path


def rows_by_alphabet() -> list[dict]:
    return [
        {
            "system": SYSTEMS[network],
            "network": network,
            "method": method,
            "calibrated": calibrated,
            "protocol": protocol,
            "task": task,
            "group": alphabet,
            "nmi": nmi,
        }
        for network, (method, calibrated) in BY_ALPHABET.items()
        for protocol in (PAPER_PROTOCOL, WHOLE_PROTOCOL)
        for task in ("k unknown", "k known")
        for alphabet, nmi in (("Oriya", 0.8124), ("Angelic", 0.9467))
    ]


def test_what_is_stored_stands_between_the_marks_and_pictures_beside_the_page(tmp_path, page):
    by_alphabet = rows_by_alphabet()
    means = [row for row in by_alphabet if row["group"] == "Oriya"]
    for row in means:
        del row["group"]
    ablation = {"variant": "the recipe", "steps": 1000, "n_sets": 3, "nmi": 0.9, "interval": [0.8, 1.0]}
    ablation |= {"average_precision": 0.7, "cross_entropy": 0.1}
    stored = {
        "table-2": means,
        "table-4": rows_by_alphabet(),
        "ablation": [ablation | {"sets": kind} for kind in KINDS],
    }
    for name, rows in stored.items():
        write_results(tmp_path / f"{name}.json", rows, command=f"abclust reproduce {name}", seed=0)
    (tmp_path / "figure-4.png").write_bytes(b"a picture")

    assert write_page(tmp_path, page) == [page, page.parent / "figures" / "figure-4.png"]
    written = page.read_text(encoding="utf-8")
    assert written.startswith("above\n")
    assert written.endswith("\nbelow\n")
    assert "old" not in written
    assert "| abclust | size-prior | yes | .812 | .812 |" in written
    assert "| Oriya | .812 / .812 / - | .812 / .812 / - | .812 / .812 / - |" in written
    assert "(figures/figure-4.png)" in written
    assert "figure-5" not in written
    assert "| the recipe | 1,000 |" in written
    assert (page.parent / "figures" / "figure-4.png").read_bytes() == b"a picture"


def test_without_results_the_page_says_so(tmp_path, page):
    assert write_page(tmp_path, page) == [page]
    assert "Nothing is stored yet" in page.read_text(encoding="utf-8")


def test_the_ways_of_the_table_are_run_on_all_sets():
    assert set(BY_ALPHABET) == set(SYSTEMS)
    for network, way in BY_ALPHABET.items():
        ways = with_headlines(HEADLINES[network])
        assert way in {(each.method, each.calibrated) for each in ways if each.most_sets is None}
        assert {(each.method, each.calibrated) for each in ways} == {
            (each.method, each.calibrated) for each in APPROACHES
        }


def test_the_page_of_the_project_has_the_marks():
    page = (ROOT / "docs" / "omniglot.md").read_text(encoding="utf-8")
    assert page.index(BEGIN) < page.index(END)
