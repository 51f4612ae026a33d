"""The small loop has the manners of the large one: repeatable, resumable, careful."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from abclust.baselines.objective_training import fit_objective
from abclust.foundations.errors import InvalidInputError, TrainingError
from abclust.training.config import TrainingConfig
from abclust.training.set_source import LabelledSetSource
from abclust.training.signals import TrainingInterrupted

SETS = [(np.random.default_rng(n).normal(size=(n, 3)), np.zeros(n)) for n in (5, 7, 11)]
SOURCE = LabelledSetSource(SETS, sets_per_step=2, seed=1)
CONFIG = TrainingConfig(steps=13, warmup_steps=2, ema_decay=0.5, checkpoint_every="5", accelerator="cpu")


def module() -> nn.Module:
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(3, 7), nn.Dropout(0.3), nn.Linear(7, 1))


def objective(network: nn.Module):
    return lambda batch: (network(batch.items)[:, 0] - batch.items.sum(1)).square().mean()


def weights(network: nn.Module) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def loss_of(network: nn.Module) -> float:
    return float(objective(network.eval())(SOURCE.batch(99, 0, 1)).detach())


def test_it_walks_down():
    network = module()
    before = loss_of(network)
    n_items = fit_objective(
        network, objective(network), SOURCE, replace(CONFIG, steps=200, learning_rate=0.03)
    )
    assert not network.training
    assert loss_of(network) < 0.2 * before
    assert n_items > 200 * 5


def test_a_run_in_parts_ends_as_a_run_in_one(tmp_path: Path) -> None:
    whole, part = module(), module()
    passes = fit_objective(whole, objective(whole), SOURCE, CONFIG, tmp_path / "whole")

    def killed(batch):
        killed.calls += 1
        if killed.calls == 8:
            os.kill(os.getpid(), signal.SIGTERM)
        return objective(part)(batch)

    killed.calls = 0
    with pytest.raises(TrainingInterrupted) as stopped:
        fit_objective(part, killed, SOURCE, CONFIG, tmp_path / "part")
    assert stopped.value.step == 8
    assert stopped.value.checkpoint is not None
    again = module()
    assert fit_objective(again, objective(again), SOURCE, CONFIG, tmp_path / "part") == passes
    assert torch.equal(weights(again), weights(whole))
    assert not torch.equal(weights(again), weights(part))


def test_what_it_draws_leaves_the_callers_stream_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    network = module()
    torch.set_rng_state(state)
    fit_objective(network, objective(network), SOURCE, CONFIG)
    assert torch.equal(torch.rand(3), expected)


def test_the_weights_kept_are_the_average():
    averaged, last = module(), module()
    fit_objective(averaged, objective(averaged), SOURCE, CONFIG)
    fit_objective(last, objective(last), SOURCE, replace(CONFIG, ema_decay=0.0))
    assert not torch.equal(weights(averaged), weights(last))


def test_a_loss_that_is_no_number_stops_the_run():
    network = module()
    with pytest.raises(TrainingError, match="loss must stay finite"):
        fit_objective(network, lambda batch: network(batch.items).sum() * np.nan, SOURCE, CONFIG)


def test_minutes_are_refused():
    network = module()
    with pytest.raises(InvalidInputError, match="minutes must be None"):
        fit_objective(network, objective(network), SOURCE, replace(CONFIG, minutes=1.0))
