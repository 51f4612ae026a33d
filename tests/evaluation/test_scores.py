"""Scores of partitions: equal to scikit-learn's where it has them, to plain loops where it has not."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from abclust import evaluation
from abclust.evaluation.contingency import contingency_table
from abclust.evaluation.scores import SCORE_NAMES
from abclust.foundations.errors import InvalidInputError

two_partitions = st.integers(1, 23).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)))
)


def random_partitions(n_items, n_true, n_predicted, seed):
    generator = np.random.default_rng(seed)
    return generator.integers(n_true, size=n_items), generator.integers(n_predicted, size=n_items)


@given(two_partitions)
def test_contingency_table_is_scikit_learns(partitions):
    np.testing.assert_array_equal(
        contingency_table(*partitions), metrics.cluster.contingency_matrix(*partitions)
    )


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "min", "max"])
@given(partitions=two_partitions)
def test_nmi_is_scikit_learns_under_every_average(average, partitions):
    expected = metrics.normalized_mutual_info_score(*partitions, average_method=average)
    assert evaluation.nmi(*partitions, average) == pytest.approx(expected, abs=1e-10)


@given(two_partitions)
def test_ami_is_scikit_learns(partitions):
    expected = metrics.adjusted_mutual_info_score(*partitions)
    assert evaluation.ami(*partitions) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("sizes", [(97, 11, 13), (101, 41, 101), (499, 47, 61)])
def test_information_scores_are_scikit_learns_on_larger_sets(sizes):
    true, predicted = random_partitions(*sizes, seed=0)
    predicted[: sizes[0] // 2] = true[: sizes[0] // 2]
    assert evaluation.ami(true, predicted) == pytest.approx(
        metrics.adjusted_mutual_info_score(true, predicted), abs=1e-10
    )
    assert evaluation.nmi(true, predicted) == pytest.approx(
        metrics.normalized_mutual_info_score(true, predicted), abs=1e-10
    )


@given(two_partitions)
def test_ari_is_scikit_learns(partitions):
    assert evaluation.ari(*partitions) == pytest.approx(metrics.adjusted_rand_score(*partitions), abs=1e-12)


@given(two_partitions)
def test_pair_f_is_scikit_learns_f1_over_all_pairs(partitions):
    together = [[first == second for first, second in itertools.combinations(part, 2)] for part in partitions]
    if any(map(any, together)):
        assert evaluation.pair_f(*partitions) == pytest.approx(metrics.f1_score(*together), abs=1e-12)
    else:
        assert evaluation.pair_f(*partitions) == 1.0


@given(two_partitions)
def test_bcubed_f_equals_its_definition_item_by_item(partitions):
    true, predicted = (np.array(part) for part in partitions)
    precisions = [np.mean(true[predicted == predicted[item]] == true[item]) for item in range(len(true))]
    recalls = [np.mean(predicted[true == true[item]] == predicted[item]) for item in range(len(true))]
    precision, recall = np.mean(precisions), np.mean(recalls)
    expected = 2 * precision * recall / (precision + recall)
    assert evaluation.bcubed_f(true, predicted) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 13).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=2 * n, max_size=2 * n)))
def test_accuracy_is_that_of_the_best_of_all_matches(labels):
    true, predicted = np.array(labels).reshape(2, -1)
    matches = [np.mean(np.array(names)[predicted] == true) for names in itertools.permutations(range(4))]
    assert evaluation.accuracy(true, predicted) == pytest.approx(max(matches), abs=1e-12)


def test_scores_of_a_partition_worked_by_hand():
    scores = evaluation.score_partition([0, 0, 1, 1], [0, 0, 1, 2])
    # I = log 2, H(true) = log 2, H(predicted) = 1.5 log 2; pairs: 1 together in both, 1 in the true one only.
    assert scores.nmi == pytest.approx(1 / 1.25)
    assert scores.nmi_geometric == pytest.approx(1 / 1.5**0.5)
    assert scores.accuracy == 0.75
    assert scores.pair_f == pytest.approx(2 / 3)
    assert scores.bcubed_f == pytest.approx(2 * 0.75 / 1.75)
    assert scores.ari == pytest.approx(2 * 4 / (2 * 5 + 1 * 4))
    assert scores.k_error == 1.0


@given(two_partitions)
def test_scores_do_not_depend_on_the_names_of_clusters(partitions):
    true, predicted = partitions
    renamed = [f"cluster {6 - label}" for label in predicted]
    first, second = evaluation.score_partition(true, predicted), evaluation.score_partition(true, renamed)
    assert first.as_dict() == pytest.approx(second.as_dict(), abs=1e-12)


@pytest.mark.parametrize("labels", [[3], [0, 0, 0, 0, 0], [4, 3, 2, 1, 0], [0, 1, 1, 2, 2, 2, -1]])
def test_a_partition_scores_perfectly_against_itself(labels):
    scores = evaluation.score_partition(labels, labels)
    perfect = dict.fromkeys(SCORE_NAMES, 1.0) | {"k_error": 0.0}
    assert scores.as_dict() == perfect


def test_random_labels_score_about_zero_where_chance_is_taken_off():
    found = [evaluation.score_partition(*random_partitions(101, 23, 29, seed)) for seed in range(50)]
    mean = evaluation.mean_scores(found)
    assert abs(mean.ami) < 0.02
    assert abs(mean.ari) < 0.01
    assert mean.nmi > 0.4


def test_k_error_counts_either_way():
    assert evaluation.k_error([0, 0, 0], [0, 1, 2]) == evaluation.k_error([0, 1, 2], [0, 0, 0]) == 2


def test_scores_do_not_overflow_on_large_sets():
    true, predicted = random_partitions(300_007, 2, 3, seed=0)
    assert evaluation.ari(true, predicted) == pytest.approx(
        metrics.adjusted_rand_score(true, predicted), abs=1e-12
    )


def test_mean_of_scores_is_taken_score_by_score():
    whole, half = evaluation.score_partition([0, 1], [0, 1]), evaluation.score_partition([0, 1], [0, 0])
    assert evaluation.mean_scores([whole, half]).accuracy == 0.75
    with pytest.raises(InvalidInputError, match="at least one"):
        evaluation.mean_scores([])


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [([], [], "at least one label"), ([[0, 1]], [0, 1], "flat list"), ([0, 1, 1], [0, 1], "same items")],
)
def test_labels_that_do_not_fit_are_refused(true, predicted, message):
    with pytest.raises(InvalidInputError, match=message):
        evaluation.score_partition(true, predicted)


def test_an_unknown_average_is_refused_with_the_valid_names():
    with pytest.raises(InvalidInputError, match="'arithmetic', 'geometric', 'max', 'min'"):
        evaluation.nmi([0, 1], [0, 1], "harmonic")


def test_public_names_are_sorted_and_there():
    assert evaluation.__all__ == sorted(evaluation.__all__)
    assert all(hasattr(evaluation, name) for name in evaluation.__all__)
