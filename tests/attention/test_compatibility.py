"""Compatibility functions (paper Table 1): every formula against a plain loop, and by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from abclust.attention import (
    AdditiveCompatibility,
    Compatibility,
    MultiplicativeCompatibility,
    SiameseCompatibility,
    Visibility,
    build_compatibility,
    register_compatibility,
)
from abclust.attention.compatibility import ACTIVATIONS
from abclust.foundations.errors import InvalidInputError

SETS, HEADS, QUERIES, KEYS, WIDTH, VALUE_WIDTH = 2, 3, 5, 7, 11, 13

PLAIN_ACTIVATIONS = {
    "abs": abs,
    "relu": lambda x: max(x, 0.0),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
}


def queries_and_keys() -> tuple[Tensor, Tensor]:
    queries = torch.randn(SETS, HEADS, QUERIES, WIDTH, dtype=torch.float64)
    keys = torch.randn(SETS, HEADS, KEYS, WIDTH, dtype=torch.float64)
    return queries, keys


def score_by_loop(score, queries: Tensor, keys: Tensor) -> Tensor:
    """Every query against every key of the same set and head, one pair at a time."""
    scores = torch.empty(SETS, HEADS, QUERIES, KEYS, dtype=torch.float64)
    for s in range(SETS):
        for head in range(HEADS):
            for i in range(QUERIES):
                for j in range(KEYS):
                    scores[s, head, i, j] = score(
                        head, queries[s, head, i].tolist(), keys[s, head, j].tolist()
                    )
    return scores


def test_multiplicative_compatibility_is_the_scaled_product_of_each_pair():
    queries, keys = queries_and_keys()
    expected = score_by_loop(
        lambda head, q, k: sum(a * b for a, b in zip(q, k)) / math.sqrt(WIDTH), queries, keys
    )
    torch.testing.assert_close(MultiplicativeCompatibility(WIDTH)(queries, keys), expected)


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_additive_compatibility_is_the_weighted_activation_of_each_sum(activation):
    queries, keys = queries_and_keys()
    compatibility = AdditiveCompatibility(WIDTH, HEADS, activation).double()
    weight, act = compatibility.weight.detach(), PLAIN_ACTIVATIONS[activation]

    def score(head: int, q: list[float], k: list[float]) -> float:
        return sum(act(a + b) * w for a, b, w in zip(q, k, weight[head, 0].tolist()))

    torch.testing.assert_close(compatibility(queries, keys), score_by_loop(score, queries, keys))


def test_additive_compatibility_takes_any_callable():
    queries, keys = queries_and_keys()
    compatibility = AdditiveCompatibility(WIDTH, HEADS, lambda x: x**3).double()
    weight = compatibility.weight.detach()

    def score(head: int, q: list[float], k: list[float]) -> float:
        return sum((a + b) ** 3 * w for a, b, w in zip(q, k, weight[head, 0].tolist()))

    torch.testing.assert_close(compatibility(queries, keys), score_by_loop(score, queries, keys))


def test_formulas_by_hand():
    queries, keys = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, -5.0]])
    # (1 * 3 + 2 * -5) / sqrt(2) = -7 / sqrt(2)
    assert MultiplicativeCompatibility(2)(queries, keys).item() == pytest.approx(-7 / math.sqrt(2))
    additive = AdditiveCompatibility(2, activation="relu")
    siamese = SiameseCompatibility(2)
    for compatibility in (additive, siamese):
        compatibility.weight.data = torch.tensor([0.5, 10.0])
    # relu(1 + 3) * 0.5 + relu(2 - 5) * 10 = 2
    assert additive(queries, keys).item() == pytest.approx(2.0)
    # |1 - 3| * 0.5 + |2 + 5| * 10 = 71
    assert siamese(queries, keys).item() == pytest.approx(71.0)


def test_a_scale_replaces_the_form_s_own():
    queries, keys = queries_and_keys()
    torch.testing.assert_close(
        MultiplicativeCompatibility(WIDTH, scale=0.5)(queries, keys), queries @ keys.mT / 2
    )
    additive = AdditiveCompatibility(WIDTH, HEADS).double()
    halved = AdditiveCompatibility(WIDTH, HEADS, scale=0.5).double()
    halved.load_state_dict(additive.state_dict())
    torch.testing.assert_close(halved(queries, keys), additive(queries, keys) / 2)


def test_the_siamese_weighted_l1_distance_is_additive_compatibility_with_abs_and_negated_keys():
    """The paper's remark in Section 2.1."""
    queries, keys = queries_and_keys()
    siamese = SiameseCompatibility(WIDTH, HEADS).double()
    additive = AdditiveCompatibility(WIDTH, HEADS, "abs").double()
    additive.load_state_dict(siamese.state_dict())
    distances = (queries[..., :, None, :] - keys[..., None, :, :]).abs()
    expected = (distances * siamese.weight[:, :, None]).sum(dim=-1)
    torch.testing.assert_close(siamese(queries, keys), expected)
    torch.testing.assert_close(siamese(queries, keys), additive(queries, -keys), rtol=0, atol=0)


@pytest.mark.parametrize("name", ["multiplicative", "additive", "siamese"])
def test_attention_is_the_row_wise_softmax_times_the_values(name):
    """Att(Q, K, V) of the paper's Section 2.2, by loops."""
    queries, keys = queries_and_keys()
    values = torch.randn(SETS, HEADS, KEYS, VALUE_WIDTH, dtype=torch.float64)
    compatibility = build_compatibility(name, WIDTH, HEADS).double()
    scores = compatibility(queries, keys).detach()
    expected = torch.zeros(SETS, HEADS, QUERIES, VALUE_WIDTH, dtype=torch.float64)
    for s in range(SETS):
        for head in range(HEADS):
            for i in range(QUERIES):
                exponentials = [math.exp(score) for score in scores[s, head, i].tolist()]
                for j in range(KEYS):
                    expected[s, head, i] += exponentials[j] / sum(exponentials) * values[s, head, j]
    torch.testing.assert_close(compatibility.attend(queries, keys, values), expected)


def test_attention_by_hand():
    # Scores 0 and log 3, so the weights are 1/4 and 3/4 of the values 8 and 16.
    queries = torch.tensor([[[[1.0]]]])
    keys = torch.tensor([[[[0.0], [math.log(3)]]]])
    values = torch.tensor([[[[8.0], [16.0]]]])
    assert MultiplicativeCompatibility(1).attend(queries, keys, values).item() == pytest.approx(14.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("log_n_reference", [None, 3])
def test_the_fused_kernel_gives_what_the_base_class_gives(dtype, edges, log_n_reference):
    compatibility = MultiplicativeCompatibility(WIDTH)
    queries, keys, values = torch.randn(3, SETS, HEADS, KEYS, WIDTH, dtype=dtype).unbind()
    mask = torch.arange(KEYS) < torch.tensor([[KEYS], [2]])
    adjacency = torch.rand(SETS, KEYS, KEYS, dtype=dtype).round(decimals=1) if edges else None
    visibility = Visibility.of(queries[:, 0], mask, adjacency, log_n_reference)
    torch.testing.assert_close(
        compatibility.attend(queries, keys, values, visibility),
        Compatibility.attend(compatibility, queries, keys, values, visibility),
    )


@pytest.mark.parametrize("name", ["multiplicative", "additive"])
def test_what_can_see_nothing_attends_to_nothing(name):
    compatibility = build_compatibility(name, WIDTH, HEADS)
    queries, keys, values = torch.randn(3, SETS, HEADS, KEYS, WIDTH).unbind()
    adjacency = torch.ones(SETS, KEYS, KEYS)
    adjacency[1, 2] = 0
    visibility = Visibility.of(queries[:, 0], None, adjacency)
    attended = compatibility.attend(queries, keys, values, visibility)
    weights = compatibility.weights(queries, keys, visibility).sum(dim=-1)
    nothing = (attended == 0).all(dim=-1)
    assert nothing.nonzero().tolist() == [[1, head, 2] for head in range(HEADS)]
    torch.testing.assert_close(weights, (~nothing).float())


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4))
def test_attention_weights_are_positive_and_sum_to_one(n_queries, n_keys, width):
    queries, keys = torch.randn(1, 1, n_queries, width), torch.randn(1, 1, n_keys, width)
    for name in ("multiplicative", "additive", "siamese"):
        weights = build_compatibility(name, width, 1).weights(queries, keys)
        assert bool((weights > 0).all())
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(1, 1, n_queries))


def test_gradients_of_both_compatibilities_agree_with_finite_differences():
    queries, keys, values = torch.randn(3, 1, 2, 3, 2, dtype=torch.float64).requires_grad_().unbind()
    for name in ("multiplicative", "additive"):
        compatibility = build_compatibility(name, 2, 2).double()
        assert torch.autograd.gradcheck(compatibility.attend, (queries, keys, values))


def test_a_user_adds_a_compatibility_by_name():
    class Distance(Compatibility):
        def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
            return -torch.cdist(queries, keys)

    register_compatibility("test-distance", lambda width, heads, scale, activation: Distance())
    compatibility = build_compatibility("test-distance", WIDTH, HEADS)
    queries, keys = queries_and_keys()
    expected = torch.softmax(-torch.cdist(queries, keys), dim=-1) @ keys
    torch.testing.assert_close(compatibility.attend(queries, keys, keys), expected)


def test_an_unknown_compatibility_or_activation_is_an_error_that_lists_the_names():
    with pytest.raises(InvalidInputError, match=r"compatibility must be one of 'additive'.*Got 'cosine'"):
        build_compatibility("cosine", WIDTH)
    with pytest.raises(InvalidInputError, match=r"activation must be one of 'abs'.*Got 'softsign'"):
        AdditiveCompatibility(WIDTH, activation="softsign")


def test_a_compatibility_without_a_formula_says_so():
    class Unfinished(Compatibility):
        pass

    with pytest.raises(TypeError, match="Unfinished must implement forward"):
        Unfinished()(torch.zeros(1, 2), torch.zeros(1, 2))


def test_the_parameters_are_those_of_table_1():
    assert list(MultiplicativeCompatibility(WIDTH).parameters()) == []
    (weight,) = AdditiveCompatibility(WIDTH).parameters()
    assert isinstance(weight, nn.Parameter)
    assert weight.shape == (WIDTH,)
