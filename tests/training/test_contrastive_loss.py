import math

import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.training.contrastive_loss import supervised_contrastive_loss


def loop_loss(embeddings, labels, pools, temperature):
    """Equation 2 of Khosla et al., anchor by anchor."""
    unit = [row / row.norm() for row in embeddings]
    costs = []
    for i in range(len(labels)):
        others = [a for a in range(len(labels)) if a != i and pools[a] == pools[i]]
        positives = [p for p in others if labels[p] == labels[i]]
        if not positives:
            continue
        total = sum(math.exp(float(unit[i] @ unit[a]) / temperature) for a in others)
        logs = [float(unit[i] @ unit[p]) / temperature - math.log(total) for p in positives]
        costs.append(-sum(logs) / len(logs))
    return sum(costs) / len(costs)


@pytest.mark.parametrize("temperature", [0.1, 0.7])
def test_loss_equals_the_formula_anchor_by_anchor(temperature):
    generator = torch.Generator().manual_seed(5)
    embeddings = torch.randn(13, 5, dtype=torch.float64, generator=generator)
    labels = torch.tensor([0, 0, 1, 1, 2, 0, 3, 0, 0, 1, 1, 2, 2])  # 2 and 3 have no other in the first pool
    pools = torch.tensor([0] * 7 + [1] * 6)
    loss = supervised_contrastive_loss(embeddings, labels, pools, temperature=temperature)
    assert loss.item() == pytest.approx(loop_loss(embeddings, labels, pools, temperature), rel=1e-12)


def test_one_pool_is_the_default():
    embeddings, labels = torch.randn(7, 3), torch.tensor([0, 0, 1, 1, 2, 2, 2])
    torch.testing.assert_close(
        supervised_contrastive_loss(embeddings, labels),
        supervised_contrastive_loss(embeddings, labels, torch.zeros(7, dtype=torch.int64)),
    )


def test_the_length_of_embeddings_does_not_matter():
    embeddings, labels = torch.randn(7, 3), torch.tensor([0, 0, 1, 1, 2, 2, 2])
    torch.testing.assert_close(
        supervised_contrastive_loss(embeddings, labels), supervised_contrastive_loss(5 * embeddings, labels)
    )


def test_an_item_alone_in_its_pool_gives_no_nan():
    embeddings = torch.randn(3, 2, requires_grad=True)
    loss = supervised_contrastive_loss(embeddings, torch.tensor([0, 0, 1]), torch.tensor([0, 0, 1]))
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(embeddings.grad).all()


def test_without_any_positive_the_loss_is_zero():
    assert supervised_contrastive_loss(torch.randn(3, 2), torch.tensor([0, 1, 2])).item() == 0.0


def test_temperature_must_be_positive():
    with pytest.raises(InvalidInputError, match="temperature must be positive"):
        supervised_contrastive_loss(torch.randn(3, 2), torch.tensor([0, 1, 2]), temperature=0.0)
