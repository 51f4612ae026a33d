"""Tensors and a JSON header in one file, without pickle."""

import pytest
import torch

from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.storage.tensor_file import FORMAT, FORMAT_VERSION, load_tensors, read_header, save_tensors


def test_tensors_of_every_kind_come_back_to_the_last_bit(tmp_path):
    whole = torch.randn(5, 7)
    tensors = {
        "single": whole,
        "double": torch.randn(3, dtype=torch.float64),
        "half": torch.randn(3).bfloat16(),
        "counter": torch.tensor(11),
        "flags": torch.tensor([True, False]),
        "transposed": whole.T,  # strided and sharing memory with another
        "channels last": torch.randn(2, 3, 5, 7).to(memory_format=torch.channels_last),
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "empty": torch.zeros(0, 3),
    }
    save_tensors(tmp_path / "file", tensors, {})
    found = load_tensors(tmp_path / "file").tensors
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype, name
        assert torch.equal(found[name], tensor), name


def test_the_header_carries_json_and_the_format_s_stamp(tmp_path):
    header = {"kind": "test", "list": [1, 2.5, None, True], "nested": {"word": "naïve"}}
    save_tensors(tmp_path / "file", {"x": torch.zeros(1)}, header)
    assert read_header(tmp_path / "file") == {"format": FORMAT, "format_version": FORMAT_VERSION, **header}


@pytest.mark.parametrize("value", [float("nan"), object()])
def test_a_header_that_is_not_json_leaves_the_old_file(tmp_path, value):
    save_tensors(tmp_path / "file", {"x": torch.zeros(1)}, {"kind": "old"})
    with pytest.raises((TypeError, ValueError)):
        save_tensors(tmp_path / "file", {"x": torch.ones(1)}, {"kind": value})
    assert read_header(tmp_path / "file")["kind"] == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_is_not_a_file_is_not_found(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(DataNotFoundError, match="path must be an existing file"):
            load_tensors(path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"\x89PNG not really")
    with pytest.raises(FileFormatError, match="file must be a complete safetensors file"):
        load_tensors(tmp_path / "file")
