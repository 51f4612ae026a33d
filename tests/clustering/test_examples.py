"""The examples in the docstrings of this room and on its page run and print what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import numpy as np
import pytest

import abclust.clustering

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(abclust.clustering.__path__, "abclust.clustering.")
)
PAGE = Path(__file__).parents[2] / "docs" / "clustering.md"


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


def test_examples_on_the_page_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 15
    assert result.failed == 0
