"""Where an estimator's network comes from, and how it travels: as a name, as a path, or as its own bytes."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from abclust.estimator.item_kinds import Kind
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.tensor_file import read_header
from abclust.zoo.catalogue import catalogue, shipped_names
from abclust.zoo.loading import load

AUTO = "auto"
DEFAULT_WEIGHTS: dict[Kind, str] = {"images": "omniglot", "table": "vectors"}
"""What ``model="auto"`` means, by the kind of items."""


@dataclass(frozen=True)
class WeightsReference:
    """Weights that lie elsewhere: a shipped name or an absolute path, and what they must hash to."""

    name: str
    sha256: str

    @classmethod
    def of(cls, name: str) -> "WeightsReference":
        """The reference of a shipped name or a path."""
        shipped = catalogue().get(name)
        if shipped is not None:
            return cls(name, shipped.sha256)
        path = Path(name).absolute()
        return cls(str(path), _sha256(path))

    def load(self, device: str | torch.device = "cpu") -> ContextKernelNetwork:
        """The weights, if they are still the same.

        Raises
        ------
        DataNotFoundError
            If they are not there any more.
        FileFormatError
            If there are others in their place.
        """
        network = load(self.name, device=str(device))
        found = WeightsReference.of(self.name).sha256
        if found != self.sha256:
            raise FileFormatError(
                f"the weights {self.name!r} must be those that the estimator was fitted with (sha256 "
                f"{self.sha256}). Got {found}. Put the old file back, or fit again."
            )
        return network


def resolve_network(model: Any, kind: Kind) -> tuple[ContextKernelNetwork, WeightsReference | None]:
    """The network that a caller means, and its reference where it has one.

    Parameters
    ----------
    model
        ``"auto"``, the name of shipped weights, a path, or a network.
    kind
        What is to be clustered, for ``"auto"``.

    Raises
    ------
    DataNotFoundError
        If there are no such weights.
    InvalidInputError
        If `model` is something else.
    """
    if isinstance(model, ContextKernelNetwork):
        return model, None
    if not isinstance(model, str | os.PathLike):
        raise InvalidInputError(
            "model must be 'auto', the name of shipped weights, a path or a ContextKernelNetwork. "
            f"Got {model!r:.200}."
        )
    name = os.fspath(model)
    if name == AUTO:
        name = DEFAULT_WEIGHTS[kind]
        if name not in shipped_names():
            raise DataNotFoundError(
                f"model must not be 'auto' here: that means the weights {name!r} for {kind}, which this "
                f"installation does not have. It has {', '.join(shipped_names())}. Name one of these, or "
                "give a network that abclust.train made."
            )
    network = load(name)
    return network, WeightsReference.of(name)


def peek_header(model: Any) -> dict[str, Any]:
    """The metadata of what a caller means, without loading it; nothing if there is no such thing.

    ``"auto"`` is taken for the weights of tables: of images nothing is known beforehand.
    """
    if isinstance(model, ContextKernelNetwork):
        return model.metadata
    if not isinstance(model, str | os.PathLike):
        return {}
    name = DEFAULT_WEIGHTS["table"] if model == AUTO else os.fspath(model)
    shipped = catalogue().get(name)
    try:
        return dict(read_header(shipped.path if shipped else name).get("metadata", {}))
    except InvalidInputError:  # `fit` will say so
        return {}


@dataclass(frozen=True)
class NetworkBytes:
    """A network as the content of its file: what is pickled in its place, since modules are not."""

    content: bytes

    @classmethod
    def of(cls, network: ContextKernelNetwork) -> "NetworkBytes":
        with TemporaryDirectory() as folder:
            path = Path(folder, "network.safetensors")
            network.save(path)
            return cls(path.read_bytes())

    def network(self) -> ContextKernelNetwork:
        """A network with the same configuration, weights and metadata, on the CPU, ready for use."""
        with TemporaryDirectory() as folder:
            path = Path(folder, "network.safetensors")
            path.write_bytes(self.content)
            return ContextKernelNetwork.from_file(path)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
