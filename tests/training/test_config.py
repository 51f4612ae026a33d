import dataclasses
import json

import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.training.config import Interval, TrainingConfig, help_of, parse_interval


def test_every_field_has_a_help_that_is_a_sentence():
    for field in dataclasses.fields(TrainingConfig):
        assert help_of(field.name)[-1] in ".,", field.name


def test_a_configuration_survives_json():
    config = TrainingConfig(steps=7, patience=3, checkpoint_every="30s")
    assert from_dict(TrainingConfig, json.loads(json.dumps(to_dict(config)))) == config


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("500", Interval(steps=500)),
        ("30s", Interval(seconds=30.0)),
        ("5m", Interval(seconds=300.0)),
        (7, Interval(7)),
    ],
)
def test_intervals_are_steps_or_time(text, interval):
    assert parse_interval(text) == interval


@pytest.mark.parametrize("text", ["", "0", "5 minutes", "-3", "m", "0m"])
def test_other_intervals_are_refused(text):
    with pytest.raises(InvalidInputError, match="30s, 5m or 1h"):
        parse_interval(text)


def test_intervals_know_when_they_are_due():
    assert Interval(steps=5).is_due(10, 0.0)
    assert not Interval(steps=5).is_due(11, 1e9)
    assert Interval(seconds=5.0).is_due(11, 5.0)
    assert not Interval(seconds=5.0).is_due(10, 4.9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"learning_rate": -1.0},
        {"optimizer": "sgd"},
        {"schedule": "linear"},
        {"pair_weighting": "fair"},
        {"ema_decay": 1.0},
        {"warmup_steps": -1},
        {"minutes": 0.0},
        {"checkpoint_every": "soon"},
    ],
)
def test_values_out_of_range_are_named(wrong):
    (name,) = wrong
    with pytest.raises(InvalidInputError, match=name):
        TrainingConfig(**wrong)
