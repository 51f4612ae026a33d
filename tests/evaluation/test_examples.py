"""The examples in docstrings and in the pages about scores and calibration run and say what they print."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import abclust.evaluation
import abclust.kernel

PAGES = ["scores.md", "calibration.md"]
MODULES = [
    *(f"abclust.evaluation.{module.name}" for module in pkgutil.iter_modules(abclust.evaluation.__path__)),
    *(f"abclust.kernel.{name}" for name in ("calibration", "calibration_table", "fixed_kernels", "protocol")),
]


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples_run(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_page_examples_run(page):
    path = Path(__file__).parents[2] / "docs" / page
    found = doctest.testfile(str(path), module_relative=False)
    assert found.attempted > 0
    assert found.failed == 0
