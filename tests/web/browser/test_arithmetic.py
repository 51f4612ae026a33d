"""What the page computes by itself is what Python computes: cuts, confidence, scores, intervals."""

import base64
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abclust.clustering.log_odds.confidence import item_confidence
from abclust.clustering.merge_tree import MergeTree, merge_tree
from abclust.clustering.partition import Partition
from abclust.evaluation.scores import ari


@pytest.fixture(scope="module")
def run(browser, server):
    """Run a function of the page's own modules."""
    page = browser.new_page()
    page.goto(server.address)

    def call(module: str, body: str, argument: object) -> object:
        return page.evaluate(
            f"async (given) => {{ const own = await import('/static/scripts/{module}'); {body} }}", argument
        )

    yield call
    page.close()


def random_log_odds(n_items: int, seed: int) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).normal(scale=2.0, size=(n_items, n_items)), 1)
    return upper + upper.T


@pytest.mark.parametrize("n_items", [1, 2, 3, 31])
def test_every_cut_of_the_tree_is_that_of_python(run, n_items):
    tree = merge_tree(random_log_odds(n_items, seed=n_items))
    cuts = run(
        "answer/merge_tree.js",
        """const tree = new own.MergeTree(given.n, given.merges);
           return given.counts.map((k) => [...own.canonicalLabels(tree.rootsAt(k)).labels]);""",
        {"n": n_items, "merges": merges_of(tree), "counts": list(range(1, n_items + 1))},
    )
    assert cuts == [tree.cut(k).tolist() for k in range(1, n_items + 1)]


def test_clusters_of_every_cut_are_stretches_of_the_leaf_order_and_keep_their_ranks(run):
    n_items = 37
    tree = merge_tree(random_log_odds(n_items, seed=5))
    order, ranks = run(
        "answer/merge_tree.js",
        """const tree = new own.MergeTree(given.n, given.merges);
           const ranks = given.counts.map((k) => [...tree.rootsAt(k)].map((root) => tree.birthRanks[root]));
           return [[...tree.leafOrder], ranks];""",
        {"n": n_items, "merges": merges_of(tree), "counts": list(range(1, n_items + 1))},
    )
    assert sorted(order) == list(range(n_items))
    for n_clusters, of_items in enumerate(ranks, start=1):
        assert set(of_items) == set(range(n_clusters))
        changes = sum(of_items[one] != of_items[other] for one, other in pairwise(order))
        assert changes == n_clusters - 1
        if n_clusters > 1:  # one split gives one new rank; all others stay
            before = ranks[n_clusters - 2]
            assert all(now in (old, n_clusters - 1) for now, old in zip(of_items, before))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=29))
@settings(max_examples=10)
def test_agreement_is_the_adjusted_rand_index(run, pairs):
    truth, labels = (list(side) for side in zip(*pairs))
    found = run("answer/scores.js", "return own.adjustedRandIndex(given[0], given[1]);", [truth, labels])
    assert found == pytest.approx(ari(np.array(truth), np.array(labels)), abs=1e-12)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40))
@settings(max_examples=10)
def test_the_likely_interval_is_that_of_the_partition(run, samples):
    counts = np.bincount(samples)
    distribution = [
        {"n_clusters": k, "probability": count / len(samples)} for k, count in enumerate(counts) if count
    ]
    empty = MergeTree(np.empty((0, 4)), np.empty(0))
    partition = Partition(np.zeros(1, int), 1, np.ones(1), empty, np.array(samples))
    found = run("answer/scores.js", "return own.likelyInterval(given);", distribution)
    assert tuple(found) == partition.n_clusters_interval()


def test_confidence_of_a_cut_is_that_of_python_up_to_rounding(run):
    weights = random_log_odds(23, seed=2)
    kernel = np.round(255 / (1 + np.exp(-weights))).astype(np.uint8)
    labels = merge_tree(weights).cut(5)
    found = run(
        "answer/kernel.js",
        """const kernel = new own.Kernel(given.kernel, given.labels.length);
           return [...kernel.confidence(Int32Array.from(given.labels), 5)];""",
        {"kernel": base64.b64encode(kernel.tobytes()).decode(), "labels": labels.tolist()},
    )
    np.testing.assert_allclose(found, item_confidence(weights, labels), atol=0.01)


def test_colours_follow_the_clusters_that_share_most(run):
    matched = run(
        "answer/label_matching.js",
        "return own.matchLabels(...given);",
        [[0, 0, 0, 1, 1, 2], 3, [1, 1, 0, 0, 0, 0]],
    )
    assert matched == [1, 0, 2]


def test_the_newest_word_about_an_item_counts(run):
    texts = run(
        "answer/corrections.js",
        """const names = [..."abcde"];
           const pair = (kind, one, other) => own.pairCorrection(kind, one, other, names);
           const said = [pair("same", 0, 1), pair("different", 2, 3), pair("different", 1, 0),
             own.moveCorrection(3, [4], [2], "d: moved")];
           const left = said.reduce((list, each) => own.withCorrection(list, each), []);
           return left.map((each) => each.text);""",
        None,
    )
    assert texts == ["b and a: different clusters", "d: moved"]


def merges_of(tree: MergeTree) -> list[list[int]]:
    return tree.linkage[:, :2].astype(int).tolist()
