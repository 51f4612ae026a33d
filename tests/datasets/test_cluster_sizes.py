"""Both size laws against plain enumeration: exact probabilities, then draws."""

import itertools
from collections import Counter
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from abclust.datasets.cluster_sizes import size_law
from abclust.foundations.errors import InvalidInputError

CASES = [
    (7, (3, 3, 3)),  # equal caps that bind
    (11, (2, 5, 3, 4)),  # unequal caps
    (9, (9, 9, 9)),  # caps that do not bind
    (5, (5,)),  # one cluster
    (5, (1, 1, 1, 1, 1)),  # all of size one
    (8, (1, 7, 1)),  # one admissible vector but a long way round
    (10, (2, 2, 2, 2, 2, 2)),
]


def enumerate_authors(length: int, caps: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Every sequence of cuts that the authors' code can draw, and what is left after their rejection."""
    excess, counts = length - len(caps), Counter()
    for cuts in itertools.product(range(excess + 1), repeat=len(caps) - 1):
        sizes = np.diff([0, *sorted(cuts), excess]) + 1
        if (sizes <= caps).all():
            counts[tuple(sizes.tolist())] += 1
    return {sizes: count / counts.total() for sizes, count in counts.items()}


def enumerate_uniform(length: int, caps: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    admissible = [
        sizes for sizes in itertools.product(*(range(1, b + 1) for b in caps)) if sum(sizes) == length
    ]
    return dict.fromkeys(admissible, 1 / len(admissible))


ENUMERATIONS = {"authors": enumerate_authors, "uniform": enumerate_uniform}


@pytest.mark.parametrize("name", ENUMERATIONS)
@pytest.mark.parametrize(("length", "caps"), CASES)
def test_probabilities_equal_those_of_the_enumeration(name, length, caps):
    law = size_law(length, caps, name)
    for sizes, probability in ENUMERATIONS[name](length, caps).items():
        assert exp(law.log_probability(sizes)) == pytest.approx(probability, rel=1e-12)


@pytest.mark.parametrize("name", ENUMERATIONS)
@pytest.mark.parametrize(("length", "caps"), CASES)
def test_draws_follow_the_enumerated_law(name, length, caps):
    law, generator = size_law(length, caps, name), np.random.default_rng(5)
    expected = ENUMERATIONS[name](length, caps)
    drawn = Counter(tuple(law.draw(generator).tolist()) for _ in range(2000))
    assert set(drawn) <= set(expected)
    if len(expected) > 1:
        observed = [drawn[sizes] for sizes in expected]
        assert chisquare(observed, 2000 * np.array(list(expected.values()))).pvalue > 1e-3


def test_the_two_laws_differ_where_inner_sizes_are_one():
    authors, uniform = size_law(7, (3, 3, 3)), size_law(7, (3, 3, 3), "uniform")
    assert authors.log_probability((3, 1, 3)) < uniform.log_probability((3, 1, 3)) - 0.1


def test_the_walk_itself_has_the_stated_probabilities():
    """Without rejection, at the paper's size: single draws must not depend on a lucky seed."""
    law = size_law(100, [20] * 5)
    assert law.log_probability([20] * 5) == pytest.approx(0.0, abs=1e-9)
    assert law.draw(np.random.default_rng(0)).tolist() == [20] * 5


def test_without_binding_caps_the_mean_size_by_the_authors_law_is_that_of_plain_cuts():
    """The first excess is the least of k - 1 uniforms on 0..c: its mean is a sum of tail probabilities."""
    length, k = 100, 13
    excess = length - k
    expected = sum(((excess + 1 - v) / (excess + 1)) ** (k - 1) for v in range(1, excess + 1))
    law, generator = size_law(length, [length] * k), np.random.default_rng(2)
    firsts = np.array([law.draw(generator)[0] - 1 for _ in range(1500)])
    assert abs(firsts.mean() - expected) < 4 * firsts.std() / np.sqrt(len(firsts))


@given(st.data())
def test_draws_keep_to_caps_and_sum_and_have_positive_probability(data):
    caps = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=47))
    length = data.draw(st.integers(len(caps), sum(caps)))
    name = data.draw(st.sampled_from(sorted(ENUMERATIONS)))
    law = size_law(length, caps, name)
    sizes = law.draw(np.random.default_rng(0))
    assert sizes.sum() == length
    assert (sizes >= 1).all()
    assert (sizes <= caps).all()
    assert log(1e-300) < law.log_probability(sizes.tolist()) <= 1e-9


@pytest.mark.parametrize("name", ENUMERATIONS)
@pytest.mark.parametrize("sizes", [(4, 2, 1), (3, 3), (3, 3, 2), (0, 4, 3)])
def test_vectors_outside_the_law_have_probability_zero(name, sizes):
    assert size_law(7, (3, 3, 3), name).log_probability(sizes) == -inf


def test_large_sets_neither_overflow_nor_run_dry():
    sizes = size_law(997, [89] * 211, "authors").draw(np.random.default_rng(0))
    assert (sizes.sum(), len(sizes)) == (997, 211)
    sizes = size_law(997, [5] * 211, "uniform").draw(np.random.default_rng(0))
    assert (sizes.sum(), int(sizes.max())) == (997, 5)


@pytest.mark.parametrize(("length", "caps"), [(10, (3, 3, 3)), (2, (3, 3, 3)), (3, (3, 0)), (3, ())])
def test_impossible_sums_are_refused(length, caps):
    with pytest.raises(InvalidInputError, match="length must lie between"):
        size_law(length, caps)


def test_an_unknown_law_is_refused_with_the_names_there_are():
    with pytest.raises(InvalidInputError, match="'authors', 'uniform'"):
        size_law(5, (3, 3), "even")
