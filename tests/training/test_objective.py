import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.training.batch_source import TrainingBatch, whole_sets
from abclust.training.config import TrainingConfig
from abclust.training.contrastive_loss import supervised_contrastive_loss
from abclust.training.objective import TrainingObjective, draw
from abclust.training.pair_loss import pair_loss


@pytest.fixture
def batch():
    labels = torch.tensor([[0, 1, 1, 0, 2], [0, 0, 1, 0, 0]])
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    return whole_sets(torch.randn(2, 5, 3), labels, mask)


def losses_of(objective, batch, stage="both"):
    return objective(batch.items, batch.labels, batch.sets, batch.mask, batch.pools, batch.encoded, stage)


def test_encoding_once_gives_the_loss_of_the_networks_own_forward(encoding_network, batch):
    network = encoding_network.eval()
    losses = losses_of(TrainingObjective(network, TrainingConfig()), batch)
    labels = batch.labels[batch.sets]
    expected = pair_loss(
        network(batch.items[batch.sets], batch.mask), labels[:, :, None] == labels[:, None, :], batch.mask
    )
    torch.testing.assert_close(losses["loss"], expected)
    assert set(losses) == {"loss", "pair"}


def test_losses_are_weighted_and_named(encoding_network, batch):
    network = encoding_network.eval()
    config = TrainingConfig(pair_weight=0.5, contrastive_weight=2.0, contrastive_temperature=0.3)
    losses = losses_of(TrainingObjective(network, config), batch)
    contrastive = supervised_contrastive_loss(
        network.encode(batch.items), batch.labels, batch.pools, temperature=0.3
    )
    torch.testing.assert_close(losses["contrastive"], contrastive)
    torch.testing.assert_close(losses["loss"], 0.5 * losses["pair"] + 2.0 * contrastive)


def test_any_module_on_sets_can_be_trained(plain_network, batch):
    losses = losses_of(TrainingObjective(plain_network, TrainingConfig()), batch)
    losses["loss"].backward()
    assert plain_network.scale.grad is not None


def test_the_encoder_stage_teaches_the_encoder_alone(encoding_network, batch):
    losses_of(TrainingObjective(encoding_network, TrainingConfig(encoder_steps=1)), batch, "encoder")[
        "loss"
    ].backward()
    assert encoding_network.encoder.weight.grad is not None
    assert encoding_network.mixer.weight.grad is None


def test_the_relation_stage_leaves_the_encoder_alone(encoding_network, batch):
    encoded = TrainingBatch(
        encoding_network.encode(batch.items).detach(), batch.labels, batch.sets, batch.mask, encoded=True
    )
    config = TrainingConfig(relation_steps=1)
    losses_of(TrainingObjective(encoding_network, config), encoded, "relation")["loss"].backward()
    assert encoding_network.encoder.weight.grad is None
    assert encoding_network.mixer.weight.grad is not None


def test_a_network_without_encoder_has_no_contrastive_loss(plain_network):
    with pytest.raises(InvalidInputError, match="without encode"):
        TrainingObjective(plain_network, TrainingConfig(contrastive_weight=1.0))


def test_drawing_equals_indexing_and_its_gradient_counts_repeats():
    items = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    sets = torch.tensor([[0, 1, 1], [4, 4, 4]])
    drawn = draw(items, sets)
    assert torch.equal(drawn, items[sets])
    drawn.sum().backward()
    assert items.grad[:, 0].tolist() == [1, 2, 0, 0, 3]
