"""Choosing among candidates by mean AMI."""

import json

import numpy as np
import pytest

from abclust.evaluation import ami, select
from abclust.foundations.errors import InvalidInputError

GENERATOR = np.random.default_rng(0)
SETS = [(GENERATOR.random((29, 3)), np.arange(29) % 5) for _ in range(7)]


def near(share, seed):
    """A candidate that knows the truth for a share of the items."""

    def cluster(items):
        generator = np.random.default_rng([seed, int(items[0, 0] * 1e6)])
        labels = np.arange(len(items)) % 5
        wrong = generator.random(len(items)) > share
        return np.where(wrong, generator.integers(5, size=len(items)), labels)

    return cluster


def singletons(items):
    return np.arange(len(items))


def test_the_highest_mean_ami_wins_and_everything_weighed_is_recorded():
    candidates = {"half": near(0.5, 1), "most": near(0.9, 2), "none": near(0.0, 3)}
    selection = select(candidates, SETS)
    assert selection.winner == "most"
    assert [record.name for record in selection.candidates] == ["half", "most", "none"]
    expected = np.mean([ami(labels, candidates["half"](items)) for items, labels in SETS])
    assert selection.candidates[0].ami.mean == pytest.approx(expected)
    assert selection.candidates[0].ami.count == 7


def test_how_far_the_others_are_behind_is_measured_set_by_set():
    records = {
        record.name: record for record in select({"a": near(0.9, 1), "b": near(0.2, 2)}, SETS).candidates
    }
    assert records["a"].behind.mean == 0
    assert records["b"].behind.mean == pytest.approx(records["a"].ami.mean - records["b"].ami.mean)
    assert records["b"].behind.low > 0


def test_many_clusters_do_not_win_by_chance_as_they_would_with_nmi():
    assert select({"singletons": singletons, "some truth": near(0.6, 1)}, SETS).winner == "some truth"


def test_of_equals_the_first_wins():
    assert select({"first": near(0.7, 1), "second": near(0.7, 1)}, SETS).winner == "first"


def test_the_record_is_json_ready_even_for_one_set():
    record = select({"only": near(1.0, 1)}, SETS[:1]).as_dict()
    assert json.loads(json.dumps(record, allow_nan=False))["candidates"] == [
        {"name": "only", "ami": 1.0, "interval": None, "n_sets": 1, "behind": 0.0, "behind_interval": None}
    ]


def test_nothing_to_choose_from_is_refused():
    with pytest.raises(InvalidInputError, match="candidates must hold"):
        select({}, SETS)
    with pytest.raises(InvalidInputError, match="sets must hold"):
        select({"only": singletons}, [])
