"""Weights travel by reference, networks as the bytes of their file, modules not at all."""

import copy
import pickle
import pickletools

import numpy as np
import pytest
from sklearn.base import clone
from tests.estimator.handmade_networks import blobs, table_network_by_hand

from abclust.datasets.circle_sets import circles
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.estimator.network_source import NetworkBytes, WeightsReference, resolve_network
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.zoo.catalogue import catalogue, shipped_names

POINTS = circles(n_points=43, n_circles=3, seed=5)[0].items
NEW = circles(n_points=7, n_circles=1, seed=6)[0].items


def modules_in(content):
    """The packages of all that a pickle would import."""
    opcodes = list(pickletools.genops(content))
    strings = [argument for _, argument, _ in opcodes if isinstance(argument, str)]
    return {text.split(".")[0].split(" ")[0] for text in strings}


def test_shipped_weights_are_pickled_by_name_and_found_again():
    fitted = AttentionClustering("circles").fit(POINTS)
    content = pickle.dumps(fitted)
    assert "torch" not in modules_in(content)
    assert len(content) < catalogue()["circles"].path.stat().st_size / 20
    again = pickle.loads(content)
    np.testing.assert_array_equal(again.labels_, fitted.labels_)
    np.testing.assert_array_equal(again.predict(NEW), fitted.predict(NEW))


def test_a_file_is_pickled_by_its_absolute_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, _ = blobs(np.random.default_rng(0), 17, 3)
    table_network_by_hand().save("mine.safetensors")
    content = pickle.dumps(AttentionClustering("mine.safetensors").fit(table))
    monkeypatch.chdir("/")
    again = pickle.loads(content)
    assert again.model == "mine.safetensors"
    np.testing.assert_array_equal(again.predict(table + 1e-9), again.labels_)


def test_a_file_that_is_gone_or_changed_is_said_when_it_is_needed_and_not_before(tmp_path):
    path = tmp_path / "mine.safetensors"
    table, _ = blobs(np.random.default_rng(0), 17, 3)
    network = table_network_by_hand()
    network.save(path)
    content = pickle.dumps(AttentionClustering(path).fit(table))
    network.metadata["changed"] = True
    network.save(path)
    with pytest.raises(FileFormatError, match=r"fitted with .*fit again"):
        pickle.loads(content).predict(table + 1e-9)
    path.unlink()
    again = pickle.loads(content)
    assert again.n_clusters_ == 3
    assert "AttentionClustering" in repr(again)
    with pytest.raises(DataNotFoundError):
        again.predict(table + 1e-9)


def test_a_network_handed_in_is_pickled_as_the_content_of_its_file():
    table, _ = blobs(np.random.default_rng(0), 17, 3)
    network = table_network_by_hand()
    fitted = AttentionClustering(network).fit(table)
    content = pickle.dumps(fitted)
    assert "torch" not in modules_in(content)
    again = pickle.loads(content)
    assert again.network_ is again.model
    assert again.model.metadata == network.metadata
    np.testing.assert_array_equal(again.network_.kernel(np.eye(3, 13)), network.kernel(np.eye(3, 13)))
    np.testing.assert_array_equal(again.predict(table + 1e-9), fitted.labels_)


def test_an_unfitted_estimator_travels_too_and_has_no_network():
    again = pickle.loads(pickle.dumps(AttentionClustering(table_network_by_hand(), n_clusters=2)))
    assert again.n_clusters == 2
    assert not hasattr(again, "network_")


def test_the_network_of_the_fit_travels_even_if_the_parameter_changes_afterwards():
    table, _ = blobs(np.random.default_rng(0), 17, 3)
    fitted = AttentionClustering(table_network_by_hand()).fit(table)
    fitted.set_params(model="circles")
    again = copy.deepcopy(fitted)
    assert again.model == "circles"
    np.testing.assert_array_equal(again.predict(table + 1e-9), fitted.labels_)


def test_a_clone_of_an_estimator_with_a_network_computes_the_same():
    table, _ = blobs(np.random.default_rng(0), 17, 3)
    original = AttentionClustering(table_network_by_hand()).fit(table)
    copied = clone(original)
    assert not hasattr(copied, "labels_")
    np.testing.assert_array_equal(copied.fit(table).kernel_, original.kernel_)


def test_bytes_give_the_network_back():
    network = table_network_by_hand()
    again = NetworkBytes.of(network).network()
    assert again.config == network.config
    np.testing.assert_array_equal(again.kernel(np.eye(3, 13)), network.kernel(np.eye(3, 13)))


def test_auto_means_the_weights_for_the_kind_of_items_or_says_what_is_missing():
    for kind, name in (("table", "vectors"), ("images", "omniglot")):
        if name in shipped_names():
            assert resolve_network("auto", kind)[1] == WeightsReference(name, catalogue()[name].sha256)
        else:
            with pytest.raises(DataNotFoundError, match=rf"the weights '{name}' for {kind}.*circles"):
                resolve_network("auto", kind)


def test_a_model_of_another_kind_and_an_unknown_name_are_refused():
    with pytest.raises(InvalidInputError, match="model must be 'auto'"):
        resolve_network(3, "table")
    with pytest.raises(DataNotFoundError, match="a shipped name"):
        resolve_network("squares", "table")
