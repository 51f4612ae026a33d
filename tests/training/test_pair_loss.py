import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abclust.foundations.errors import InvalidInputError
from abclust.training.pair_loss import pair_loss


def loop_loss(logits, same, mask, weighting="uniform", pos_weight=1.0, diagonal=True):
    """The formula, cell by cell."""
    pairs = [
        [
            (i, j)
            for i in range(len(mask[b]))
            for j in range(len(mask[b]))
            if mask[b][i] and mask[b][j] and (diagonal or i != j)
        ]
        for b in range(len(mask))
    ]
    factor = pos_weight
    if weighting == "ratio":
        positives = sum(bool(same[b, i, j]) for b, cells in enumerate(pairs) for i, j in cells)
        factor *= (sum(map(len, pairs)) - positives) / max(positives, 1)
    means = []
    for b, cells in enumerate(pairs):
        positives = sum(bool(same[b, i, j]) for i, j in cells)
        total, weight_sum = 0.0, 0.0
        for i, j in cells:
            probability = 1 / (1 + math.exp(-float(logits[b, i, j])))
            together = bool(same[b, i, j])
            cost = -factor * math.log(probability) if together else -math.log(1 - probability)
            weight = 1.0
            if weighting == "balanced":
                weight = 1 / positives if together else 1 / (len(cells) - positives)
            total, weight_sum = total + weight * cost, weight_sum + weight
        if weight_sum:
            means.append(total / weight_sum)
    return sum(means) / len(means)


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(3)
    logits = torch.randn(3, 7, 7, dtype=torch.float64, generator=generator)
    labels = torch.randint(3, (3, 7), generator=generator)
    mask = torch.arange(7)[None, :] < torch.tensor([7, 5, 2])[:, None]
    return logits + logits.transpose(1, 2), labels[:, :, None] == labels[:, None, :], mask


@pytest.mark.parametrize("weighting", ["uniform", "ratio", "balanced"])
@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("pos_weight", [1.0, 2.5])
def test_loss_equals_the_formula_cell_by_cell(batch, weighting, diagonal, pos_weight):
    options = {"weighting": weighting, "diagonal": diagonal, "pos_weight": pos_weight}
    assert pair_loss(*batch, **options).item() == pytest.approx(loop_loss(*batch, **options), rel=1e-12)


def test_without_padding_and_options_the_loss_is_torchs_own(batch):
    logits, same, _ = batch
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logits, same.double())
    torch.testing.assert_close(pair_loss(logits, same), expected)
    torch.testing.assert_close(pair_loss(logits, same, torch.ones(3, 7, dtype=torch.bool)), expected)


def test_uncertain_logits_cost_log_two():
    assert pair_loss(torch.zeros(2, 3, 3), torch.zeros(2, 3, 3)).item() == pytest.approx(math.log(2))


@given(padding=st.integers(1, 5), value=st.floats(-50, 50))
def test_padding_changes_nothing(padding, value):
    logits = torch.linspace(-2, 2, 2 * 5 * 5, dtype=torch.float64).reshape(2, 5, 5)
    same = torch.eye(5, dtype=torch.bool).expand(2, 5, 5)
    padded = torch.full((2, 5 + padding, 5 + padding), value, dtype=torch.float64)
    padded[:, :5, :5] = logits
    padded_same = torch.zeros(2, 5 + padding, 5 + padding, dtype=torch.bool)
    padded_same[:, :5, :5] = same
    mask = (torch.arange(5 + padding) < 5).expand(2, -1)
    torch.testing.assert_close(pair_loss(padded, padded_same, mask), pair_loss(logits, same))


def test_confident_and_wrong_pairs_stay_finite():
    logits = torch.full((1, 3, 3), 1e4, requires_grad=True)
    loss = pair_loss(logits, torch.zeros(1, 3, 3))
    loss.backward()
    assert loss.item() == pytest.approx(1e4)
    assert torch.isfinite(logits.grad).all()


def test_a_set_of_one_item_without_the_diagonal_is_not_counted(batch):
    logits, same, _ = batch
    mask = torch.arange(7)[None, :] < torch.tensor([7, 1, 1])[:, None]
    alone = pair_loss(logits[:1], same[:1], diagonal=False)
    torch.testing.assert_close(pair_loss(logits, same, mask, diagonal=False), alone)


def test_half_precision_is_summed_in_single():
    loss = pair_loss(torch.zeros(1, 3, 3, dtype=torch.bfloat16), torch.ones(1, 3, 3))
    assert loss.dtype == torch.float32


def test_unknown_weighting_names_the_valid_ones():
    with pytest.raises(InvalidInputError, match="'balanced', 'ratio', 'uniform'"):
        pair_loss(torch.zeros(1, 2, 2), torch.zeros(1, 2, 2), weighting="fair")


def test_pos_weight_must_be_positive():
    with pytest.raises(InvalidInputError, match="pos_weight must be positive"):
        pair_loss(torch.zeros(1, 2, 2), torch.zeros(1, 2, 2), pos_weight=0.0)
