"""Both sides of a statement, and how far they are apart."""

import numpy as np
import pytest

import abclust.theory
from abclust.theory.statements import Equality, Inequality


def test_error_is_relative_to_the_largest_number_on_either_side() -> None:
    assert Equality(np.array([[1.0, -4.0]]), np.array([[1.0, -5.0]])).error == pytest.approx(0.2)


def test_zero_equals_zero_and_nothing_equals_nothing() -> None:
    assert Equality(np.zeros(3), np.zeros(3)).error == 0
    assert Equality(np.zeros((0, 2)), np.zeros((0, 2))).error == 0


def test_slack_is_negative_where_an_inequality_fails() -> None:
    assert Inequality(3.0, 2.0).slack == -1


def test_public_names_are_sorted_and_there() -> None:
    assert abclust.theory.__all__ == sorted(abclust.theory.__all__)
    assert all(hasattr(abclust.theory, name) for name in abclust.theory.__all__)
