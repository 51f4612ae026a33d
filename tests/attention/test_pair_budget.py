"""Additive compatibility never holds all pair sums above its budget, and nothing else changes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from abclust.attention import AdditiveCompatibility, MultiHeadAttention, SiameseCompatibility

SETS, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 11, 7, 5
ALL_PAIR_SUMS = SETS * HEADS * QUERIES * KEYS * WIDTH


class LargestTensor(TorchDispatchMode):
    """Looks at the result of every operation, backward included, and remembers the largest."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self.numbers = max(self.numbers, leaf.numel())
        return result


def results_of(compatibility: AdditiveCompatibility) -> tuple[torch.Tensor, ...]:
    """Scores and all gradients of one forward and backward pass, from the same numbers every time."""
    generator = torch.Generator().manual_seed(3)
    queries = torch.randn(SETS, HEADS, QUERIES, WIDTH, generator=generator, dtype=torch.float64)
    keys = torch.randn(SETS, HEADS, KEYS, WIDTH, generator=generator, dtype=torch.float64)
    upstream = torch.randn(SETS, HEADS, QUERIES, KEYS, generator=generator, dtype=torch.float64)
    queries.requires_grad_()
    keys.requires_grad_()
    scores = compatibility(queries, keys)
    gradients = torch.autograd.grad(scores, (queries, keys, compatibility.weight), upstream)
    return scores.detach(), *gradients


def with_budget(kind: type[AdditiveCompatibility], budget: int) -> AdditiveCompatibility:
    torch.manual_seed(2)
    return kind(WIDTH, HEADS, budget=budget).double()


@pytest.mark.parametrize("kind", [AdditiveCompatibility, SiameseCompatibility])
@given(budget=st.integers(1, ALL_PAIR_SUMS))
def test_chunks_change_neither_the_scores_nor_any_gradient(kind, budget):
    whole = results_of(with_budget(kind, ALL_PAIR_SUMS))
    chunked = results_of(with_budget(kind, budget))
    for one, other in zip(whole, chunked):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [AdditiveCompatibility, SiameseCompatibility])
def test_every_tensor_of_forward_and_backward_stays_within_the_budget(kind):
    one_query_of_one_set = HEADS * KEYS * WIDTH
    results = SETS * HEADS * QUERIES * KEYS  # the scores themselves are asked for
    for budget in (3 * SETS * one_query_of_one_set, SETS * one_query_of_one_set, one_query_of_one_set):
        with LargestTensor() as largest:
            results_of(with_budget(kind, budget))
        assert largest.numbers <= max(budget, results)
    with LargestTensor() as largest:
        results_of(with_budget(kind, ALL_PAIR_SUMS))
    assert largest.numbers == ALL_PAIR_SUMS  # the recorder does see it where it is allowed


def test_only_the_queries_and_keys_are_kept_for_the_backward_pass():
    kept: dict[int, int] = {}

    def remember(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()  # chunks of one tensor share it
        kept[storage.data_ptr()] = storage.nbytes() // tensor.element_size()
        return tensor

    compatibility = with_budget(AdditiveCompatibility, 2 * SETS * HEADS * KEYS * WIDTH)
    queries = torch.randn(SETS, HEADS, QUERIES, WIDTH, dtype=torch.float64, requires_grad=True)
    keys = torch.randn(SETS, HEADS, KEYS, WIDTH, dtype=torch.float64, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        scores = compatibility(queries, keys)
    assert sum(kept.values()) == queries.numel() + keys.numel()
    scores.sum().backward()


def test_multi_head_attention_keeps_to_the_budget_too():
    width, n_items = 12, 23
    compatibility = AdditiveCompatibility(width // 3, heads=3, budget=5 * 3 * n_items * 4)
    attention = MultiHeadAttention(width, 3, compatibility)
    items = torch.randn(1, n_items, width, requires_grad=True)
    with LargestTensor() as largest:
        attention(items, items, items).sum().backward()
    assert largest.numbers <= max(compatibility.budget, 3 * n_items * n_items)
    assert items.grad is not None


def test_without_gradients_chunks_give_the_same():
    compatibility = with_budget(AdditiveCompatibility, 1)
    queries = torch.randn(SETS, HEADS, QUERIES, WIDTH, dtype=torch.float64)
    keys = torch.randn(SETS, HEADS, KEYS, WIDTH, dtype=torch.float64)
    with torch.no_grad():
        chunked = compatibility(queries, keys)
        compatibility.budget = ALL_PAIR_SUMS
        torch.testing.assert_close(chunked, compatibility(queries, keys))
