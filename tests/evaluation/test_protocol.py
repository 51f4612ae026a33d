"""Running a clusterer over labelled sets, and the rows that come out."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from abclust.evaluation import evaluate, score_partition, trivial_rows
from abclust.evaluation.labelled_inputs import LabelledInput, as_labelled_inputs
from abclust.foundations.errors import InvalidInputError

PROMISED_FIELDS = {
    *("system", "protocol", "k", "n_sets", "nmi", "nmi_geometric", "ami", "ari", "accuracy", "k_error"),
    *("seconds_per_set", "interval"),
}


@dataclass(frozen=True)
class NamedSet:
    """Looks like a labelled set of `abclust.datasets`."""

    items: np.ndarray
    labels: np.ndarray
    group: str = ""


def block_kernel(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return (labels[:, None] == labels[None, :]).astype(float), labels


SETS = [(*block_kernel(sizes), group) for sizes, group in [((2, 3), "a"), ((5, 1, 1), "b"), ((7,), "a")]]


def connected(kernel, n_clusters=None):
    """Exact on block matrices: an item's cluster is the first item it belongs with."""
    return np.argmax(kernel > 0.5, axis=1)


def two_halves(kernel, n_clusters=None):
    return (np.arange(len(kernel)) >= len(kernel) // 2).astype(int)


def test_a_row_has_all_the_fields_that_results_files_promise():
    row = evaluate(connected, SETS, system="connected", protocol="blocks").row()
    assert set(row) >= PROMISED_FIELDS
    assert (row["system"], row["protocol"], row["k"], row["n_sets"]) == ("connected", "blocks", "unknown", 3)
    assert row["calibrated"] is False
    assert row["seconds_per_set"] > 0
    json.dumps(row, allow_nan=False)


def test_means_and_intervals_are_those_of_the_sets():
    row = evaluate(two_halves, SETS, system="halves").row(per_set=True)
    expected = [score_partition(labels, two_halves(kernel)) for kernel, labels, _ in SETS]
    assert row["ari"] == pytest.approx(np.mean([entry.ari for entry in expected]))
    assert row["k_error"] == pytest.approx((0 + 1 + 1) / 3)
    assert row["interval"] == row["intervals"]["nmi"]
    assert row["interval"][0] < row["nmi"] < row["interval"][1]
    assert row["per_set"]["ari"] == pytest.approx([entry.ari for entry in expected], abs=1e-5)


def test_the_true_number_is_handed_over_only_when_it_is_known():
    asked = []

    def listening(kernel, n_clusters):
        asked.append(n_clusters)
        return connected(kernel)

    evaluate(listening, SETS, system="")
    assert evaluate(listening, SETS, system="", n_clusters_known=True).k == "known"
    assert asked == [None, None, None, 2, 3, 1]


@pytest.mark.parametrize("known", [True, False])
def test_batches_give_what_one_by_one_gives(known):
    def batched(kernels, n_clusters):
        assert isinstance(kernels, list)
        assert len(kernels) <= 2
        assert n_clusters is None or len(n_clusters) == len(kernels)
        return [two_halves(kernel) for kernel in kernels]

    one_by_one = evaluate(two_halves, SETS, system="", n_clusters_known=known)
    in_batches = evaluate(batched, SETS, system="", n_clusters_known=known, batch_size=2)
    assert in_batches.scores == one_by_one.scores


def test_groups_have_rows_of_their_own_and_widen_the_interval():
    found = evaluate(two_halves, SETS, system="halves", calibrated=True)
    rows = found.rows_by_group()
    assert [(row["group"], row["n_sets"]) for row in rows] == [("a", 2), ("b", 1)]
    assert rows[1]["interval"] is None
    assert all(row["calibrated"] for row in rows)
    assert found.row(over_groups=True)["interval"] != found.row()["interval"]


def test_items_of_labelled_sets_are_handed_over_as_they_are():
    items = np.random.default_rng(0).random((5, 3, 2))
    found = evaluate(
        lambda images, n_clusters: [0] * images.shape[0],
        [NamedSet(items, np.array([0, 0, 1, 1, 1]), "Greek")],
        system="one",
    )
    assert found.groups == ("Greek",)
    assert found.scores[0].accuracy == 0.6


def test_trivial_partitions_stand_ready_for_every_table():
    rows = trivial_rows(SETS, protocol="blocks")
    assert [row["system"] for row in rows] == ["all singletons", "one cluster", "random, true k"]
    assert [row["k"] for row in rows] == ["unknown", "unknown", "known"]
    assert rows[0]["k_error"] == pytest.approx((3 + 4 + 6) / 3)
    assert all(row["protocol"] == "blocks" and set(row) >= PROMISED_FIELDS for row in rows)
    assert rows == trivial_rows(SETS, protocol="blocks")


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInputError, match="same items"):
        evaluate(lambda kernel, n_clusters: [0], SETS, system="")
    with pytest.raises(InvalidInputError, match="labels for every set"):
        evaluate(lambda kernels, n_clusters: [], SETS, system="", batch_size=5)
    with pytest.raises(InvalidInputError, match="batch_size must be at least 1"):
        evaluate(connected, SETS, system="", batch_size=0)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([], "at least one labelled set"),
        ([np.eye(3)], "labelled sets or"),
        ([(np.eye(3),)], "labelled sets or"),
        ([(np.eye(3), [0, 1])], "one label for each"),
        ([(np.zeros((0, 0)), [])], "at least one item"),
    ],
)
def test_sets_that_are_none_are_refused(sets, message):
    with pytest.raises(InvalidInputError, match=message):
        as_labelled_inputs(sets)


def test_labelled_inputs_pass_through_and_know_their_size():
    entry = LabelledInput(np.eye(3), np.array([4, 4, 9]), "Greek")
    assert as_labelled_inputs([entry])[0] is entry
    assert (entry.n_items, entry.n_clusters) == (3, 2)
