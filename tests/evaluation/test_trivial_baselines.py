"""Partitions that know nothing, and what they score all the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.cluster_sizes import size_law
from abclust.evaluation import mean_scores, score_partition, trivial_partitions
from abclust.foundations.errors import InvalidInputError

# Characters in each of Omniglot's twenty evaluation alphabets; twenty drawings of each.
CHARACTERS = [20, 26, 26, 26, 26, 26, 45, 45, 41, 26, 47, 40, 30, 45, 46, 28, 23, 25, 42, 26]


def paper_instances(generator, per_alphabet=6, n_items=100, drawings=20):
    """True labels as in the paper: k uniform from 5 to all characters, sizes by the authors' cuts."""
    for n_characters in CHARACTERS:
        for _ in range(per_alphabet):
            n_clusters = int(generator.integers(5, n_characters + 1))
            sizes = size_law(n_items, [drawings] * n_clusters).draw(generator)
            yield np.repeat(np.arange(n_clusters), sizes)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=31), st.integers(0, 1000))
def test_random_partition_has_exactly_the_true_number_of_clusters(labels, seed):
    found = trivial_partitions(labels, seed)
    assert len(np.unique(found["random, true k"])) == len(set(labels))
    assert len(np.unique(found["all singletons"])) == len(labels)
    assert len(np.unique(found["one cluster"])) == 1
    assert all(len(partition) == len(labels) for partition in found.values())


def test_the_same_seed_gives_the_same_random_partition():
    labels = np.arange(97) % 11
    first, second = (trivial_partitions(labels, 5)["random, true k"] for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, trivial_partitions(labels, 6)["random, true k"])


def test_all_singletons_score_high_nmi_on_the_papers_protocol_and_nothing_once_chance_is_taken_off():
    generator = np.random.default_rng(0)
    truths = list(paper_instances(generator))
    means = {
        name: mean_scores(score_partition(true, trivial_partitions(true, generator)[name]) for true in truths)
        for name in ("all singletons", "one cluster", "random, true k")
    }
    assert means["all singletons"].nmi == pytest.approx(0.721, abs=0.025)
    assert means["all singletons"].nmi_geometric == pytest.approx(0.752, abs=0.025)
    assert means["random, true k"].nmi == pytest.approx(0.39, abs=0.03)
    assert means["one cluster"].nmi == 0
    assert all(abs(mean.ami) < 0.01 for mean in means.values())
    assert all(abs(mean.ari) < 0.01 for mean in means.values())


def test_no_labels_are_refused():
    with pytest.raises(InvalidInputError, match="at least one label"):
        trivial_partitions([])
