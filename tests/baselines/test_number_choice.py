"""What systems are told that cannot find the number of clusters."""

import numpy as np
import pytest
from tests.baselines.tiny_background import blobs

from abclust.baselines.k_means import k_means_labels
from abclust.baselines.number_choice import NumberChoice, labels_for_number
from abclust.foundations.errors import InvalidInputError

POINTS, TRUTH = blobs(n_clusters=5, n_each=7, spread=0.3, seed=0)


def chosen(choice: NumberChoice, n_clusters: int | None = None) -> int:
    labels = labels_for_number(lambda k: k_means_labels(POINTS, k, 0), POINTS, n_clusters, choice)
    return int(labels.max()) + 1


def test_a_known_number_is_taken_as_it_is():
    assert chosen(NumberChoice("silhouette"), n_clusters=3) == 3


def test_the_maximum_is_asked_for_and_never_more_than_there_are_items():
    assert chosen(NumberChoice(maximum=11)) == 11
    assert chosen(NumberChoice()) == len(POINTS)


def test_the_silhouette_finds_well_separated_clusters():
    assert chosen(NumberChoice("silhouette", maximum=13)) == 5


def test_the_step_leaves_numbers_out():
    assert chosen(NumberChoice("silhouette", 13, step=3)) == 5  # 2, 5, 8, ...
    assert chosen(NumberChoice("silhouette", 13, step=2)) in (4, 6)  # 2, 4, 6, ...


def test_two_items_are_one_cluster_to_the_silhouette():
    labels = labels_for_number(lambda k: np.zeros(2, dtype=int), POINTS[:2], None, NumberChoice("silhouette"))
    assert labels.tolist() == [0, 0]


@pytest.mark.parametrize("wrong", [{"rule": "guess"}, {"maximum": 1}, {"step": 0}])
def test_impossible_choices_are_refused(wrong):
    with pytest.raises(InvalidInputError):
        NumberChoice(**wrong)
