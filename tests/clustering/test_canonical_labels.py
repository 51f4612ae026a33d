"""Labels are numbered by first appearance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abclust.clustering.canonical_labels import canonical_labels, noise_as_singletons

labellings = st.lists(st.integers(-3, 5), min_size=1, max_size=13).map(np.array)


@given(labellings)
def test_clusters_are_numbered_in_the_order_of_their_first_items(labels):
    seen: list[int] = []
    for label in labels:
        if label not in seen:
            seen.append(label)
    assert canonical_labels(labels).tolist() == [seen.index(label) for label in labels]


@given(labellings)
def test_a_second_renumbering_changes_nothing(labels):
    once = canonical_labels(labels)
    assert (canonical_labels(once) == once).all()


def test_items_left_out_become_clusters_of_their_own():
    assert noise_as_singletons(np.array([-1, 4, -1, 4])).tolist() == [0, 1, 2, 1]
    assert noise_as_singletons(np.array([-1, -1])).tolist() == [0, 1]
