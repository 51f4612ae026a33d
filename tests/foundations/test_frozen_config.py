"""Frozen dataclasses to and from plain dictionaries."""

import json
from dataclasses import dataclass, field

import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict


@dataclass(frozen=True)
class Inner:
    steps: int = 3


@dataclass(frozen=True)
class Outer:
    name: str
    sizes: tuple[int, ...] | None = None
    inner: Inner = field(default_factory=Inner)
    maybe: Inner | None = None
    table: dict[str, int] = field(default_factory=dict)


@pytest.mark.parametrize(
    "config",
    [
        Outer("plain"),
        Outer("full", (2, 3, 5), Inner(7), Inner(11), {"a": 1}),
        Outer("empty tuple", ()),
    ],
)
def test_a_config_survives_json(config):
    assert from_dict(Outer, json.loads(json.dumps(to_dict(config)))) == config


def test_fields_that_are_not_given_keep_their_default():
    assert from_dict(Outer, {"name": "short"}) == Outer("short")


@pytest.mark.parametrize("values", [{"name": "x", "colour": 1}, {"name": "x", "inner": {"colour": 1}}])
def test_an_unknown_key_is_an_error_that_lists_the_fields(values):
    with pytest.raises(InvalidInputError, match=r"(Outer|Inner) has no field 'colour'\. Its fields are: "):
        from_dict(Outer, values)


@dataclass(frozen=True)
class Ranges:
    several: tuple[tuple[int, int], ...] = ()
    one: tuple[int, str] | None = None


def test_tuples_of_tuples_come_back_as_they_were():
    config = Ranges(several=((0, 3), (5, 7)), one=(2, "two"))
    assert from_dict(Ranges, json.loads(json.dumps(to_dict(config)))) == config
