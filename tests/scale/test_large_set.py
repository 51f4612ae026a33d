"""A large set from end to end: right clusters, order of items immaterial to the truth, kills survived."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.scale import killed_program

from abclust.evaluation.scores import ari
from abclust.foundations.errors import FileFormatError
from abclust.kernel.fixed_kernels import RBFKernel
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.scale.checkpoint import FolderKeeper, MemoryKeeper
from abclust.scale.config import LocalContextConfig
from abclust.scale.evidence import EncodedEvidence, KernelEvidence, PartEvidence
from abclust.scale.item_encoding import encode_stream
from abclust.scale.large_set import cluster_large_set
from abclust.scale.local_rows import SETS_AT_ONCE, SETS_BETWEEN_NOTES, compute_rows
from abclust.scale.local_sets import pack_local_sets
from abclust.scale.neighbours import nearest_neighbours
from abclust.scale.placement import cluster_sample, place_items, placement_sets
from abclust.scale.progress import LogProgress

PROGRAM = Path(killed_program.__file__)
SMALL = LocalContextConfig(set_size=31, n_far=5, n_near=7, n_neighbors=13, n_representatives=3)


def rbf_evidence(points: np.ndarray, gamma: float = 0.1) -> KernelEvidence:
    return KernelEvidence(points, lambda sets: [RBFKernel(gamma).kernel(each) for each in sets])


def clusters_of(sizes: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(sizes), 3))[labels] * 60 + rng.normal(size=(len(labels), 3)) * 0.4, labels


def test_clusters_of_one_item_and_of_many_neighbourhoods_are_both_found() -> None:
    points, labels = clusters_of([1] * 37 + [3] * 19 + [17] * 11 + [307, 401])
    found = cluster_large_set(rbf_evidence(points), points, SMALL)
    assert ari(labels, found.labels) == 1.0
    assert found.graph is not None
    assert found.graph.nnz < 200 * len(points)


def test_super_nodes_join_what_is_larger_than_a_neighbourhood() -> None:
    # Knots of more items than a local set has: hardly one reaches from knot to knot.
    rng = np.random.default_rng(7)
    knots = np.repeat(np.arange(14), 41)
    points = knots[:, None] + 500.0 * (knots[:, None] >= 7) + rng.normal(size=(len(knots), 1)) * 1e-3
    found = {}
    for levels in (0, 3):
        config = LocalContextConfig(
            set_size=31, n_far=0, n_near=7, n_neighbors=31, n_representatives=3, levels=levels, placements=0
        )
        found[levels] = cluster_large_set(rbf_evidence(points, gamma=0.001), points, config)
    assert found[0].n_clusters > 2
    assert ari(knots >= 7, found[3].labels) == 1.0


def test_few_large_clusters_are_seen_through_a_sample_and_small_ones_are_not_lost() -> None:
    points, labels = clusters_of([499, 503, 509, 2, 2])
    found = cluster_large_set(rbf_evidence(points), points, SMALL)
    assert found.graph is None
    assert ari(labels, found.labels) == 1.0
    assert found.confidence.min() > 0.5


def test_many_small_clusters_are_not_judged_by_a_sample() -> None:
    points, _ = clusters_of([5] * 101)
    assert cluster_sample(rbf_evidence(points), len(points), SMALL, "log-odds", 0) is None


def test_every_other_item_is_placed_once_beside_the_whole_sample() -> None:
    sample, others = np.arange(0, 97, 3), np.setdiff1d(np.arange(97), np.arange(0, 97, 3))
    sets = placement_sets(others, sample, seed=1)
    assert sets.middle.tolist() == others.tolist()
    for item, number in zip(sets.middle, sets.set_of_middle):
        assert {item, *sample} <= set(sets.items[number].tolist())


def test_an_item_that_no_cluster_draws_is_left() -> None:
    points = np.array([[0.0]] * 20 + [[0.1], [500.0]])
    labels, _ = place_items(
        rbf_evidence(points), 22, np.arange(20), np.zeros(20, dtype=int), SMALL, 0, LogProgress()
    )
    assert labels[20:].tolist() == [0, -1]


@pytest.mark.parametrize("method", ["log-odds", "size-prior"])
@pytest.mark.parametrize("n_items", [1, 2, 3, 5])
def test_the_smallest_sets_pass(n_items: int, method: str) -> None:
    points = np.arange(float(n_items))[:, None] * 100
    found = cluster_large_set(rbf_evidence(points), points, SMALL, method=method)
    assert found.labels.tolist() == list(range(n_items))


def test_with_a_prior_on_sizes_stragglers_find_a_home() -> None:
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(23), 19)
    points = rng.normal(size=(23, 3))[labels] * 300 + rng.normal(size=(len(labels), 3)) * 0.4
    points[::19] += 6.0  # one of each kind stands aside
    evidence = rbf_evidence(points, gamma=0.02)
    alone, at_home = (
        cluster_large_set(evidence, points, SMALL, method=method) for method in ("log-odds", "size-prior")
    )
    assert alone.n_clusters == 46
    assert ari(labels, at_home.labels) == 1.0
    assert at_home.labels.max() == 22


def test_the_same_seed_gives_the_same_clusters() -> None:
    points = np.random.default_rng(3).normal(size=(499, 2)) * 20
    first, second = (cluster_large_set(rbf_evidence(points), points, SMALL, seed=5) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)


def test_rows_are_what_the_network_says_of_each_set_alone() -> None:
    network = ContextKernelNetwork(ContextKernelConfig(n_features=3, width=8, heads=2)).eval()
    items = np.random.default_rng(1).normal(size=(101, 3)).astype(np.float32)
    sets = pack_local_sets(nearest_neighbours(items, 7), None, 101, set_size=19, n_near=5, n_far=2)
    evidence = EncodedEvidence(network, encode_stream(network, items))
    rows = compute_rows(sets, evidence, MemoryKeeper(), "rows", LogProgress())
    for item in (0, 50, 100):
        members = sets.items[sets.set_of_middle[item]]
        kernel = network.kernel(items[members])
        expected = np.log(kernel / (1 - kernel))[members.tolist().index(item)]
        assert np.allclose(rows[item], expected, atol=1e-4)


def test_evidence_about_a_part_is_that_about_the_whole() -> None:
    points = np.random.default_rng(2).normal(size=(29, 2))
    part = PartEvidence(rbf_evidence(points), np.array([3, 11, 17, 23]))
    whole = rbf_evidence(points).log_odds(np.array([[11, 23]]))
    assert np.array_equal(part.log_odds(np.array([[1, 3]])), whole)


def test_a_killed_run_goes_on_where_it_was_and_ends_with_the_same_clusters(tmp_path) -> None:
    points = killed_program.points()
    undisturbed = cluster_large_set(rbf_evidence(points), points, killed_program.CONFIG).labels
    killed = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path), "--die-after", "6"],
        capture_output=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert killed.returncode == -signal.SIGKILL
    n_batches = -(-len(np.load(tmp_path / "sets-0.npy")) // SETS_AT_ONCE)
    resumed = killed_program.run(tmp_path)
    assert resumed.labels.tolist() == undisturbed.tolist()
    # Four batches of sets were noted before the kill; two more were lost and are computed again.
    assert resumed.n_calls == n_batches - SETS_BETWEEN_NOTES // SETS_AT_ONCE
    assert killed_program.run(tmp_path).n_calls == 0


def test_a_folder_with_other_work_is_refused(tmp_path) -> None:
    FolderKeeper(tmp_path, {"n": 3})
    with pytest.raises(FileFormatError, match="other work"):
        FolderKeeper(tmp_path, {"n": 5})
