"""What the page of the estimator shows runs and prints what it says."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "estimator.md"


def test_examples_on_the_page_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 25
    assert result.failed == 0


def test_the_picture_on_the_page_is_there():
    assert (PAGE.parent / "figures" / "fitted-set.png").is_file()
