"""Small stand-ins: a network that trains in milliseconds, and sets it can learn."""

import numpy as np
import pytest
import torch
from torch import nn


class TinyEncodingNetwork(nn.Module):
    """encode, relate and forward, as the real network has them, with dropout that draws random numbers."""

    def __init__(self, n_features: int = 3, width: int = 7) -> None:
        super().__init__()
        self.encoder = nn.Linear(n_features, width)
        self.mixer = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.2)
        self.bias = nn.Parameter(torch.zeros(()))

    def encode(self, items):
        return torch.tanh(self.encoder(items.flatten(1)))

    def relate(self, embeddings, mask=None):
        weights = torch.ones(embeddings.shape[:2]) if mask is None else mask.to(embeddings.dtype)
        mean = (weights[..., None] * embeddings).sum(1, keepdim=True) / weights.sum(1)[:, None, None]
        mixed = self.mixer(self.dropout(embeddings - mean))
        return self.bias + mixed @ mixed.transpose(1, 2)

    def forward(self, batch, mask=None):
        flat = self.encode(batch.reshape(-1, *batch.shape[2:]))
        return self.relate(flat.reshape(*batch.shape[:2], -1), mask)


class TinyPlainNetwork(nn.Module):
    """No encode, no relate: any module (B, n, d) -> (B, n, n) can be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, batch, mask=None):
        return self.bias - self.scale * torch.cdist(batch, batch)


@pytest.fixture
def encoding_network() -> nn.Module:
    return TinyEncodingNetwork()


@pytest.fixture
def plain_network() -> nn.Module:
    return TinyPlainNetwork()


@pytest.fixture
def labelled_pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    """Eleven sets of 5 to 13 points around well separated centres."""
    rng = np.random.default_rng(17)
    pairs = []
    for n in (5, 7, 11, 13, 5, 7, 11, 13, 5, 7, 11):
        labels = rng.integers(3, size=n)
        pairs.append((rng.normal(scale=4, size=(3, 3))[labels] + rng.normal(scale=0.3, size=(n, 3)), labels))
    return pairs
