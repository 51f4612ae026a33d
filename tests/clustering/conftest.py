"""Kernels with an answer: planted partitions, noise, perfect blocks; and every partition of a few items."""

from collections.abc import Callable

import numpy as np
import pytest


def _planted_kernel(seed: int, n_items: int, n_clusters: int, signal: float = 2.0, noise: float = 1.5):
    """Labels and a kernel whose log-odds are ±signal plus noise; every cluster has an item."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_clusters), rng.integers(n_clusters, size=n_items - n_clusters)])
    log_odds = np.where(labels[:, None] == labels, signal, -signal) + _symmetric_noise(rng, n_items, noise)
    return labels, 1 / (1 + np.exp(-log_odds))


def _symmetric_noise(rng: np.random.Generator, n_items: int, scale: float) -> np.ndarray:
    upper = np.triu(rng.normal(scale=scale, size=(n_items, n_items)))
    return upper + np.triu(upper, 1).T


def _noise_kernel(seed: int, n_items: int) -> np.ndarray:
    return 1 / (1 + np.exp(-_symmetric_noise(np.random.default_rng(seed), n_items, 3.0)))


def _block_kernel(*sizes: int) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return (labels[:, None] == labels).astype(float)


def _set_partitions(n_items: int) -> np.ndarray:
    """Every partition of n items as a row of canonical labels; there are Bell(n) of them."""
    rows = [[0]]
    for _ in range(n_items - 1):
        rows = [[*row, label] for row in rows for label in range(max(row) + 2)]
    return np.array(rows)


@pytest.fixture(scope="session")
def planted_kernel() -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return _planted_kernel


@pytest.fixture(scope="session")
def noise_kernel() -> Callable[..., np.ndarray]:
    return _noise_kernel


@pytest.fixture(scope="session")
def block_kernel() -> Callable[..., np.ndarray]:
    return _block_kernel


@pytest.fixture(scope="session")
def set_partitions() -> Callable[[int], np.ndarray]:
    return _set_partitions
