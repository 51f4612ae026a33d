"""Weights that are shipped can be loaded, are checked, and stand in the catalogue once."""

import hashlib
import json
from pathlib import Path

import pytest

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.zoo.catalogue import Entry
from abclust.zoo.shipping import main, ship_network

CARD = {"expects": "points", "trained_on": "circles", "command": "abclust reproduce circles --train"}


@pytest.fixture
def network_file(tmp_path: Path) -> Path:
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2), {"card": CARD})
    network.save(tmp_path / "trained.safetensors")
    return tmp_path / "trained.safetensors"


def entries(weights: Path) -> list[Entry]:
    return [from_dict(Entry, line) for line in json.loads((weights / "catalogue.json").read_text())]


def test_a_shipped_file_is_the_trained_one_and_its_hash_is_in_the_catalogue(
    network_file: Path, tmp_path: Path
) -> None:
    entry = ship_network("circles", network_file, weights=tmp_path / "weights")

    shipped = tmp_path / "weights" / "circles.safetensors"
    assert shipped.read_bytes() == network_file.read_bytes()
    assert entry.sha256 == hashlib.sha256(shipped.read_bytes()).hexdigest()
    assert entries(tmp_path / "weights") == [entry]


def test_texts_come_from_the_file_unless_given(network_file: Path, tmp_path: Path) -> None:
    entry = ship_network("circles", network_file, trained_on="ovals", weights=tmp_path / "weights")

    assert (entry.expects, entry.trained_on, entry.command) == ("points", "ovals", CARD["command"])
    assert entry.licence == "MIT"


def test_shipping_again_replaces_the_line_and_leaves_the_others(network_file: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    for name in ("vectors", "circles", "vectors"):
        ship_network(name, network_file, weights=weights)
    last = ship_network("vectors", network_file, expects="tables", weights=weights)

    assert [entry.name for entry in entries(weights)] == ["circles", "vectors"]
    assert entries(weights)[1] == last
    assert (
        len((weights / "catalogue.json").read_text().splitlines()) == 4
    )  # one line an entry, and two brackets


def test_the_command_ships_as_the_function_does(network_file: Path, tmp_path: Path) -> None:
    main(["circles", str(network_file), "--expects", "dots", "--weights", str(tmp_path / "weights")])

    assert entries(tmp_path / "weights")[0].expects == "dots"


def test_a_file_that_is_too_large_is_refused_and_nothing_is_written(
    network_file: Path, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match="smaller than 101 bytes"):
        ship_network("circles", network_file, weights=tmp_path / "weights", largest_bytes=101)
    assert not (tmp_path / "weights").exists()


def test_a_file_without_a_card_must_be_described(tmp_path: Path) -> None:
    ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2)).save(
        tmp_path / "bare.safetensors"
    )
    with pytest.raises(InvalidInputError, match="expects, trained_on, command must be given"):
        ship_network("circles", tmp_path / "bare.safetensors", weights=tmp_path / "weights")


@pytest.mark.parametrize("name", ["", "Circles", "../circles", "circles.safetensors"])
def test_a_name_that_is_not_one_is_refused(name: str, network_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="name must be"):
        ship_network(name, network_file, weights=tmp_path / "weights")


def test_what_is_not_a_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.safetensors").write_text("nothing")
    with pytest.raises(FileFormatError):
        ship_network("circles", tmp_path / "notes.safetensors", weights=tmp_path / "weights")


def test_a_damaged_catalogue_is_not_overwritten(network_file: Path, tmp_path: Path) -> None:
    catalogue = tmp_path / "weights" / "catalogue.json"
    catalogue.parent.mkdir()
    catalogue.write_text("{not json")
    with pytest.raises(FileFormatError, match="catalogue must be"):
        ship_network("circles", network_file, weights=tmp_path / "weights")
    assert catalogue.read_text() == "{not json"
