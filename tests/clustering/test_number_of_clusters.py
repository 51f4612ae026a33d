"""How many clusters: kernels whose answer is obvious, and the difference to the printed eigengap."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.clustering.eigengap import eigengaps, largest_gap, leading_gaps
from abclust.clustering.laplacian import normalised_affinity, normalised_laplacian
from abclust.clustering.neighbour_eigengap import neighbour_graph
from abclust.clustering.number_of_clusters import estimate_n_clusters
from abclust.foundations.errors import InvalidInputError

METHODS = ["eigengap", "nme", "degree", "log-odds", "expected-rand"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "sizes", [(1,), (2,), (1, 1), (7,), (1,) * 7, (5, 3), (11, 2, 1), (13, 5, 3, 3), (2, 1, 1, 1)]
)
def test_perfect_blocks_have_as_many_clusters_as_blocks(block_kernel, method, sizes):
    assert estimate_n_clusters(block_kernel(*sizes), method).n_clusters == len(sizes)


@pytest.mark.parametrize("method", METHODS)
def test_duplicates_change_nothing(block_kernel, method):
    twice = np.kron(block_kernel(3, 2, 1), np.ones((2, 2)))
    assert estimate_n_clusters(twice, method).n_clusters == 3


@pytest.mark.parametrize("method", METHODS)
def test_two_items_are_together_or_apart(method):
    together, apart = np.array([[1, 0.97], [0.97, 1]]), np.array([[1, 0.03], [0.03, 1]])
    assert estimate_n_clusters(together, method).n_clusters == 1
    assert estimate_n_clusters(apart, method).n_clusters == 2


@pytest.mark.parametrize("method", METHODS)
def test_a_kernel_equal_everywhere_is_one_cluster(method):
    assert estimate_n_clusters(np.full((7, 7), 0.9), method).n_clusters == 1


@pytest.mark.parametrize("method", ["eigengap", "nme", "log-odds"])
def test_a_disconnected_graph_has_at_least_its_components(block_kernel, planted_kernel, method):
    _, kernel = planted_kernel(0, 47, 2, signal=4.0, noise=0.5)
    kernel = kernel * block_kernel(23, 24)
    assert estimate_n_clusters(kernel, method).n_clusters == 4


@pytest.mark.parametrize("method", METHODS)
def test_items_without_any_affinity_are_clusters_of_their_own(method):
    assert estimate_n_clusters(np.zeros((5, 5)), method).n_clusters == 5


@pytest.mark.parametrize("method", METHODS)
def test_a_range_is_kept_to(noise_kernel, method):
    for seed in range(5):
        for lower, upper in [(1, 3), (4, 6), (7, 7), (11, 11)]:
            record = estimate_n_clusters(noise_kernel(seed, 11), method, n_clusters_range=(lower, upper))
            assert lower <= record.n_clusters <= upper


@pytest.mark.parametrize("method", ["eigengap", "nme", "log-odds"])
def test_planted_clusters_are_counted(planted_kernel, method):
    for seed in range(5):
        _, kernel = planted_kernel(seed, 61, 4, signal=3.0, noise=1.0)
        assert estimate_n_clusters(kernel, method).n_clusters == 4


def test_gaps_equal_a_plain_computation(noise_kernel):
    kernel = noise_kernel(5, 11)
    degree = kernel.sum(axis=0)
    affinity = np.array(
        [[kernel[i, j] / np.sqrt(degree[i] * degree[j]) for j in range(11)] for i in range(11)]
    )
    falling = sorted(np.linalg.eigvalsh(affinity), reverse=True)
    expected = [first - second for first, second in zip(falling, [*falling[1:], 0.0])]
    np.testing.assert_allclose(eigengaps(kernel), expected, atol=1e-12)


def test_the_eigengap_as_printed_answers_n_minus_k_on_perfect_blocks(block_kernel):
    kernel = block_kernel(5, 3, 3)
    of_laplacian = np.linalg.eigvalsh(normalised_laplacian(kernel))[::-1]
    assert int(np.argmax(of_laplacian[:-1] - of_laplacian[1:])) + 1 == 11 - 3
    assert estimate_n_clusters(kernel, "eigengap").n_clusters == 3


def test_the_laplacian_is_the_identity_minus_the_affinity(noise_kernel):
    kernels = np.stack([noise_kernel(seed, 7) for seed in range(3)])
    np.testing.assert_allclose(
        normalised_laplacian(kernels) + normalised_affinity(kernels), np.stack([np.eye(7)] * 3)
    )
    np.testing.assert_allclose(normalised_affinity(kernels)[1], normalised_affinity(kernels[1]))


def test_the_leading_gaps_of_a_large_kernel_settle_the_same_number(planted_kernel):
    _, kernel = planted_kernel(0, 1503, 7, signal=4.0, noise=0.5)
    affinity = normalised_affinity(kernel)
    leading = leading_gaps(affinity)
    assert len(leading) < 1503
    every = eigengaps(kernel)
    np.testing.assert_allclose(leading[:7], every[:7], atol=1e-6)
    assert largest_gap(leading) == largest_gap(every) == 7


def test_the_neighbour_graph_keeps_ties_and_drops_zeros(block_kernel):
    assert (neighbour_graph(block_kernel(3, 1), 2) == block_kernel(3, 1)).all()
    kernel = np.array([[1.0, 0.9, 0.8], [0.9, 1.0, 0.1], [0.8, 0.1, 1.0]])
    assert neighbour_graph(kernel, 2).tolist() == [[1.0, 1.0, 0.5], [1.0, 1.0, 0.0], [0.5, 0.0, 1.0]]


@given(sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5))
def test_degree_is_exact_on_every_block_matrix(block_kernel, sizes):
    record = estimate_n_clusters(block_kernel(*sizes), "degree")
    assert record.n_clusters == len(sizes)
    assert record.weights[len(sizes) - 1] == pytest.approx(0.0, abs=1e-9)


def test_the_record_stands_for_its_number_and_shows_what_was_weighed(block_kernel):
    record = estimate_n_clusters(block_kernel(3, 2), "log-odds")
    assert int(record) == operator.index(record) == 2
    assert record.method == "log-odds"
    assert record.candidates.tolist() == [1, 2, 3, 4, 5]
    assert record.weights.argmax() + 1 == 2
    assert record.weights[1] == pytest.approx(4 * 30.0)


def test_many_kernels_give_a_list(block_kernel):
    records = estimate_n_clusters([block_kernel(3, 2), block_kernel(1, 1, 5)])
    assert [int(record) for record in records] == [2, 3]


def test_an_unknown_method_is_answered_with_the_known_ones(block_kernel):
    with pytest.raises(InvalidInputError, match="'degree', 'eigengap', 'expected-rand', 'log-odds', 'nme'"):
        estimate_n_clusters(block_kernel(2), "elbow")
