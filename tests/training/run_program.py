"""A training run as a program of its own, for tests that kill it, stop it or give it company.

    python run_program.py FOLDER --steps N --sets-per-step B --devices D --pause-at STEP

It resumes whatever FOLDER holds and writes the final weights to FOLDER/final.safetensors. At step STEP it
says so on standard output and waits for a line on standard input, so that a test can strike there.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

from abclust.foundations.random_state import stream
from abclust.storage.tensor_file import save_tensors
from abclust.training.config import TrainingConfig
from abclust.training.set_source import LabelledSetSource
from abclust.training.signals import TrainingInterrupted
from abclust.training.trainer import fit


class DropoutNetwork(nn.Module):
    """Small, and draws random numbers of its own. No bias: centring would leave rounding for its gradient."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(3, 13), nn.Tanh(), nn.Dropout(dropout), nn.Linear(13, 11, bias=False)
        )

    def encode(self, items):
        return self.encoder(items)

    def relate(self, embeddings, mask=None):
        centred = embeddings - embeddings.mean(1, keepdim=True)
        return centred @ centred.transpose(1, 2)

    def forward(self, batch, mask=None):
        return self.relate(self.encode(batch), mask)


class PausingSource(LabelledSetSource):
    """Stops before one step until it is told to go on."""

    pause_at = -1

    def batch(self, step, rank, world_size):
        if step == self.pause_at:
            print(f"paused at {step}", flush=True)
            sys.stdin.readline()
        return super().batch(step, rank, world_size)


def labelled_sets(count: int = 29, n: int = 7):
    for number in range(count):
        rng = stream(5, number)
        labels = rng.integers(3, size=n)
        yield rng.normal(scale=3, size=(3, 3))[labels] + rng.normal(size=(n, 3)), labels


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--sets-per-step", type=int, default=3)
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--pause-at", type=int, default=-1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    network = DropoutNetwork(options.dropout)
    start = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=start) / 3)
    source = PausingSource(list(labelled_sets()), sets_per_step=options.sets_per_step, seed=1)
    source.pause_at = options.pause_at
    config = TrainingConfig(
        steps=options.steps,
        learning_rate=0.01,
        warmup_steps=5,
        checkpoint_every="7",
        report_every=1,
        validate_every=10,
        patience=50,
        monitor="score",
        accelerator="cpu",
        devices=options.devices,
        strategy="ddp" if options.devices > 1 else "auto",
    )
    try:
        result = fit(
            network,
            source,
            config,
            folder=options.folder,
            validate=lambda module: {
                "score": -float(np.abs(module.encoder[0].weight.detach().numpy()).sum())
            },
            resume=True,
        )
    except TrainingInterrupted as interruption:
        print(interruption, flush=True)
        return interruption.exit_code
    if result.checkpoint is not None:  # the first process
        losses = torch.tensor([row["loss"] for row in result.history if "loss" in row], dtype=torch.float64)
        save_tensors(options.folder / "final.safetensors", {**network.state_dict(), "losses": losses}, {})
        print(f"resumed from {result.resumed_from}, ended at {result.step}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
