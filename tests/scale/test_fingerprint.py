"""A folder goes on with the very work that it holds, and with no other."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from abclust.foundations.errors import FileFormatError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.scale.checkpoint import FolderKeeper
from abclust.scale.config import LocalContextConfig
from abclust.scale.fingerprint import work_fingerprint

CONFIG = LocalContextConfig()


def network(seed: int) -> ContextKernelNetwork:
    torch.manual_seed(seed)
    return ContextKernelNetwork(ContextKernelConfig(n_features=3, width=8, heads=2))


def points(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(211, 3)).astype(np.float32)


def test_another_set_of_as_many_items_is_not_resumed_into(tmp_path) -> None:
    FolderKeeper(tmp_path, work_fingerprint(points(0), network(0), CONFIG, seed=0))
    FolderKeeper(tmp_path, work_fingerprint(points(0), network(0), CONFIG, seed=0))  # the very same goes on
    with pytest.raises(FileFormatError, match="other work"):
        FolderKeeper(tmp_path, work_fingerprint(points(1), network(0), CONFIG, seed=0))


def test_everything_that_decides_changes_the_fingerprint() -> None:
    calibrated = network(0)
    calibrated.metadata["calibration"] = {"log-odds": {"scale": 2.0}}
    changed = points(0)
    changed[210, 2] += 1e-3
    asked = [
        (points(0), network(0), CONFIG, 0, "network"),
        (changed, network(0), CONFIG, 0, "network"),
        (points(0).astype(np.float64), network(0), CONFIG, 0, "network"),
        (points(0), network(1), CONFIG, 0, "network"),
        (points(0), calibrated, CONFIG, 0, "network"),
        (points(0), None, CONFIG, 0, "network"),
        (points(0), network(0), replace(CONFIG, n_far=31), 0, "network"),
        (points(0), network(0), CONFIG, 1, "network"),
        (points(0), network(0), CONFIG, 0, "cosine"),
    ]
    stamps = [
        str(work_fingerprint(items, net, config, seed=seed, system=system))
        for items, net, config, seed, system in asked
    ]
    assert len(set(stamps)) == len(asked)


def test_a_memory_map_has_the_fingerprint_of_its_array(tmp_path) -> None:
    np.save(tmp_path / "points.npy", points(2))
    mapped = np.load(tmp_path / "points.npy", mmap_mode="r")
    stamps = [work_fingerprint(each, None, CONFIG, seed=0) for each in (points(2), mapped)]
    assert stamps[0] == stamps[1]
