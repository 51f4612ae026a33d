"""The factorised tanh is the formula as it stands: in value, in gradient, in pieces of any size."""

import pytest
import torch

from abclust.attention import AdditiveCompatibility
from abclust.attention import tanh_scores as module
from abclust.attention.tanh_scores import LARGEST_INPUT, can_factorise, tanh_scores

SETS, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 11


def drawn(*shape: int, scale: float = 1.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return (scale * torch.randn(*shape, dtype=torch.float64, generator=generator)).requires_grad_()


def direct(queries: torch.Tensor, keys: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The formula, written as the paper has it."""
    weight = weight if weight.dim() == 1 else weight[:, :, None]
    return (torch.tanh(queries[..., :, None, :] + keys[..., None, :, :]) * weight).sum(dim=-1)


@pytest.mark.parametrize("piece", [1, 100, 2 * QUERIES * KEYS * WIDTH, 2**16])
@pytest.mark.parametrize("weight_shape", [(WIDTH,), (HEADS, 1, WIDTH)])
def test_values_and_gradients_are_those_of_the_formula_whatever_the_pieces(monkeypatch, piece, weight_shape):
    monkeypatch.setattr(module, "PIECE", piece)
    inputs = drawn(SETS, HEADS, QUERIES, WIDTH), drawn(SETS, HEADS, KEYS, WIDTH), drawn(*weight_shape)
    incoming = drawn(SETS, HEADS, QUERIES, KEYS).detach()
    fast, plain = tanh_scores(*inputs), direct(*inputs)
    torch.testing.assert_close(fast, plain)
    for found, expected in zip(
        torch.autograd.grad(fast, inputs, incoming), torch.autograd.grad(plain, inputs, incoming)
    ):
        torch.testing.assert_close(found, expected)


def test_gradients_pass_torchs_own_check():
    inputs = drawn(SETS, QUERIES, WIDTH), drawn(SETS, KEYS, WIDTH), drawn(WIDTH)
    assert torch.autograd.gradcheck(tanh_scores, inputs)


def test_nothing_is_lost_at_the_largest_input():
    queries = torch.tensor([[LARGEST_INPUT], [-LARGEST_INPUT], [0.5]])
    keys = torch.tensor([[LARGEST_INPUT], [-LARGEST_INPUT], [-0.25]])
    weight = torch.ones(1)
    torch.testing.assert_close(
        tanh_scores(queries, keys, weight), direct(queries, keys, weight), atol=1e-6, rtol=0
    )


def test_single_precision_agrees_to_five_digits():
    inputs = [drawn(SETS, QUERIES, 128), drawn(SETS, KEYS, 128), drawn(128)]
    found = tanh_scores(*(part.float() for part in inputs))
    torch.testing.assert_close(found.double(), direct(*inputs), atol=3e-5, rtol=0)


def test_larger_or_strange_numbers_take_the_formula_as_it_stands():
    queries, keys = drawn(QUERIES, WIDTH).detach(), drawn(KEYS, WIDTH).detach()
    assert can_factorise(queries, keys)
    assert not can_factorise(queries.half(), keys.half())
    assert not can_factorise(queries[:0], keys)
    for strange in (LARGEST_INPUT + 1, -LARGEST_INPUT - 1, float("nan"), float("inf")):
        changed = keys.clone()
        changed[1, 2] = strange
        assert not can_factorise(queries, changed)


def test_additive_compatibility_gives_the_same_on_both_sides_of_the_largest_input():
    compatibility = AdditiveCompatibility(WIDTH).double()
    queries, keys = drawn(QUERIES, WIDTH).detach(), drawn(KEYS, WIDTH).detach()
    keys[0] = 30.0
    expected = direct(queries, keys, compatibility.weight)
    torch.testing.assert_close(compatibility(queries, keys), expected)
    torch.testing.assert_close(compatibility(queries, keys[1:]), expected[:, 1:])


def test_other_activations_are_left_alone():
    compatibility = AdditiveCompatibility(WIDTH, activation="relu").double()
    queries, keys = drawn(QUERIES, WIDTH), drawn(KEYS, WIDTH)
    sums = queries[:, None] + keys[None]
    torch.testing.assert_close(compatibility(queries, keys), torch.relu(sums) @ compatibility.weight)
