"""Must-link and cannot-link pairs are honoured, or refused with a reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.constraints import constrained_weights, read_constraints
from abclust.clustering.log_odds.objective import objective
from abclust.clustering.log_odds.weights import log_odds
from abclust.foundations.errors import InvalidInputError

OBEDIENT = ["log-odds", "expected-rand", "size-prior", "agglomerative"]
pair_lists = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), max_size=6)


def _contradicts(must_link, cannot_link):
    """Grow the groups of linked items one pair at a time, and look for a pair apart within one."""
    group = list(range(11))
    for first, second in must_link:
        group = [group[first] if one == group[second] else one for one in group]
    return any(group[first] == group[second] for first, second in cannot_link)


@pytest.mark.parametrize("method", OBEDIENT)
@given(seed=st.integers(0, 99), must_link=pair_lists, cannot_link=pair_lists)
def test_pairs_are_honoured_or_contradict_each_other(noise_kernel, method, seed, must_link, cannot_link):
    kernel = noise_kernel(seed, 11)
    options = {"method": method, "must_link": must_link, "cannot_link": cannot_link}
    if _contradicts(must_link, cannot_link):
        with pytest.raises(InvalidInputError, match="contradict"):
            cluster_kernel(kernel, **options)
        return
    labels = cluster_kernel(kernel, **options)
    assert all(labels[first] == labels[second] for first, second in must_link)
    assert all(labels[first] != labels[second] for first, second in cannot_link)


@pytest.mark.parametrize("method", OBEDIENT)
def test_a_given_number_is_honoured_together_with_the_pairs(noise_kernel, method):
    must_link, cannot_link = [(0, 1), (1, 2), (5, 9)], [(0, 5), (5, 7), (0, 7)]
    for n_clusters in (3, 5, 8):
        labels = cluster_kernel(
            noise_kernel(3, 11), n_clusters, method, must_link=must_link, cannot_link=cannot_link
        )
        assert len(set(labels.tolist())) == n_clusters
        assert labels[0] == labels[1] == labels[2]
        assert len({labels[0], labels[5], labels[7]}) == 3


@pytest.mark.parametrize("method", OBEDIENT)
def test_contradictions_are_named(block_kernel, method):
    kernel = block_kernel(3, 2)
    with pytest.raises(InvalidInputError, match=r"\(0, 2\).*linked by must_link"):
        cluster_kernel(kernel, method=method, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(InvalidInputError, match=r"\(3, 3\).*same item"):
        cluster_kernel(kernel, method=method, cannot_link=[(3, 3)])
    with pytest.raises(InvalidInputError, match="at most 3, the number of groups"):
        cluster_kernel(kernel, 4, method, must_link=[(0, 1), (1, 2)])
    with pytest.raises(InvalidInputError, match="room for the cannot_link"):
        cluster_kernel(kernel, 2, method, cannot_link=[(0, 1), (1, 2), (0, 2)])


@pytest.mark.parametrize("pairs", [[(0, 5)], [(-1, 0)], [(0, 1, 2)], [(0.0, 1.0)]])
def test_pairs_that_are_no_pairs_of_items_are_refused(block_kernel, pairs):
    with pytest.raises(InvalidInputError, match="must_link must hold pairs of item numbers from 0 to 4"):
        cluster_kernel(block_kernel(3, 2), must_link=pairs)


def test_methods_that_cannot_obey_say_so(block_kernel):
    with pytest.raises(InvalidInputError, match="must be None with 'spectral'"):
        cluster_kernel(block_kernel(3, 2), method="spectral", must_link=[(0, 1)])


def test_weights_between_groups_are_sums_over_their_items(noise_kernel):
    weights = log_odds(noise_kernel(1, 7))
    rules = read_constraints(7, must_link=[(0, 3), (3, 5)])
    between = constrained_weights(weights, rules)
    for first in range(rules.n_groups):
        for second in range(rules.n_groups):
            pairs = np.ix_(rules.groups == first, rules.groups == second)
            expected = 0.0 if first == second else weights[pairs].sum()
            assert between[first, second] == pytest.approx(expected)


def test_the_best_partition_under_constraints_equals_brute_force_nearly_always(noise_kernel, set_partitions):
    partitions = set_partitions(7)
    must_link, cannot_link = [(0, 4)], [(1, 2), (3, 4)]
    allowed = partitions[
        (partitions[:, 0] == partitions[:, 4])
        & (partitions[:, 1] != partitions[:, 2])
        & (partitions[:, 3] != partitions[:, 4])
    ]
    kernels = [noise_kernel(seed, 7) for seed in range(41)]
    found = cluster_kernel(kernels, must_link=[must_link] * 41, cannot_link=[cannot_link] * 41)
    together = allowed[:, :, None] == allowed[:, None, :]
    n_best = 0
    for kernel, labels in zip(kernels, found):
        weights = log_odds(kernel)
        best = (together * weights).sum(axis=(1, 2)).max() / 2
        n_best += objective(weights, labels) == pytest.approx(best)
    assert n_best >= 0.95 * 41


def test_each_kernel_of_a_list_has_its_own_pairs(block_kernel):
    kernels = [block_kernel(2, 3), block_kernel(3, 2)]
    labels = cluster_kernel(kernels, must_link=[[(0, 4)], None], cannot_link=[None, [(0, 1)]])
    assert labels[0][0] == labels[0][4]
    assert labels[1][0] != labels[1][1]
    with pytest.raises(InvalidInputError, match="one entry for each of the 2 kernels"):
        cluster_kernel(kernels, must_link=[[(0, 1)]])


def test_samples_of_the_number_of_clusters_obey_too(noise_kernel):
    partition = partition_kernel(
        noise_kernel(2, 7), cannot_link=[(0, 1), (1, 2), (0, 2)], random_state=0, n_samples=101
    )
    assert partition.n_clusters_samples.min() >= 3
