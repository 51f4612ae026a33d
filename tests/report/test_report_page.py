"""The page on the report: its examples run and give what it says."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def test_the_examples_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted >= 12
    assert results.failed == 0
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "many.html"}
