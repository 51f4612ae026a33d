"""Named tensors and a JSON header in one safetensors file: no pickle, nothing runs when it is read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.storage.atomic_file import replacing

FORMAT = "abclust"
FORMAT_VERSION = 1
_HEADER = "abclust_header"


@dataclass(frozen=True)
class TensorFile:
    """What a file holds: its tensors by name and its header."""

    tensors: dict[str, torch.Tensor]
    header: dict[str, Any] = field(default_factory=dict)


def save_tensors(path: str | Path, tensors: Mapping[str, torch.Tensor], header: Mapping[str, Any]) -> None:
    """Write tensors and a JSON-ready header to `path`, whole or not at all."""
    stamped = {"format": FORMAT, "format_version": FORMAT_VERSION, **header}
    # Shared or strided memory has no place in the format; a checkpoint is a plain copy.
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    text = json.dumps(stamped, allow_nan=False, sort_keys=True)
    with replacing(path) as beside:
        save_file(plain, beside, metadata={_HEADER: text})


def load_tensors(path: str | Path) -> TensorFile:
    """Read a file written by :func:`save_tensors`.

    Raises
    ------
    DataNotFoundError
        If there is no such file.
    FileFormatError
        If it is truncated, not one of ours, or written by a newer version.
    """
    header = read_header(path)
    with _opened(path) as handle:
        return TensorFile({name: handle.get_tensor(name) for name in handle.keys()}, header)  # noqa: SIM118


def read_header(path: str | Path) -> dict[str, Any]:
    """The header alone, without reading any tensor."""
    with _opened(path) as handle:
        text = (handle.metadata() or {}).get(_HEADER)
    if text is None:
        raise FileFormatError(
            f"file must be written by abclust. Got {str(path)!r}, a safetensors file without our header."
        )
    try:
        header = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"header of {str(path)!r} must be JSON. Got: {error}.") from error
    version = header.get("format_version") if isinstance(header, dict) else None
    if not isinstance(version, int) or header.get("format") != FORMAT:
        raise FileFormatError(f"file must be written by abclust. Got {str(path)!r} with another header.")
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"file format must be at most {FORMAT_VERSION}. Got {version} in {str(path)!r}. "
            "It was written by a newer abclust: upgrade with pip install --upgrade abclust."
        )
    return header


def _opened(path: str | Path) -> Any:
    path = Path(path)
    if not path.is_file():
        raise DataNotFoundError(f"path must be an existing file. Got {str(path)!r}.")
    try:
        return safe_open(path, framework="pt", device="cpu")
    except (SafetensorError, OSError, ValueError) as error:
        raise FileFormatError(
            f"file must be a complete safetensors file. Got {str(path)!r}: {error}. "
            "It may be truncated or of another kind."
        ) from error
