"""What all systems that learn have in common: encoder, background, budget, and a place for files."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from abclust.baselines.interface import Background
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.network_file import fill_network
from abclust.storage.tensor_file import load_tensors, save_tensors
from abclust.training.config import TrainingConfig
from abclust.training.pool_drawing import PoolConfig
from abclust.training.pool_source import PoolSource
from abclust.version import __version__

KIND = "baseline"


@dataclass(frozen=True)
class LearningConfig:
    """The encoder that all systems share, and what each of them is shown. The defaults are for Omniglot.

    Examples
    --------
    >>> LearningConfig().image_passes
    1600000
    """

    network: ContextKernelConfig = field(
        default_factory=lambda: ContextKernelConfig(
            image_size=56, encoder="fast-cnn", encoder_channels=(32, 64, 128, 256)
        )
    )
    """Items, encoder and width. Blocks and compatibility are each system's own."""
    training: TrainingConfig = field(
        default_factory=lambda: TrainingConfig(
            steps=4_000,
            optimizer="muon",
            learning_rate=3e-3,
            ema_decay=0.999,
            contrastive_weight=1.0,
            accelerator="cpu",
        )
    )
    """Length, optimizer and seed of every training on the background."""
    pools: PoolConfig = field(default_factory=lambda: PoolConfig(rotated=0.5, mirrored=0.5))
    """What a step encodes."""
    augmentation: AugmentationConfig | None = field(
        default_factory=lambda: AugmentationConfig(elastic=1.5, stroke=0.8)
    )
    """How images are varied; None for vectors, or to leave images as they are."""

    @property
    def image_passes(self) -> int:
        """Items that one training encodes, at most: small groups give smaller pools."""
        return self.training.steps * self.pools.pools_per_step * self.pools.pool_size

    def source(self, background: Background) -> PoolSource:
        """Batches of this background, the same for every system."""
        return PoolSource(background, self.pools, seed=self.training.seed, augment=self.augmentation)


def fingerprint(background: Background) -> str:
    """A sha256 of the items and labels that a system learns from."""
    if isinstance(background, GroupedImages):
        return background.fingerprint
    digest = hashlib.sha256()
    for group in background:
        digest.update(repr((group.group, group.items.shape, group.items.dtype.str)).encode())
        digest.update(np.ascontiguousarray(group.items).tobytes())
        digest.update(group.labels.astype("<i8").tobytes())
    return digest.hexdigest()


def seeded(build: Callable[[], nn.Module], seed: int) -> Any:
    """Build a module whose first weights depend on `seed` alone; torch's own stream is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


@dataclass(frozen=True)
class Learning:
    """What decides the weights of one training; a file with another one is refused."""

    config: LearningConfig
    background: str
    """Its :func:`fingerprint`."""
    details: dict[str, Any]
    """What the system adds, JSON-ready."""

    @classmethod
    def of(cls, config: LearningConfig, background: Background, **details: Any) -> "Learning":
        return cls(config, fingerprint(background), details)


def load_or_learn(
    module: nn.Module,
    name: str,
    learning: Learning,
    folder: str | Path | None,
    train: Callable[[Path | None], int],
) -> int:
    """Fill `module` from the file of that name in `folder`, or train it and write the file.

    Systems that share a network and a folder therefore train it once, and a finished training is never
    repeated; an unfinished one goes on from its checkpoints in ``<name>.run/``.

    Parameters
    ----------
    module
        What is learned; in evaluation mode afterwards.
    name
        The name of the file, ``<name>.safetensors``.
    learning
        What decides the weights.
    folder
        Where files are; None keeps nothing.
    train
        ``train(run_folder) -> items encoded``: trains `module` in place.

    Returns
    -------
    int
        Items that the training encoded.

    Raises
    ------
    FileFormatError
        If the file is damaged or holds something else.
    InvalidInputError
        If it was learned from something else or with other settings.
    """
    path = None if folder is None else Path(folder) / f"{name}.safetensors"
    if path is not None and path.is_file():
        return _load(module, path, learning)
    image_passes = train(None if path is None else path.with_suffix(".run"))
    module.eval()
    if path is not None:
        header = {
            "kind": KIND,
            "written_by": f"abclust {__version__}",
            "learning": to_dict(learning),
            "image_passes": image_passes,
        }
        save_tensors(path, module.state_dict(), header)
    return image_passes


def _load(module: nn.Module, path: Path, learning: Learning) -> int:
    stored = load_tensors(path)
    if stored.header.get("kind") != KIND:
        raise FileFormatError(
            f"file must hold a learned baseline. Got {str(path)!r}, which holds "
            f"{stored.header.get('kind')!r}."
        )
    # Read back as a value: settings that a later version adds have their defaults.
    known = from_dict(Learning, stored.header["learning"])
    names = ("config", "background", "details")
    differing = [name for name in names if getattr(known, name) != getattr(learning, name)]
    if differing:
        raise InvalidInputError(
            "folder must hold networks learned from the same background with the same settings. "
            f"Got {str(path)!r}, which differs in {', '.join(differing)}. Choose another folder."
        )
    fill_network(module, stored.tensors, path)
    module.eval()
    return int(stored.header["image_passes"])
