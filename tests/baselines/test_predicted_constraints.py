"""Predictions become constraints: a stated sample, thresholded, and never an item with itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.baselines.predicted_constraints import (
    ConstraintSample,
    predicted_similar,
    sample_comparisons,
    sample_pairs,
)
from abclust.foundations.errors import InvalidInputError


def random_kernel(n: int, seed: int) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).random((n, n)))
    return np.maximum(upper, upper.T)


@given(n=st.integers(2, 17), per_item=st.sampled_from([0.5, 2.0, 30.0]), seed=st.integers(0, 99))
def test_pairs_are_different_pairs_on_their_side_of_the_threshold(n, per_item, seed):
    kernel = random_kernel(n, seed)
    pairs = sample_pairs(kernel, ConstraintSample(per_item, threshold=0.5), np.random.default_rng(seed))
    for chosen, is_similar in ((pairs.similar, True), (pairs.different, False)):
        assert len(chosen) <= max(1, round(per_item * n / 2))
        assert len({tuple(pair) for pair in chosen.tolist()}) == len(chosen)
        assert all(i < j and (kernel[i, j] >= 0.5) == is_similar for i, j in chosen)


def test_a_large_sample_is_everything():
    kernel = random_kernel(7, 0)
    pairs = sample_pairs(kernel, ConstraintSample(per_item=100.0), np.random.default_rng(0))
    assert len(pairs.similar) + len(pairs.different) == 7 * 6 // 2


@given(n=st.integers(2, 17), seed=st.integers(0, 99))
def test_comparisons_name_the_outlier(n, seed):
    kernel = random_kernel(n, seed)
    triples = sample_comparisons(kernel, ConstraintSample(3.0, threshold=0.7), np.random.default_rng(seed))
    assert len(triples) <= 3 * n
    for i, j, k in triples:
        assert len({i, j, k}) == 3
        assert kernel[i, j] >= 0.7 > max(kernel[i, k], kernel[j, k])


def test_where_nothing_is_similar_there_is_nothing_to_compare():
    assert sample_comparisons(np.eye(5), ConstraintSample(), np.random.default_rng(0)).shape == (0, 3)
    assert sample_comparisons(np.ones((5, 5)), ConstraintSample(), np.random.default_rng(0)).shape == (0, 3)


def test_an_item_is_similar_to_itself_whatever_the_network_says():
    assert predicted_similar(np.array([[0.1, 0.6], [0.6, 0.2]]), 0.5).all()
    assert predicted_similar(np.zeros((3, 3)), 0.5).tolist() == np.eye(3, dtype=bool).tolist()


@pytest.mark.parametrize("wrong", [{"per_item": 0.0}, {"threshold": 1.0}])
def test_impossible_samples_are_refused(wrong):
    with pytest.raises(InvalidInputError):
        ConstraintSample(**wrong)
