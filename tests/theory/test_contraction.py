"""Attention without skips shrinks the diameter, by the paper's bound and by sharper ones (paper App. A.1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.foundations.errors import InvalidInputError
from abclust.theory import contraction_factors, diameter_lemma, random_system
from abclust.theory.contraction import diameter, dobrushin_coefficient

ROUNDING = 1e-12


@given(
    n_items=st.integers(1, 23),
    n_features=st.integers(1, 11),
    compatibility=st.sampled_from(["multiplicative", "additive"]),
    spread=st.floats(0.01, 10),
    seed=st.integers(0, 1000),
)
def test_no_diameter_exceeds_a_bound(
    n_items: int, n_features: int, compatibility: str, spread: float, seed: int
) -> None:
    points = np.random.default_rng(seed).normal(size=(n_items, n_features))
    lemma = diameter_lemma(points, random_system(n_features, compatibility, spread=spread, seed=seed))
    for inequality in (lemma.paper, lemma.compared, lemma.dobrushin, lemma.overlap):
        assert inequality.left == lemma.after
        assert inequality.slack >= -ROUNDING * lemma.before
    assert lemma.coefficient <= lemma.factors.dobrushin + ROUNDING


@given(n_items=st.integers(2, 101), share=st.floats(0, 1))
def test_dobrushins_bound_is_never_weaker_and_is_sharper_beyond_two_items(n_items: int, share: float) -> None:
    factors = contraction_factors(n_items, share / n_items)
    assert factors.dobrushin <= min(factors.paper, factors.compared) + ROUNDING
    if n_items == 2:
        assert factors.dobrushin == pytest.approx(factors.paper)
    elif share > 0.01:
        assert factors.dobrushin < min(factors.paper, factors.compared)


@pytest.mark.parametrize(("n_items", "is_stronger"), [(2, False), (7, False), (11, True)])
def test_the_compared_bound_is_stronger_than_the_papers_for_more_than_eight_items(
    n_items: int, is_stronger: bool
) -> None:
    factors = contraction_factors(n_items, 0.5 / n_items)
    assert (factors.compared < factors.paper) is is_stronger


def test_the_compared_bound_equals_the_papers_at_eight_items() -> None:
    factors = contraction_factors(8, 0.0625)
    assert factors.compared == factors.paper == 0.875


def test_dobrushins_bound_is_attained() -> None:
    weights = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    points = np.array([[0.0], [1.0], [1.0]])
    assert dobrushin_coefficient(weights) == contraction_factors(3, 0.25).dobrushin == 0.25
    assert diameter(weights @ points) == 0.25


def test_coefficient_equals_one_minus_the_smallest_overlap_of_two_rows() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(7), size=7)
    overlaps = [np.minimum(one, other).sum() for one in weights for other in weights]
    assert dobrushin_coefficient(weights) == pytest.approx(1 - min(overlaps))


def test_diameter_equals_the_double_loop() -> None:
    points = np.random.default_rng(1).normal(size=(11, 3))
    assert diameter(points) == pytest.approx(max(np.linalg.norm(x - y) for x in points for y in points))


def test_one_item_has_no_extent() -> None:
    lemma = diameter_lemma(np.array([[3.0, 4.0]]), random_system(2, seed=0))
    assert (lemma.before, lemma.after, lemma.smallest_weight, lemma.coefficient) == (0, 0, 1, 0)


@pytest.mark.parametrize(("n_items", "smallest"), [(0, 0.0), (3, 0.5), (3, -0.1), (3, float("nan"))])
def test_impossible_weights_are_refused(n_items: int, smallest: float) -> None:
    with pytest.raises(InvalidInputError, match="smallest_weight"):
        contraction_factors(n_items, smallest)
