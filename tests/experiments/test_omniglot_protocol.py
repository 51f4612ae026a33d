"""Sets of 100 images and whole alphabets: the right sets, images encoded once, rows that say everything."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.experiments.test_omniglot_split import archive, needs_omniglot
from tests.experiments.tiny_alphabets import TINY_NETWORK, tiny_alphabets

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.omniglot_archive import omniglot
from abclust.evaluation.scores import score_partition
from abclust.experiments.omniglot_networks import views_of
from abclust.experiments.omniglot_protocol import (
    APPROACHES,
    FIXED,
    KNOWN,
    PAPER_APPROACH,
    PAPER_PROTOCOL,
    UNKNOWN,
    WHOLE_PROTOCOL,
    Approach,
    Scored,
    encoded_alphabets,
    score_alphabet,
)
from abclust.experiments.omniglot_rows import (
    ProtocolConfig,
    alphabet_rows,
    mean_rows,
    score_network,
    trivial_partition_rows,
)
from abclust.experiments.omniglot_validation import draw_instances
from abclust.model import ContextKernelNetwork
from abclust.model.view_averaging import encode_views

ALPHABETS = tiny_alphabets("one", "two", "three")
CONFIG = ProtocolConfig(n_instances=3, workers=1)
CALIBRATION = {"likelihood": [{"n_items": 100, "temperature": 0.1, "shift": -0.5}]}


@pytest.fixture(scope="module")
def network() -> ContextKernelNetwork:
    torch.manual_seed(5)
    return ContextKernelNetwork(TINY_NETWORK, {"calibration": CALIBRATION, "views": {"count": 2}}).eval()


@pytest.fixture(scope="module")
def scored(network: ContextKernelNetwork) -> list[Scored]:
    return score_network(network, ALPHABETS, seed=0, config=CONFIG)


def test_every_alphabet_meets_three_tasks_and_whole_alphabets_two(scored: list[Scored]) -> None:
    found = [(part.alphabet, part.protocol, part.task, part.approach) for part in scored]
    tasks = {(PAPER_PROTOCOL, task) for task in (UNKNOWN, KNOWN, FIXED)}
    tasks |= {(WHOLE_PROTOCOL, task) for task in (UNKNOWN, KNOWN)}
    assert set(found) == {
        (name, *task, approach) for name in ALPHABETS.group_names for task in tasks for approach in APPROACHES
    }
    assert len(found) == len(set(found))
    assert {len(part.scores) for part in scored if part.protocol == PAPER_PROTOCOL} == {3}
    assert {len(part.scores) for part in scored if part.protocol == WHOLE_PROTOCOL} == {1}


def test_a_known_number_is_met_and_k_20_has_twenty_characters(scored: list[Scored]) -> None:
    assert all(each.k_error == 0 for part in scored if part.task != UNKNOWN for each in part.scores)
    fixed = next(part for part in scored if part.task == FIXED)
    assert {len(set(labels)) for labels in fixed.truth} == {20}
    assert {len(labels) for labels in fixed.truth} == {100}


def test_the_paper_approach_is_the_plain_way_through_the_house(
    network: ContextKernelNetwork, scored: list[Scored]
) -> None:
    """Encoded once and batched equals: take the images, ask for the kernel of each view, cluster."""
    plain = ContextKernelNetwork(TINY_NETWORK)
    plain.load_state_dict(network.state_dict())
    one_view = encoded_alphabets(ALPHABETS, encode_views(plain, ALPHABETS.images))[1]
    found = score_alphabet(plain, one_view, 2, 0, [PAPER_APPROACH], whole=False)[0]
    members = ALPHABETS.select(["two"])
    for instance, scores in zip(draw_instances(members, "two", 2, 0), found.scores):
        labels = cluster_kernel(plain.kernel(members.images[instance.places]), method="spectral")
        assert score_partition(instance.labels, labels) == scores


@pytest.mark.parametrize("at_once", [2, 250])
def test_an_approach_may_take_the_first_sets_alone(
    network: ContextKernelNetwork, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abclust.experiments.omniglot_protocol.SETS_AT_ONCE", at_once)
    alphabet = encoded_alphabets(ALPHABETS, encode_views(network, ALPHABETS.images))[0]
    every = Approach("log-odds", calibrated=True)
    found = score_alphabet(network, alphabet, 5, 0, [every, replace(every, most_sets=3)])
    for task in (UNKNOWN, KNOWN, FIXED):
        full, brief = (part for part in found if (part.protocol, part.task) == (PAPER_PROTOCOL, task))
        assert (len(full.scores), len(brief.scores)) == (5, 3)
        assert brief.scores == full.scores[:3]


def test_means_are_over_alphabets_with_the_worst_named(scored: list[Scored]) -> None:
    rows = mean_rows(scored, "tiny", "a tiny network")
    assert len(rows) == 5 * len(APPROACHES)
    for row in rows:
        parts = [
            part
            for part in scored
            if (part.protocol, part.task, part.approach.method, part.approach.calibrated)
            == (row["protocol"], row["task"], row["method"], row["calibrated"])
        ]
        means = {part.alphabet: np.mean([each.nmi for each in part.scores]) for part in parts}
        assert row["nmi"] == pytest.approx(np.mean(list(means.values())))
        assert row["worst_nmi"] == pytest.approx(min(means.values()))
        assert row["n_alphabets"] == 3
        assert 0 <= row["pair_ece"] <= 1
        assert row["k"] == ("unknown" if row["task"] == UNKNOWN else "known")
        assert row["interval"][0] <= row["nmi"] <= row["interval"][1]


def test_calibration_changes_the_kernels_that_are_scored(scored: list[Scored]) -> None:
    spectral = [part for part in scored if part.approach.method == "spectral"]
    errors = {part.approach.calibrated: part.kernels.pair_ece for part in spectral}
    assert errors[True] != errors[False]


def test_every_alphabet_has_a_row_of_its_own(scored: list[Scored]) -> None:
    rows = alphabet_rows(scored, "tiny", "a tiny network")
    assert len(rows) == 3 * 5 * len(APPROACHES)
    assert {row["group"] for row in rows} == set(ALPHABETS.group_names)


def test_trivial_partitions_stand_beside_each_kind_of_sets_once(scored: list[Scored]) -> None:
    rows = trivial_partition_rows(scored, seed=0)
    assert [(row["protocol"], row["task"]) for row in rows[::3]] == [
        (PAPER_PROTOCOL, UNKNOWN),
        (PAPER_PROTOCOL, FIXED),
        (WHOLE_PROTOCOL, UNKNOWN),
    ]
    assert {row["system"] for row in rows} == {"all singletons", "one cluster", "random, true k"}
    singletons = [row["nmi"] for row in rows if row["system"] == "all singletons"]
    assert all(0.5 < nmi < 0.95 for nmi in singletons)


@pytest.mark.slow
def test_two_processes_give_the_rows_of_one(network: ContextKernelNetwork, scored: list[Scored]) -> None:
    config = ProtocolConfig(n_instances=3, workers=2)
    both = score_network(network, ALPHABETS, seed=0, config=config)
    assert [part.scores for part in both] == [part.scores for part in scored]


def test_views_come_from_the_header(network: ContextKernelNetwork) -> None:
    assert views_of(network).count == 2
    assert views_of(ContextKernelNetwork(TINY_NETWORK)).count == 1


@needs_omniglot
def test_every_evaluation_alphabet_can_give_sets_of_twenty_characters() -> None:
    data = omniglot("evaluation", data=archive("evaluation").parent)
    counts = [len(np.unique(data.labels[data.groups == place])) for place in range(20)]
    assert (min(counts), max(counts)) == (20, 47)
