"""Networks on disk: what is written comes back to the last bit, what is broken is refused with a reason."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.storage.tensor_file import load_tensors, read_header, save_tensors

SMALL = {"width": 6, "heads": 2, "feed_forward_width": 5}
CONFIGS = {
    "vectors": ContextKernelConfig(n_features=3, **SMALL),
    "every option": ContextKernelConfig(
        n_features=3,
        compatibility="additive",
        fourier_octaves=2,
        pre_norm=True,
        skip="gated",
        log_n_reference=7,
        similarity="siamese",
        similarity_bias=True,
        direct_path=True,
        **SMALL,
    ),
    "images": ContextKernelConfig(image_size=16, encoder="fast-cnn", encoder_channels=(2, 3, 5), **SMALL),
    "images without context": ContextKernelConfig(
        image_size=16, encoder="paper-cnn", encoder_channels=(2, 3), n_blocks=0, **SMALL
    ),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "network.safetensors"


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_network_comes_back_to_the_last_bit(config, dtype, path):
    network = ContextKernelNetwork(config, {"seed": 7, "groups": ["Greek", "Latin"]}).to(dtype)
    X = np.random.default_rng(0).random((5, *config.item_shape))
    network(torch.as_tensor(X, dtype=dtype)[None])  # batch norm has seen something
    network.save(path)
    again = ContextKernelNetwork.from_file(path)
    assert again.config == config
    assert again.metadata == {"seed": 7, "groups": ["Greek", "Latin"]}
    assert not again.training
    for (name, one), other in zip(network.state_dict().items(), again.state_dict().values()):
        assert one.dtype == other.dtype, name
        assert torch.equal(one, other), name
    assert np.array_equal(again.kernel(X), network.kernel(X))


def test_a_second_network_replaces_the_first(path):
    for features in (2, 3):
        ContextKernelNetwork(ContextKernelConfig(n_features=features, **SMALL)).save(path)
    assert ContextKernelNetwork.from_file(path).config.n_features == 3
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_header_can_be_read_without_the_weights(path):
    ContextKernelNetwork(CONFIGS["vectors"], {"scores": {"ari": 0.5}}).save(path)
    header = read_header(path)
    assert (header["kind"], header["format_version"]) == ("network", 1)
    assert header["metadata"] == {"scores": {"ari": 0.5}}
    assert header["config"]["width"] == 6


@pytest.mark.parametrize("metadata", [{"when": object()}, {"score": float("nan")}, {"who": {1, 2}}])
def test_metadata_that_is_not_json_is_an_error_and_the_old_file_stays(metadata, path):
    network = ContextKernelNetwork(CONFIGS["vectors"])
    network.save(path)
    before = path.read_bytes()
    network.metadata = metadata
    with pytest.raises(InvalidInputError, match=r"metadata must be JSON values. Got: "):
        network.save(path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_there(path):
    with pytest.raises(DataNotFoundError, match=r"path must be an existing file. Got .*network.safetensors"):
        ContextKernelNetwork.from_file(path)


@pytest.mark.parametrize("kept", [0, 1, 7, 100, -1])
def test_a_truncated_file(kept, path):
    ContextKernelNetwork(CONFIGS["vectors"]).save(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(FileFormatError, match="file must be a complete safetensors file"):
        ContextKernelNetwork.from_file(path)


def test_files_of_other_kinds(path):
    path.write_text("item,cluster\n0,1\n")
    with pytest.raises(FileFormatError, match="may be truncated or of another kind"):
        ContextKernelNetwork.from_file(path)
    save_file({"weight": torch.zeros(3)}, path)
    with pytest.raises(FileFormatError, match="a safetensors file without our header"):
        ContextKernelNetwork.from_file(path)
    torch.save({"weight": torch.zeros(3)}, path)  # a pickle is never opened
    with pytest.raises(FileFormatError):
        ContextKernelNetwork.from_file(path)


def test_a_checkpoint_is_not_a_network(path):
    save_tensors(path, {"step": torch.zeros(1)}, {"kind": "checkpoint"})
    with pytest.raises(FileFormatError, match=r"file must hold a network. Got .* which holds 'checkpoint'"):
        ContextKernelNetwork.from_file(path)


def rewritten(path: Path, header: dict | None = None, tensors: dict | None = None) -> None:
    """The file at `path` with parts of its header or tensors changed; None takes a tensor away."""
    stored = load_tensors(path)
    merged = {**stored.tensors, **(tensors or {})}
    kept = {name: tensor for name, tensor in merged.items() if tensor is not None}
    text = json.dumps({**stored.header, **(header or {})})
    save_file(kept, path, metadata={"abclust_header": text})


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            {"format_version": 2},
            "file format must be at most 1. Got 2 .* written by a newer abclust: upgrade",
        ),
        ({"format": "other"}, "with another header"),
        ({"config": {"n_features": 3, "telepathy": True}}, "ContextKernelConfig has no field 'telepathy'"),
        ({"config": {"n_features": 3, "width": -6}}, "width must be an integer of at least 1. Got -6"),
        ({"config": [1, 2]}, "header of .* must be one this version knows"),
        ({"config": None}, "header of .* must be one this version knows"),
        ({"metadata": "none"}, "header of .* must be one this version knows"),
    ],
)
def test_a_header_that_this_version_cannot_follow(header, message, path):
    ContextKernelNetwork(CONFIGS["vectors"]).save(path)
    rewritten(path, header)
    with pytest.raises(FileFormatError, match=message):
        ContextKernelNetwork.from_file(path)


@pytest.mark.parametrize("text", ["{not json", "[1, 2]", '"abclust"'])
def test_a_header_that_is_no_json_object(text, path):
    save_file({"weight": torch.zeros(3)}, path, metadata={"abclust_header": text})
    with pytest.raises(FileFormatError, match=r"must be JSON|with another header"):
        ContextKernelNetwork.from_file(path)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"head.keys.bias": None}, "Got 1 differences: head.keys.bias is missing"),
        ({"extra": torch.zeros(3)}, "Got 1 differences: extra is not part of the network"),
        ({"head.keys.bias": torch.zeros(5)}, r"head.keys.bias has shape \(5,\) instead of \(6,\)"),
    ],
)
def test_tensors_that_are_not_those_of_the_configuration(tensors, message, path):
    ContextKernelNetwork(CONFIGS["vectors"]).save(path)
    rewritten(path, tensors=tensors)
    with pytest.raises(FileFormatError, match=message):
        ContextKernelNetwork.from_file(path)


def test_a_file_without_weights(path):
    header = {"kind": "network", "config": to_dict(CONFIGS["vectors"]), "metadata": {}}
    save_tensors(path, {}, header)
    with pytest.raises(FileFormatError, match="file must hold weights"):
        ContextKernelNetwork.from_file(path)


def test_a_device_that_is_not_there(path):
    ContextKernelNetwork(CONFIGS["vectors"]).save(path)
    for device in ("telephone", "cuda:77"):
        with pytest.raises(
            InvalidInputError, match=f"device must be one that torch can use here.*Got '{device}'"
        ):
            ContextKernelNetwork.from_file(path, device=device)
