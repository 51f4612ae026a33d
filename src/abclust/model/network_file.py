"""A network on disk: safetensors, with configuration and metadata in the JSON header."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.model.config import ContextKernelConfig
from abclust.storage.tensor_file import load_tensors, save_tensors
from abclust.version import __version__

KIND = "network"


def write_network_file(
    path: str | Path, config: Mapping[str, Any], tensors: Mapping[str, Tensor], metadata: Mapping[str, Any]
) -> None:
    """Write a network. `metadata` must be JSON-ready; the version that wrote the file is added."""
    header = {
        "kind": KIND,
        "written_by": f"abclust {__version__}",
        "config": dict(config),
        "metadata": dict(metadata),
    }
    try:
        save_tensors(path, tensors, header)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"metadata must be JSON values. Got: {error}.") from error


def read_network_file(path: str | Path) -> tuple[ContextKernelConfig, dict[str, Tensor], dict[str, Any]]:
    """Configuration, weights and metadata of a network file, checked before any network is built.

    Raises
    ------
    FileFormatError
        If the file is truncated, foreign, newer, or not a network (a training checkpoint, say).
    """
    stored = load_tensors(path)
    if stored.header.get("kind") != KIND:
        raise FileFormatError(
            f"file must hold a network. Got {str(path)!r}, which holds {stored.header.get('kind')!r}. "
            "A training checkpoint is continued with: abclust train --resume."
        )
    try:
        config = from_dict(ContextKernelConfig, dict(stored.header["config"]))
        metadata = dict(stored.header.get("metadata", {}))
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"header of {str(path)!r} must be one this version knows. Got: {error!r}."
        ) from error
    if not stored.tensors:
        raise FileFormatError(f"file must hold weights. Got {str(path)!r} without any tensor.")
    return config, stored.tensors, metadata


def fill_network(network: nn.Module, tensors: Mapping[str, Tensor], path: str | Path) -> None:
    """Copy `tensors` into `network`, which takes their precision.

    Raises
    ------
    FileFormatError
        If a tensor is missing, superfluous or of another shape than the configuration says.
    """
    wanted = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wanted != found:
        wrong = [f"{name} is missing" for name in sorted(wanted.keys() - found.keys())]
        wrong += [f"{name} is not part of the network" for name in sorted(found.keys() - wanted.keys())]
        wrong += [
            f"{name} has shape {found[name]} instead of {wanted[name]}"
            for name in sorted(wanted.keys() & found.keys())
            if found[name] != wanted[name]
        ]
        raise FileFormatError(
            f"tensors of {str(path)!r} must be those of its configuration. Got {len(wrong)} differences: "
            f"{'; '.join(wrong[:3])}."
        )
    # Counters of batch norm are integers: the first floating-point tensor tells the precision.
    network.to(next(tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()))
    network.load_state_dict(dict(tensors))
