"""The method that a network's header names is what "auto" means."""

import pytest

from abclust.clustering.default_method import PLAIN_METHOD, settled_method
from abclust.foundations.errors import FileFormatError


def test_auto_is_what_the_header_names_and_a_name_is_itself():
    assert settled_method("auto", {"method": "spectral"}) == "spectral"
    assert settled_method("auto", {}) == PLAIN_METHOD
    assert settled_method("log-odds", {"method": "spectral"}) == "log-odds"


def test_a_scikit_learn_clusterer_is_itself():
    given = object()
    assert settled_method(given, {}) is given


def test_a_method_of_a_later_version_is_refused_by_name():
    with pytest.raises(FileFormatError, match=r"Got 'telepathy'\. The file may come from a later version"):
        settled_method("auto", {"method": "telepathy"})
