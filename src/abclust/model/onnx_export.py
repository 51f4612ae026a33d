"""A network as an ONNX graph: any number of sets, any number of items, a mask, and the header inside.

The graph is the network alone, from items as it expects them to raw logits. What stands around it (framing of
images, preparation of tables, averaging over views, calibration, the partition) is told by the header, which
travels in the graph's metadata under :data:`HEADER_KEY`.
"""

import json
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from abclust.foundations.errors import DataNotFoundError, FileFormatError, MissingExtraError
from abclust.foundations.frozen_config import to_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import replacing
from abclust.version import __version__

HEADER_KEY = "abclust_header"
INPUT_NAMES = ("items", "mask")
OUTPUT_NAMES = ("logits", "kernel")
CHECKED_SIZES = (1, 7, 100, 1000)
"""Items of the sets that :func:`compare_with_onnx` tries unless told otherwise."""
TOLERANCE = 1e-4
"""Largest difference of two probabilities that float32 in another order of summation explains."""
_EXAMPLE = (3, 5)  # sets and items to trace with: neither 0 nor 1, which the exporter would take for fixed


class _LogitsAndKernel(nn.Module):
    """What the graph computes."""

    def __init__(self, network: ContextKernelNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, items: Float[Tensor, "B n *item"], mask: Bool[Tensor, "B n"]
    ) -> tuple[Float[Tensor, "B n n"], Float[Tensor, "B n n"]]:
        logits = self.network(items, mask)
        return logits, logits.sigmoid()


@dataclass(frozen=True)
class OnnxDifference:
    """How far the graph is from the network on sets of one size."""

    n_items: int
    largest_difference: float
    """Of two probabilities of the same pair."""


def export_onnx(network: ContextKernelNetwork, path: str | Path) -> None:
    """Write a network as an ONNX file, whole or not at all.

    Inputs are ``items`` (sets, items, d) or (sets, items, H, W) of float32 and ``mask`` (sets, items), True
    for real items; outputs are ``logits`` and ``kernel`` = sigmoid(logits), both (sets, items, items), raw.
    Sets and items are free. The additive form holds sets x heads x items^2 x head width numbers at once: the
    graph cannot work in chunks as the network does.

    Parameters
    ----------
    network
        Left as it is; the graph has its weights as float32, in evaluation mode.
    path
        The file; one that is there is replaced.

    Raises
    ------
    MissingExtraError
        If onnx and onnxscript are not installed.

    References
    ----------
    https://onnx.ai, https://docs.pytorch.org/docs/stable/onnx_export.html
    """
    _require("onnxscript", "Exporting to ONNX")
    traced = deepcopy(network).to(device="cpu", dtype=torch.float32).eval()
    for module in traced.modules():
        if hasattr(module, "budget"):
            module.budget = float("inf")  # type: ignore[assignment] # sizes are free: no choice by size
    items = torch.zeros(*_EXAMPLE, *network.config.item_shape)
    axes = {0: torch.export.Dim("sets"), 1: torch.export.Dim("items")}
    with _quiet_exporter():
        program = torch.onnx.export(
            _LogitsAndKernel(traced).eval(),
            (items, torch.ones(_EXAMPLE, dtype=torch.bool)),
            dynamo=True,
            input_names=INPUT_NAMES,
            output_names=OUTPUT_NAMES,
            dynamic_shapes=dict.fromkeys(INPUT_NAMES, axes),
            verbose=False,
        )
    assert program is not None  # the dynamo exporter gives a program; only the old one gives nothing
    program.model.metadata_props[HEADER_KEY] = json.dumps(_header(network), sort_keys=True)
    program.model.producer_name, program.model.producer_version = "abclust", __version__
    with replacing(path) as beside:
        program.save(beside, external_data=False)


def read_onnx_header(path: str | Path) -> dict[str, Any]:
    """The configuration and the metadata of the network that an ONNX file was made from.

    Raises
    ------
    MissingExtraError
        If onnxruntime is not installed.
    DataNotFoundError
        If there is no such file.
    FileFormatError
        If it is no ONNX file, or one that abclust did not write.
    """
    text = _session(path).get_modelmeta().custom_metadata_map.get(HEADER_KEY)
    if text is None:
        raise FileFormatError(
            f"file must be written by abclust export. Got {str(path)!r} without our header."
        )
    return json.loads(text)


def compare_with_onnx(
    network: ContextKernelNetwork, path: str | Path, sizes: Sequence[int] = CHECKED_SIZES, seed: int = 0
) -> list[OnnxDifference]:
    """Run network and graph on the same random sets, and give the largest difference for each size.

    Each size is tried with two sets at once, the second of them padded to the length of the first.

    Raises
    ------
    MissingExtraError
        If onnxruntime is not installed.
    DataNotFoundError, FileFormatError
        If there is no such file, or it is no ONNX file.
    """
    session = _session(path)
    judge = deepcopy(network).to(device="cpu", dtype=torch.float32).eval()
    generator = np.random.default_rng(seed)
    return [OnnxDifference(size, _largest_difference(judge, session, size, generator)) for size in sizes]


@torch.no_grad()
def _largest_difference(
    network: ContextKernelNetwork, session: Any, n_items: int, generator: np.random.Generator
) -> float:
    items = generator.random((2, n_items, *network.config.item_shape), dtype=np.float32)
    mask = np.ones((2, n_items), dtype=bool)
    mask[1, (n_items + 1) // 2 :] = False
    expected = network(torch.from_numpy(items), torch.from_numpy(mask)).sigmoid().numpy()
    (found,) = session.run(["kernel"], {"items": items, "mask": mask})
    is_real = mask[:, :, None] & mask[:, None, :]
    return float(np.abs(found - expected)[is_real].max())


def _header(network: ContextKernelNetwork) -> dict[str, Any]:
    return {
        "written_by": f"abclust {__version__}",
        "config": to_dict(network.config),
        "metadata": network.metadata,
    }


def _session(path: str | Path) -> Any:
    onnxruntime = _require("onnxruntime", "Running an ONNX file")
    if not Path(path).is_file():
        raise DataNotFoundError(f"path must be an existing file. Got {str(path)!r}.")
    try:
        return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common class of their own
        raise FileFormatError(f"file must be an ONNX graph. Got {str(path)!r}: {error}") from error


def _require(package: str, purpose: str) -> Any:
    try:
        return __import__(package)
    except ImportError as error:
        raise MissingExtraError(package, "export", purpose) from error


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """The exporter warns of names it will share between axes and of torchvision, which nobody asked for."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
