import pytest
import torch
from torch import nn

from abclust.training.weight_average import WeightAverage


def test_average_equals_the_recurrence():
    network = nn.BatchNorm1d(3).double()
    average = WeightAverage(network, 0.9)
    expected_weight = expected_mean = 0.0
    for step in range(23):
        with torch.no_grad():
            network.weight.copy_(torch.full((3,), float(step)))
            network.running_mean.copy_(torch.full((3,), float(step**2)))
            network.num_batches_tracked.fill_(step)
        average.update()
        decay = min(0.9, (1 + step) / (10 + step)) if step else 0.0
        expected_weight = decay * expected_weight + (1 - decay) * step
        expected_mean = decay * expected_mean + (1 - decay) * step**2
    assert average.module.weight[0].item() == pytest.approx(expected_weight)
    assert average.module.running_mean[0].item() == pytest.approx(expected_mean)
    assert average.module.num_batches_tracked.item() == 22


def test_the_average_does_not_share_memory_with_the_network():
    network = nn.Linear(2, 3)
    average = WeightAverage(network, 0.5)
    average.update()
    before = average.module.weight.clone()
    with torch.no_grad():
        network.weight.add_(1.0)
    assert torch.equal(average.module.weight, before)
