"""Multi-head attention (paper Sec. 2.2) against a loop over heads, and against torch's own module."""

import math

import pytest
import torch
from torch import Tensor

from abclust.attention import MultiHeadAttention, MultiplicativeCompatibility, build_compatibility
from abclust.foundations.errors import InvalidInputError

SETS, QUERIES, KEYS, WIDTH, HEADS, HEAD_WIDTH = 2, 5, 7, 11, 3, 13


def softmax_by_loop(scores: list[float]) -> list[float]:
    exponentials = [math.exp(score) for score in scores]
    return [exponential / sum(exponentials) for exponential in exponentials]


def heads_one_by_one(attention: MultiHeadAttention, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """concat(O_1, ..., O_h) W_O with O_j = Att(Q W_j^q, K W_j^k, V W_j^v), query by query."""
    parts = attention.projection.detach().unflatten(1, (attention.heads, -1))  # (3, heads, p, width)
    outputs = []
    for s in range(len(queries)):
        of_heads = []
        for head in range(attention.heads):
            q, k, v = (x[s] @ part[head].T for x, part in zip((queries, keys, values), parts))
            alone = torch.zeros(attention.heads, len(k), q.shape[-1], dtype=q.dtype)
            alone[head] = k
            scores = [score_row(attention, head, row, alone) for row in q]
            weights = torch.tensor([softmax_by_loop(row) for row in scores], dtype=q.dtype)
            of_heads.append(weights @ v)
        outputs.append(attention.output(torch.cat(of_heads, dim=-1)))
    return torch.stack(outputs).detach()


def score_row(attention: MultiHeadAttention, head: int, query: Tensor, keys: Tensor) -> list[float]:
    queries = query.expand(attention.heads, 1, -1)
    return attention.compatibility(queries, keys)[head, 0].tolist()


@pytest.mark.parametrize("name", ["multiplicative", "additive", "siamese"])
def test_heads_attend_apart_and_are_joined_by_the_output_projection(name):
    compatibility = build_compatibility(name, HEAD_WIDTH, HEADS)
    attention = MultiHeadAttention(WIDTH, HEADS, compatibility, head_width=HEAD_WIDTH).double()
    queries = torch.randn(SETS, QUERIES, WIDTH, dtype=torch.float64)
    keys, values = torch.randn(2, SETS, KEYS, WIDTH, dtype=torch.float64).unbind()
    torch.testing.assert_close(
        attention(queries, keys, values), heads_one_by_one(attention, queries, keys, values)
    )


def test_one_product_for_equal_inputs_gives_what_three_products_give():
    attention = MultiHeadAttention(WIDTH, HEADS, MultiplicativeCompatibility(HEAD_WIDTH), HEAD_WIDTH).double()
    items = torch.randn(SETS, KEYS, WIDTH, dtype=torch.float64)
    torch.testing.assert_close(attention(items, items, items), attention(items, items.clone(), items.clone()))


def test_multiplicative_heads_are_torch_s_own_multi_head_attention():
    width, heads = 15, 3
    ours = MultiHeadAttention(width, heads, MultiplicativeCompatibility(width // heads)).double()
    torchs = torch.nn.MultiheadAttention(width, heads, bias=False, batch_first=True).double()
    torchs.load_state_dict(
        {"in_proj_weight": ours.projection.flatten(0, 1), "out_proj.weight": ours.output.weight}
    )
    items, others = torch.randn(SETS, QUERIES, width).double(), torch.randn(SETS, KEYS, width).double()
    torch.testing.assert_close(ours(items, others, others), torchs(items, others, others)[0])


def test_one_head_by_hand():
    attention = MultiHeadAttention(1, 1, MultiplicativeCompatibility(1))
    attention.projection.data = torch.tensor([1.0, 2.0, 3.0])[:, None, None]
    attention.output.weight.data = torch.tensor([[5.0]])
    keys = torch.tensor([[[0.0], [math.log(3) / 2]]])  # scores 0 and log 3: weights 1/4 and 3/4
    values = torch.tensor([[[4.0], [8.0]]])  # 3 * (4 / 4 + 8 * 3 / 4) = 21
    assert attention(torch.ones(1, 1, 1), keys, values).item() == pytest.approx(105.0)


def test_without_the_output_projection_the_heads_fill_the_width():
    attention = MultiHeadAttention(12, 3, MultiplicativeCompatibility(4), output_projection=False)
    items = torch.randn(SETS, KEYS, 12)
    assert attention(items, items, items).shape == (SETS, KEYS, 12)
    assert [name for name, _ in attention.named_parameters()] == ["projection"]
    with pytest.raises(InvalidInputError, match=r"must be the width \(12\).*Got 15"):
        MultiHeadAttention(12, 3, MultiplicativeCompatibility(5), head_width=5, output_projection=False)


def test_heads_that_do_not_divide_the_width_need_a_width_of_their_own():
    with pytest.raises(InvalidInputError, match="Got width 11 and 3 heads"):
        MultiHeadAttention(WIDTH, HEADS, MultiplicativeCompatibility(4))
