"""The sparse graph and its clusters against plain loops and against scikit-learn's average linkage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array
from sklearn.cluster import AgglomerativeClustering

from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.log_odds.confidence import item_confidence as dense_confidence
from abclust.clustering.size_prior import gather_small
from abclust.foundations.errors import InvalidInputError
from abclust.scale.graph_methods import cluster_graph
from abclust.scale.graph_sums import add_graphs, contract_nodes
from abclust.scale.item_pulls import cluster_pulls, item_confidence
from abclust.scale.local_sets import LocalSets
from abclust.scale.pair_graph import PairGraph, graph_of, mean_log_odds
from abclust.scale.seen_pairs import seen_pairs
from abclust.scale.small_nodes import gather_small_nodes
from abclust.scale.sparse_contraction import best_partners, contract_graph


def dense_graph(n_items: int, seed: int) -> tuple[np.ndarray, PairGraph]:
    weights = np.random.default_rng(seed).normal(size=(n_items, n_items))
    weights = (weights + weights.T) / 2
    np.fill_diagonal(weights, 0.0)
    return weights, graph_of(weights + 1j * (1 - np.eye(n_items)))


def dense(graph: PairGraph) -> np.ndarray:
    """Sum + i count, as a matrix."""
    rows = np.repeat(np.arange(graph.n_nodes), graph.lengths)
    matrix = np.zeros((graph.n_nodes, graph.n_nodes), dtype=complex)
    matrix[rows, graph.columns] = graph.sums + 1j * graph.counts
    return matrix


def test_a_pair_gets_the_mean_of_what_was_said_from_both_sides() -> None:
    sets = LocalSets(
        np.array([[0, 1, 2], [2, 3, 1]], np.int32), np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1])
    )
    rows = np.array([[9, 1, 2], [3, 9, 4], [9, 5, 6], [7, 9, 8]], np.float32)
    expected = np.zeros((4, 4, 2))
    for item, number in enumerate(sets.set_of_middle):
        for other, value in zip(sets.items[number], rows[item]):
            if other != item:
                expected[item, other] += value, 1
                expected[other, item] += value, 1
    graph = seen_pairs(sets, rows, 4)
    assert np.array_equal(dense(graph), expected[..., 0] + 1j * expected[..., 1])
    assert mean_log_odds(graph).toarray()[1, 2] == pytest.approx((4 + 6) / 2)


@pytest.mark.parametrize("most", [1, 7, 61, 10**6])
@pytest.mark.parametrize("seed", [0, 1])
def test_blocks_of_any_size_give_the_graph_of_scipys_own_sum(most: int, seed: int, monkeypatch) -> None:
    """The reference is what the graph was made by before it was made by blocks: whole complex matrices."""
    rng = np.random.default_rng(seed)
    items = np.stack([rng.choice(37, 11, replace=False) for _ in range(13)]).astype(np.int32)
    middle = np.unique(items[:, :3])
    set_of_middle = np.array([int(np.flatnonzero((items[:, :3] == item).any(axis=1))[0]) for item in middle])
    sets = LocalSets(items, middle, set_of_middle)
    rows = rng.normal(size=(len(middle), 11)).astype(np.float32) * 20
    said = np.zeros((37, 37), np.complex64)
    for item, number, row in zip(middle, set_of_middle, rows):
        said[item, items[number]] = np.clip(row, -30, 30) + 1j
    np.fill_diagonal(said, 0)
    whole = csr_array(said) + csr_array(said).T
    monkeypatch.setattr("abclust.scale.pair_graph.row_blocks.__defaults__", (most,))
    graph = seen_pairs(sets, rows, 37)
    assert np.array_equal(dense(graph), whole.toarray())
    assert (graph.sums.dtype, graph.counts.dtype) == (np.float32, np.uint16)
    labels = rng.integers(0, 7, size=37)
    member = np.eye(7)[labels]
    between = member.T @ whole.toarray().astype(complex) @ member
    np.fill_diagonal(between, 0)
    assert np.allclose(dense(contract_nodes(graph, labels, 7)), between)
    twice = add_graphs([graph, graph])
    assert np.array_equal(dense(twice), 2 * dense(graph))
    confident = item_confidence([graph], labels)
    monkeypatch.setattr("abclust.scale.pair_graph.row_blocks.__defaults__", (10**6,))
    assert np.allclose(confident, item_confidence([graph], labels))


def test_contracted_nodes_have_the_sums_of_their_pairs() -> None:
    weights, graph = dense_graph(13, 0)
    labels = np.random.default_rng(1).integers(0, 3, size=13)
    found = dense(contract_nodes(graph, labels, 3))
    for first in range(3):
        for second in range(3):
            pairs = np.ix_(labels == first, labels == second)
            expected = 0.0 if first == second else weights[pairs].sum()
            assert found[first, second].real == pytest.approx(expected)


@given(st.integers(2, 41), st.integers(0, 20), st.sampled_from([-0.3, 0.0, 0.4, 0.9]))
def test_without_slack_it_is_average_linkage_cut_at_the_threshold(
    n_items: int, seed: int, threshold: float
) -> None:
    weights, graph = dense_graph(n_items, seed)
    linkage = AgglomerativeClustering(
        None, metric="precomputed", linkage="average", distance_threshold=max(weights.max() - threshold, 0.0)
    )
    expected = canonical_labels(linkage.fit(weights.max() - weights).labels_.astype(np.int64))
    assert np.array_equal(contract_graph(graph, threshold=threshold, slack=0.0), expected)


def test_rounds_are_few_where_thousands_prefer_one_cluster() -> None:
    # A star: everybody's best is item 0. Mutual best merges alone would take one round for each item.
    n_items = 4001
    weights = np.linspace(1.0, 1.05, n_items - 1)
    first, second = np.zeros(n_items - 1, dtype=int), np.arange(1, n_items)
    pairs = (np.concatenate([first, second]), np.concatenate([second, first]))
    graph = graph_of(coo_array((np.concatenate([weights, weights]) + 1j, pairs), shape=(n_items, n_items)))
    assert contract_graph(graph).max() == 0


def test_best_partners_equal_a_plain_loop() -> None:
    weights, graph = dense_graph(17, 3)
    np.fill_diagonal(weights, -np.inf)
    best = best_partners(graph)
    assert best.partner.tolist() == weights.argmax(axis=1).tolist()
    assert np.allclose(best.gain, weights.max(axis=1))


def test_equal_attractions_end_in_one_cluster() -> None:
    everywhere = 1 - np.eye(23)
    assert contract_graph(graph_of(everywhere * (2 + 1j)), slack=0.0).max() == 0


@pytest.mark.parametrize("method", ["log-odds", "components", "leiden"])
def test_every_method_finds_two_clear_clusters_and_leaves_a_lonely_item_alone(method: str) -> None:
    weights = np.full((11, 11), -2.0)
    weights[:5, :5] = weights[5:10, 5:10] = 3.0
    np.fill_diagonal(weights, 0.0)
    weights[10] = weights[:, 10] = 0.0
    if method == "leiden":
        pytest.importorskip("leidenalg", reason="leidenalg is not installed: pip install 'abclust[leiden]'")
    found = cluster_graph(graph_of(weights + 1j * (weights != 0)), method)
    assert found.tolist() == [0] * 5 + [1] * 5 + [2]


def test_components_follow_chains_that_the_contraction_cuts() -> None:
    weights = np.array([[0, 2, -5], [2, 0, 1], [-5, 1, 0]])
    graph = graph_of(weights + 1j * (weights != 0))
    assert cluster_graph(graph, "components").tolist() == [0, 0, 0]
    assert cluster_graph(graph, "log-odds").tolist() == [0, 0, 1]


def test_an_unknown_method_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match="method must be one of"):
        cluster_graph(graph_of(np.zeros((3, 3), dtype=complex)), "spectral")


@given(st.integers(2, 23), st.integers(0, 10))
def test_confidence_over_all_pairs_is_that_of_the_full_kernel(n_items: int, seed: int) -> None:
    weights, graph = dense_graph(n_items, seed)
    labels = canonical_labels(np.random.default_rng(seed).integers(0, 4, size=n_items))
    assert np.allclose(item_confidence([graph], labels), dense_confidence(weights, labels), atol=1e-5)


def test_pulls_count_only_the_pairs_that_were_seen() -> None:
    graph = graph_of(np.array([[0, 6 + 2j, 0], [6 + 2j, 0, -1 + 1j], [0, -1 + 1j, 0]]))
    pulls = cluster_pulls(graph, np.array([0, 0, 1]))
    assert pulls.own_sum.tolist() == [3, 3, 0]
    assert pulls.other_sum.tolist() == [0, -1, -1]
    assert pulls.other_count.tolist() == [0, 1, 1]


def test_a_threshold_is_what_a_union_must_exceed() -> None:
    weights = np.array([[0, 2, -1], [2, 0, -1], [-1, -1, 0]])
    graph = graph_of(weights + 1j * (weights != 0))
    assert contract_graph(graph, threshold=1.9).tolist() == [0, 0, 1]
    assert contract_graph(graph, threshold=2.0).tolist() == [0, 1, 2]
    assert contract_graph(graph, threshold=-1.1).tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_with_all_pairs_seen_small_clusters_join_as_they_do_in_a_kernel(seed: int) -> None:
    """Some homes draw all that are near them, the others none: the order of unions decides nothing."""
    rng = np.random.default_rng(seed)
    sizes = np.concatenate([np.full(7, 17), rng.integers(1, 5, 23)])
    labels = np.repeat(np.arange(30), sizes)
    homes = np.concatenate([np.arange(7), rng.integers(0, 7, 23)])
    means = np.where(homes[:, None] == homes, np.array([-1, -7, -1, -7, -1, -7, -1])[homes], -20.0)
    weights = means[np.ix_(labels, labels)]
    weights[labels[:, None] == labels] = 5.0
    counts = np.outer(sizes, sizes) * (1 - np.eye(30))

    expected = gather_small(weights, labels, 1, len(labels))
    found = gather_small_nodes(graph_of(means * counts + 1j * counts), sizes)
    assert 7 < expected.max() + 1 < 30
    assert np.array_equal(canonical_labels(found[labels]), expected)


def test_small_clusters_that_draw_each_other_do_not_go_round_in_circles() -> None:
    means = np.full((4, 4), -2.0)
    means[:2, :2] = -0.1
    graph = graph_of(means + 1j * (1 - np.eye(4)))
    found = gather_small_nodes(graph, np.array([1, 1, 30, 30]))
    assert len(np.unique(found)) == 2
