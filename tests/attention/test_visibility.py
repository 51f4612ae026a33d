"""Padding, explicit edges and the log-n scale as terms of the softmax."""

import math

import torch

from abclust.attention import Visibility

ITEMS = torch.zeros(2, 5, 3, dtype=torch.float64)


def test_nothing_to_hide_is_the_plain_network():
    everything = torch.ones(2, 5, dtype=torch.bool)
    unit_weights = torch.ones(2, 5, 5, dtype=torch.float64)
    assert Visibility.of(ITEMS, everything, unit_weights) == Visibility()


def test_padding_is_minus_infinity_for_every_query():
    mask = torch.tensor([[True, True, False, True, False], [True] * 5])
    visibility = Visibility.of(ITEMS, mask)
    assert visibility.bias is not None
    assert visibility.bias.tolist() == [[[[0, 0, -math.inf, 0, -math.inf]]], [[[0.0] * 5]]]
    assert visibility.reachable is None


def test_edge_weights_enter_as_logarithms():
    adjacency = torch.rand(2, 5, 5, dtype=torch.float64)
    adjacency[0, 1, 2] = 0
    bias = Visibility.of(ITEMS, None, adjacency).bias
    assert bias is not None
    for s in range(2):
        for i in range(5):
            for j in range(5):
                weight = float(adjacency[s, i, j])
                assert bias[s, 0, i, j].item() == (math.log(weight) if weight else -math.inf)


def test_an_item_that_sees_nothing_is_marked_instead_of_dividing_by_zero():
    mask = torch.tensor([[True] * 5, [False] * 5])
    visibility = Visibility.of(ITEMS, mask)
    assert visibility.reachable is not None
    assert visibility.reachable.flatten().tolist() == [True, False]
    assert visibility.bias is not None
    assert bool(visibility.bias.isfinite().all())


def test_the_log_n_scale_counts_real_items_only():
    mask = torch.tensor([[True, True, True, False, False], [True] * 5])
    sharpness = Visibility.of(ITEMS, mask, None, log_n_reference=3).sharpness
    assert sharpness is not None
    torch.testing.assert_close(
        sharpness.flatten(), torch.tensor([1.0, math.log(5) / math.log(3)], dtype=torch.float64)
    )
    without_mask = Visibility.of(ITEMS, log_n_reference=5).sharpness
    assert without_mask is not None
    assert without_mask.flatten().tolist() == [1.0, 1.0]
