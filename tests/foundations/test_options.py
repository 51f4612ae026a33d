"""Strings are resolved once, and the error lists the valid names."""

import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice, resolve


def test_a_valid_name_is_resolved():
    assert resolve("method", "b", {"a": 1, "b": 2}) == 2
    assert check_choice("method", "a", ("a", "b")) == "a"


@pytest.mark.parametrize("value", ["c", "", "A", None, 3])
def test_anything_else_is_an_error_that_lists_the_names_and_says_what_arrived(value):
    with pytest.raises(InvalidInputError) as caught:
        check_choice("method", value, {"b": 1, "a": 2})
    assert str(caught.value) == f"method must be one of 'a', 'b'. Got {value!r}."
