"""Systems by name: the list is frozen, and the page about them knows them all."""

from pathlib import Path

import pytest

import abclust.baselines
from abclust.baselines import Baseline, baseline_names, build_baseline
from abclust.baselines.interface import SystemCard
from abclust.foundations.errors import InvalidInputError

PAGE = Path(__file__).parents[2] / "docs" / "baselines.md"
NAMES = (
    "k-means",
    "spectral-rbf",
    "agglomerative",
    "hdbscan",
    "itml",
    "skms",
    "skkm",
    "sklr",
    "pairwise-multiplicative",
    "pairwise-additive",
    "pairwise-siamese",
    "set-transformer",
    "dac",
    "kcl",
    "mcl",
    "dtc-pi",
    "abc-additive",
    "abc-multiplicative",
    "abc-kcl",
    "abc-mcl",
    "abclust",
)


def test_the_list_of_systems_is_frozen():
    assert baseline_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_system_carries_its_name_and_its_source(name):
    system = build_baseline(name)
    assert isinstance(system, Baseline)
    assert system.card.name == name
    assert system.card.title
    assert system.card.reference
    assert system.image_passes == 0
    assert "Deviations" in (type(system).__doc__ or "")
    assert "Cost" in (type(system).__doc__ or "")


@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_of_every_system(name):
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")


def test_the_daggers_are_those_of_the_paper():
    with_context = {name for name in NAMES if build_baseline(name).card.uses_context}
    ours = {"abc-additive", "abc-multiplicative", "abc-kcl", "abc-mcl", "abclust"}
    assert with_context == ours | {"dac", "set-transformer"}


def test_an_unknown_name_is_answered_with_the_names():
    with pytest.raises(InvalidInputError, match="'dtc-pi'"):
        build_baseline("dtc")


def test_a_card_belongs_to_a_group_of_the_table():
    with pytest.raises(InvalidInputError, match="group must be one of"):
        SystemCard("x", "x", "magic", reference="")


def test_public_names_are_frozen():
    assert abclust.baselines.__all__ == [
        "MAXIMUM",
        "Background",
        "Baseline",
        "LearningConfig",
        "SystemCard",
        "baseline_names",
        "build_baseline",
    ]
    assert all(hasattr(abclust.baselines, name) for name in abclust.baselines.__all__)
