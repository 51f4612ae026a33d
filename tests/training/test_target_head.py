"""What else is known of an item teaches the network, and leaves no trace in its file."""

import numpy as np
import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.config import TrainingConfig
from abclust.training.generated_source import GeneratedSource
from abclust.training.objective import TrainingObjective
from abclust.training.target_head import TaughtNetwork, target_loss
from abclust.training.trainer import fit

SETS, ITEMS, TARGETS = 3, 7, 2


def small_network() -> ContextKernelNetwork:
    torch.manual_seed(0)
    return ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2, n_blocks=1))


def points_and_centres(rng: np.random.Generator, step: int) -> tuple[np.ndarray, ...]:
    """Two clusters a set; the target of a point is its cluster's centre."""
    centres = 3 * rng.normal(size=(SETS, 2, 2))
    labels = rng.integers(2, size=(SETS, ITEMS))
    targets = centres[np.arange(SETS)[:, None], labels]
    return targets + 0.1 * rng.normal(size=targets.shape), labels, targets


def losses_of(network: torch.nn.Module, config: TrainingConfig, batch) -> dict[str, torch.Tensor]:
    return TrainingObjective(network, config)(
        batch.items, batch.labels, batch.sets, batch.mask, batch.pools, targets=batch.targets
    )


def test_the_loss_is_the_mean_absolute_error_of_real_items():
    described = torch.tensor([[[1.0, 0.0], [2.0, 4.0], [9.0, 9.0]]])
    targets = torch.tensor([[[0.0, 0.0], [2.0, 1.0], [0.0, 0.0]]])
    mask = torch.tensor([[True, True, False]])
    assert target_loss(described, targets, mask).item() == pytest.approx((0.5 + 1.5) / 2)
    assert target_loss(described, targets).item() == pytest.approx((0.5 + 1.5 + 9) / 3)


def test_logits_do_not_depend_on_the_second_lesson():
    taught = TaughtNetwork(small_network(), TARGETS)
    embeddings = taught.encode(torch.randn(SETS * ITEMS, 2)).reshape(SETS, ITEMS, -1)
    logits, described = taught.relate_and_describe(embeddings)
    assert described.shape == (SETS, ITEMS, TARGETS)
    torch.testing.assert_close(logits, taught.network.relate(embeddings))


def test_both_losses_are_named_and_weighted():
    batch = GeneratedSource(points_and_centres).batch(step=0, rank=0, world_size=1)
    losses = losses_of(TaughtNetwork(small_network(), TARGETS), TrainingConfig(target_weight=3.0), batch)
    torch.testing.assert_close(losses["loss"], losses["pair"] + 3.0 * losses["target"])


def test_targets_stay_with_their_items_when_sets_are_padded():
    def padded(rng, step):
        items = np.arange(8.0).reshape(2, 4, 1)
        return items, np.array([[0, 1, 0, -1], [0, 0, 1, 1]]), 10 * items

    batch = GeneratedSource(padded).batch(step=0, rank=0, world_size=1)
    assert batch.targets is not None
    torch.testing.assert_close(batch.targets, 10 * batch.items)
    assert batch.n_items == 7


def test_the_weights_of_the_network_itself_are_trained():
    network = small_network()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    taught = TaughtNetwork(network, TARGETS)
    config = TrainingConfig(steps=40, target_weight=1.0, learning_rate=1e-2, ema_decay=0.5, report_every=1)
    result = fit(taught, GeneratedSource(points_and_centres), config)
    assert not any(name.startswith("target_head") for name in network.state_dict())
    assert any(not torch.equal(before[name], tensor) for name, tensor in network.state_dict().items())
    first, last = result.history[0]["target"], result.history[-1]["target"]
    assert last < 0.7 * first


def test_a_network_that_cannot_be_asked_is_refused():
    with pytest.raises(InvalidInputError, match=r"target_weight must be 0.*Got ContextKernelNetwork"):
        TrainingObjective(small_network(), TrainingConfig(target_weight=1.0))
