"""A run on disk: tensors and a JSON header in one file, written beside and renamed, no pickle."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor

from abclust.foundations.errors import FileFormatError, InvalidInputError, TrainingError
from abclust.foundations.frozen_config import to_dict
from abclust.storage.tensor_file import TensorFile, load_tensors, save_tensors
from abclust.training.config import TrainingConfig
from abclust.training.state import BestWeights, TrainingState

_log = logging.getLogger(__name__)
_NAME = re.compile(r"step-(\d{8})\.safetensors")


def checkpoint_paths(folder: str | Path) -> list[Path]:
    """The checkpoints in `folder`, oldest first."""
    folder = Path(folder)
    return sorted(path for path in folder.glob("step-*.safetensors") if _NAME.fullmatch(path.name))


def save_checkpoint(
    folder: str | Path,
    state: TrainingState,
    config: TrainingConfig,
    precision: Mapping[str, Any] | None = None,
) -> Path:
    """Write `state` to ``folder/step-<step>.safetensors`` and remove all but the last few.

    Raises
    ------
    TrainingError
        If it cannot be written; the message names the last good one.
    """
    path = Path(folder) / f"step-{state.step:08d}.safetensors"
    header = {
        "kind": "checkpoint",
        "step": state.step,
        "total_steps": state.total_steps,
        "seconds": state.seconds,
        "n_items": state.n_items,
        "history": state.history,
        "best": None if state.best is None else {k: v for k, v in vars(state.best).items() if k != "tensors"},
        "precision": dict(precision or {}),
        "config": to_dict(config),
    }
    try:
        save_tensors(path, _tensors(state), header)
    except (OSError, SafetensorError) as error:
        raise TrainingError(
            f"checkpoint must be writable. Got {error} for {str(path)!r}. {last_good(folder)}"
        ) from error
    for old in checkpoint_paths(folder)[: -config.keep_checkpoints]:
        old.unlink(missing_ok=True)
    return path


def load_latest(folder: str | Path) -> tuple[Path, TensorFile] | None:
    """The newest checkpoint of `folder` that is whole; None if there is none.

    A damaged file is passed over with a warning in the log: the one before it is as good a place to start.
    """
    for path in reversed(checkpoint_paths(folder)):
        try:
            return path, load_tensors(path)
        except FileFormatError as error:
            _log.warning("passing over a damaged checkpoint: %s", error)
    return None


def latest_step(folder: str | Path) -> int | None:
    """The step from which a run in `folder` would be resumed; None if it would start fresh."""
    latest = load_latest(folder)
    return None if latest is None else latest[1].header["step"]


def restore(state: TrainingState, stored: TensorFile, where: str | Path) -> None:
    """Put a stored run back into `state`, bit for bit.

    Raises
    ------
    InvalidInputError
        If the checkpoint belongs to another network or optimizer.
    """
    header, groups = stored.header, _grouped(stored.tensors)
    try:
        state.network.load_state_dict(groups.get("network", {}))
        if state.average is not None:
            state.average.load_state_dict(groups.get("average", {}))
        _restore_optimizer(state.optimizer, groups.get("optimizer", {}))
    except (RuntimeError, KeyError, ValueError) as error:
        raise InvalidInputError(
            f"checkpoint must belong to this network and configuration. Got {str(where)!r}: {error}"
        ) from error
    state.step = header["step"]
    state.total_steps = header["total_steps"]
    state.seconds = header["seconds"]
    state.n_items = header["n_items"]
    state.history = header["history"]
    if header["best"] is not None:
        state.best = BestWeights(**header["best"], tensors=groups["best"])


def last_good(folder: str | Path | None) -> str:
    """A sentence that names the checkpoint to go back to."""
    paths = [] if folder is None else checkpoint_paths(folder)
    if not paths:
        return "No checkpoint was written before."
    return f"The last good checkpoint is {str(paths[-1])!r}."


def _tensors(state: TrainingState) -> dict[str, Tensor]:
    tensors = {f"network/{name}": tensor for name, tensor in state.network.state_dict().items()}
    if state.average is not None:
        tensors |= {f"average/{name}": tensor for name, tensor in state.average.state_dict().items()}
    if state.best is not None:
        tensors |= {f"best/{name}": tensor for name, tensor in state.best.tensors.items()}
    for index, values in state.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer/{index}/{name}": torch.as_tensor(value) for name, value in values.items()}
    return tensors


def _grouped(tensors: Mapping[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    groups: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        group, rest = name.split("/", 1)
        groups.setdefault(group, {})[rest] = tensor
    return groups


def _restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    stored = optimizer.state_dict()
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        index, key = name.split("/", 1)
        state.setdefault(int(index), {})[key] = tensor
    # The settings (learning rate and so on) come from the configuration: only what was learned is restored.
    optimizer.load_state_dict({"state": state, "param_groups": stored["param_groups"]})
