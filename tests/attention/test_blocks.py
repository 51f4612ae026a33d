"""MAB and SAB (paper Eqs. 1 and 2): residuals, layer norms and feed-forward item by item."""

import math

import pytest
import torch
from torch import Tensor

from abclust.attention import MAB, SAB, FeedForward, GatedSkip, MultiHeadAttention, build_compatibility
from abclust.foundations.errors import InvalidInputError

SETS, QUERIES, KEYS, WIDTH, HEADS, HEAD_WIDTH, HIDDEN = 2, 5, 7, 11, 3, 2, 13


def block_of(kind: type[MAB], compatibility: str = "multiplicative", **options) -> MAB:
    attention = MultiHeadAttention(
        WIDTH, HEADS, build_compatibility(compatibility, HEAD_WIDTH, HEADS), HEAD_WIDTH
    )
    block = kind(attention, FeedForward(WIDTH, HIDDEN), WIDTH, **options).double()
    for norm in (block.attention_norm, block.feed_forward_norm):  # not the identity they start as
        torch.nn.init.normal_(norm.weight)
        torch.nn.init.normal_(norm.bias)
    return block


def layer_norm_by_loop(item: Tensor, norm: torch.nn.LayerNorm) -> Tensor:
    numbers = item.tolist()
    mean = sum(numbers) / len(numbers)
    variance = sum((x - mean) ** 2 for x in numbers) / len(numbers)
    scaled = [(x - mean) / math.sqrt(variance + norm.eps) for x in numbers]
    return torch.tensor(scaled, dtype=item.dtype) * norm.weight + norm.bias


def feed_forward_by_loop(item: Tensor, feed_forward: FeedForward) -> Tensor:
    first, last = feed_forward[0], feed_forward[-1]
    hidden = [max(0.0, (row @ item + bias).item()) for row, bias in zip(first.weight, first.bias)]
    return last.weight @ torch.tensor(hidden, dtype=item.dtype) + last.bias


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_mab_is_two_residuals_two_layer_norms_and_a_feed_forward(compatibility):
    block = block_of(MAB, compatibility)
    queries = torch.randn(SETS, QUERIES, WIDTH, dtype=torch.float64)
    keys, values = torch.randn(2, SETS, KEYS, WIDTH, dtype=torch.float64).unbind()
    attended = block.attention(queries, keys, values)
    found = block(queries, keys, values)
    for s in range(SETS):
        for i in range(QUERIES):
            hidden = layer_norm_by_loop(queries[s, i] + attended[s, i], block.attention_norm)
            update = feed_forward_by_loop(hidden, block.feed_forward)
            torch.testing.assert_close(
                found[s, i], layer_norm_by_loop(hidden + update, block.feed_forward_norm)
            )


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_pre_norm_normalises_what_goes_in_and_leaves_the_sum_alone(compatibility):
    block = block_of(MAB, compatibility, pre_norm=True)
    queries = torch.randn(SETS, QUERIES, WIDTH, dtype=torch.float64)
    keys = torch.randn(SETS, KEYS, WIDTH, dtype=torch.float64)
    normed = [
        torch.stack(
            [torch.stack([layer_norm_by_loop(item, block.attention_norm) for item in one]) for one in x]
        )
        for x in (queries, keys)
    ]
    hidden = queries + block.attention(normed[0], normed[1], normed[1])
    found = block(queries, keys, keys)
    for s in range(SETS):
        for i in range(QUERIES):
            normed_hidden = layer_norm_by_loop(hidden[s, i], block.feed_forward_norm)
            expected = hidden[s, i] + feed_forward_by_loop(normed_hidden, block.feed_forward)
            torch.testing.assert_close(found[s, i], expected)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_sab_is_mab_of_the_same_set_three_times(pre_norm):
    sab = block_of(SAB, pre_norm=pre_norm)
    mab = block_of(MAB, pre_norm=pre_norm)
    mab.load_state_dict(sab.state_dict())
    items = torch.randn(SETS, KEYS, WIDTH, dtype=torch.float64)
    torch.testing.assert_close(sab(items), mab(items, items.clone(), items.clone()))


def test_layer_norm_of_a_block_by_hand():
    """Without attention and feed-forward a block of width two maps (1, 3) to (-1, 1)."""
    attention = MultiHeadAttention(2, 1, build_compatibility("multiplicative", 2, 1))
    block = SAB(attention, FeedForward(2, None), 2)
    for parameter in (attention.projection, block.feed_forward[0].weight, block.feed_forward[0].bias):
        torch.nn.init.zeros_(parameter)
    items = torch.tensor([[[1.0, 3.0], [9.0, 5.0]]])
    torch.testing.assert_close(block(items), torch.tensor([[[-1.0, 1.0], [1.0, -1.0]]]), atol=1e-4, rtol=0)


def test_gated_skip_is_a_weighted_sum_of_item_and_context():
    skip = GatedSkip(2)
    skip.gate.bias.data = torch.tensor([math.log(3), 0.0])  # gates 3/4 and 1/2
    x, update = torch.tensor([[[8.0, 2.0]]]), torch.tensor([[[4.0, 6.0]]])
    # 2 (1/4 * 8 + 3/4 * 4) = 10 and 2 (1/2 * 2 + 1/2 * 6) = 8
    torch.testing.assert_close(skip(x, update), torch.tensor([[[10.0, 8.0]]]))


@pytest.mark.parametrize("pre_norm", [False, True])
def test_gated_skip_starts_as_the_plain_skip_and_learns(pre_norm):
    plain = block_of(SAB, pre_norm=pre_norm)
    gated = block_of(SAB, pre_norm=pre_norm, skip="gated")
    gated.load_state_dict(plain.state_dict(), strict=False)
    items = torch.randn(SETS, KEYS, WIDTH, dtype=torch.float64)
    torch.testing.assert_close(gated(items), plain(items), rtol=1e-12, atol=1e-12)
    (gated(items) ** 3).sum().backward()
    for skip in (gated.attention_skip, gated.feed_forward_skip):
        assert float(skip.gate.weight.grad.abs().max()) > 0


def test_the_linear_feed_forward_of_the_authors_code_has_no_hidden_layer():
    linear = FeedForward(WIDTH, None)
    one, other = torch.randn(2, WIDTH)
    torch.testing.assert_close(
        linear(one + other) + linear(torch.zeros(WIDTH)), linear(one) + linear(other), rtol=1e-4, atol=1e-5
    )


def test_unknown_options_of_a_block_are_errors():
    with pytest.raises(InvalidInputError, match=r"skip must be one of 'gated', 'plain'. Got 'highway'"):
        block_of(SAB, skip="highway")
    with pytest.raises(InvalidInputError, match=r"feed_forward_activation must be one of .* Got 'swish'"):
        FeedForward(WIDTH, HIDDEN, "swish")
