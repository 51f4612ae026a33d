"""`abclust.load`: a shipped name or a path, checked by hash, never by guess."""

import hashlib
import json

import numpy as np
import pytest

import abclust
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.zoo import catalogue as catalogue_module
from abclust.zoo.catalogue import catalogue, shipped_names

X = np.random.default_rng(0).normal(size=(5, 3))


@pytest.fixture
def network() -> ContextKernelNetwork:
    return ContextKernelNetwork(ContextKernelConfig(n_features=3, width=6, heads=2), {"seed": 7})


@pytest.fixture
def shelf(tmp_path, monkeypatch, network):
    """A catalogue of one shipped network, "sample"."""
    network.save(tmp_path / "sample.safetensors")
    entry = {
        "name": "sample",
        "sha256": hashlib.sha256((tmp_path / "sample.safetensors").read_bytes()).hexdigest(),
        "expects": "points of space",
        "trained_on": "nothing",
        "command": "none",
    }
    (tmp_path / "catalogue.json").write_text(json.dumps([entry]))
    monkeypatch.setattr(catalogue_module, "WEIGHTS", tmp_path)
    monkeypatch.setattr(catalogue_module, "CATALOGUE", tmp_path / "catalogue.json")
    catalogue.cache_clear()
    yield tmp_path
    catalogue.cache_clear()


def test_a_network_is_loaded_from_a_path(tmp_path, network):
    network.save(tmp_path / "mine.safetensors")
    for path in (tmp_path / "mine.safetensors", str(tmp_path / "mine.safetensors")):
        again = abclust.load(path)
        assert np.array_equal(again.kernel(X), network.kernel(X))
        assert again.metadata == {"seed": 7}


def test_a_network_is_loaded_by_its_shipped_name(shelf, network):
    assert shipped_names() == ["sample"]
    assert np.array_equal(abclust.load("sample").kernel(X), network.kernel(X))


def test_shipped_weights_with_another_hash_are_refused(shelf):
    path = shelf / "sample.safetensors"
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(
        FileFormatError, match=r"shipped weights 'sample' must have sha256 .*reinstall abclust"
    ):
        abclust.load("sample")
    path.unlink()
    with pytest.raises(FileFormatError, match="Got no file"):
        abclust.load("sample")


def test_neither_a_name_nor_a_file_is_an_error_that_lists_the_names(shelf):
    with pytest.raises(DataNotFoundError, match=r"shipped name \(sample\)\. Got 'samples'"):
        abclust.load("samples")


def test_a_device_that_is_not_there_is_an_error(shelf):
    with pytest.raises(InvalidInputError, match="device must be one that torch can use here"):
        abclust.load("sample", device="telephone")


def test_every_shipped_network_loads_and_gives_a_kernel():
    for name in shipped_names():
        network = abclust.load(name)
        kernel = network.kernel(np.random.default_rng(0).random((5, *network.config.item_shape)))
        assert np.array_equal(kernel, kernel.T), name
        assert catalogue()[name].path.stat().st_size < 10_000_000, name


def test_the_catalogue_lists_every_file_of_the_shelf():
    files = sorted(path.stem for path in catalogue_module.WEIGHTS.glob("*.safetensors"))
    assert files == shipped_names()
