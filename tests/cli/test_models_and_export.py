"""`abclust models` and `abclust export`: what there is, and how to take it elsewhere."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from abclust.foundations.errors import DataNotFoundError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.zoo.catalogue import catalogue, shipped_names


def test_all_shipped_weights_are_listed_with_what_one_must_know(run: Run) -> None:
    done = run("models")
    assert done.exit_code == 0
    for name, entry in catalogue().items():
        assert name in done.stdout
        assert entry.expects in done.stdout
        assert entry.sha256 in done.stdout
        assert entry.licence in done.stdout


def test_a_list_as_json_has_every_field(run: Run) -> None:
    told = json.loads(run("models", "--json").stdout)
    assert [card["name"] for card in told] == shipped_names()
    assert all(card["scores"] and card["n_bytes"] < 10_000_000 for card in told)


def test_a_card_is_printed_by_name(run: Run) -> None:
    told = run("models", "circles").stdout
    for word in ("Intended use", "Limits", "Data", "Training", "Scores", "abclust reproduce circles --train"):
        assert word in told
    assert json.loads(run("models", "circles", "--json").stdout)["name"] == "circles"


def test_a_network_of_ones_own_has_a_card(run: Run, image_network: Path) -> None:
    told = run("models", image_network).stdout
    assert "images of 16 x 16" in told
    assert "greek" in told


def test_neither_a_name_nor_a_file_is_an_error_that_lists_the_names(run: Run) -> None:
    done = run("models", "squares")
    assert isinstance(done.exception, DataNotFoundError)
    assert "circles" in str(done.exception)


def test_a_network_is_exported_checked_and_not_replaced_without_force(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("onnxscript", reason="needs: pip install 'abclust[export]'")
    pytest.importorskip("onnxruntime", reason="needs: pip install 'abclust[export]'")
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=0))
    network.save(tmp_path / "mine.safetensors")
    done = run("export", "mine.safetensors", "--onnx", "mine.onnx", "--check", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["n_bytes"] == (tmp_path / "mine.onnx").stat().st_size
    assert list(told["largest_difference_by_n_items"]) == ["1", "7", "100", "1000"]
    assert max(told["largest_difference_by_n_items"].values()) < 1e-5
    before = (tmp_path / "mine.onnx").read_bytes()
    refused = run("export", "mine.safetensors", "--onnx", "mine.onnx")
    assert "--force" in str(refused.exception)
    refused = run("export", "mine.safetensors", "--onnx", "mine.safetensors", "--force")
    assert "must not replace the input" in str(refused.exception)
    assert (tmp_path / "mine.onnx").read_bytes() == before


@pytest.mark.slow
def test_the_shipped_circles_are_exported_exactly(run: Run) -> None:
    pytest.importorskip("onnxscript", reason="needs: pip install 'abclust[export]'")
    done = run("export", "circles", "--onnx", "circles.onnx", "--check")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("largest difference") == 4
