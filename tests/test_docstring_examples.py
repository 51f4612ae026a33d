"""Every example in a docstring runs and gives what it says."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import abclust

MODULES = sorted(module.name for module in pkgutil.walk_packages(abclust.__path__, "abclust."))


@pytest.mark.parametrize("name", ["abclust", *MODULES])
def test_examples_of(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = import_module(name)
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert results.failed == 0
