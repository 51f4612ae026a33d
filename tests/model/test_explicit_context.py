"""Explicit context (paper Sec. 7): edge weights in attention, unit weights being the plain network."""

import numpy as np
import pytest
import scipy.sparse
import torch
from torch import Tensor

from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork

ITEMS, FEATURES = 7, 3


def network_of(compatibility: str, **options) -> ContextKernelNetwork:
    config = ContextKernelConfig(
        n_features=FEATURES, width=6, heads=2, feed_forward_width=5, compatibility=compatibility, **options
    )
    return ContextKernelNetwork(config).double()


def one_set() -> Tensor:
    return torch.randn(1, ITEMS, FEATURES, dtype=torch.float64)


both_compatibilities = pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])


@both_compatibilities
def test_unit_weights_are_exactly_the_plain_network(compatibility):
    """'The present architecture ... act[s] on a fully connected graph with unit weights.'"""
    network, items = network_of(compatibility), one_set()
    assert torch.equal(network(items, None, torch.ones(1, ITEMS, ITEMS).double()), network(items))
    assert np.array_equal(network.kernel(items[0], np.ones((ITEMS, ITEMS))), network.kernel(items[0]))


@both_compatibilities
@pytest.mark.parametrize("constant", [0.001, 2.0, 3e4])
def test_a_constant_weight_cancels_in_the_softmax(compatibility, constant):
    network, items = network_of(compatibility), one_set()
    weighted = network(items, None, torch.full((1, ITEMS, ITEMS), constant).double())
    torch.testing.assert_close(weighted, network(items), rtol=1e-12, atol=1e-12)


@both_compatibilities
def test_an_edge_weight_multiplies_the_attention_weight(compatibility):
    """a_ij exp(C_ij) / sum_l a_il exp(C_il), by a loop over the edges."""
    network, items = network_of(compatibility, n_blocks=1), one_set()
    adjacency = torch.rand(1, ITEMS, ITEMS, dtype=torch.float64)
    attention = network.blocks[0].attention
    encoded = network.encode(items[0])[None]
    q, k, v = (
        (encoded @ part.T).unflatten(-1, (2, -1)).transpose(1, 2) for part in attention.projection.unbind()
    )
    scores = attention.compatibility(q, k)[0].detach()
    attended = torch.zeros(2, ITEMS, 3, dtype=torch.float64)
    for head in range(2):
        for i in range(ITEMS):
            shares = [adjacency[0, i, j] * scores[head, i, j].exp() for j in range(ITEMS)]
            for j in range(ITEMS):
                attended[head, i] += (shares[j] / sum(shares) * v[0, head, j]).detach()
    expected = attention.output(attended.transpose(0, 1).flatten(1))
    found = []
    attention.register_forward_hook(lambda module, given, result: found.append(result[0]))
    network(items, None, adjacency)
    torch.testing.assert_close(found[0], expected)


@both_compatibilities
def test_zero_means_no_edge_so_two_components_are_two_sets(compatibility):
    network = network_of(compatibility)
    first, second = one_set(), one_set()[:, :5]
    adjacency = torch.block_diag(torch.ones(ITEMS, ITEMS), torch.ones(5, 5)).double()[None]
    together = network(torch.cat([first, second], dim=1), None, adjacency)
    torch.testing.assert_close(together[:, :ITEMS, :ITEMS], network(first))
    torch.testing.assert_close(together[:, ITEMS:, ITEMS:], network(second))


@both_compatibilities
def test_zero_edges_are_the_same_as_padding(compatibility):
    network, items = network_of(compatibility), one_set()
    mask = torch.arange(ITEMS)[None] < 5
    edges = (mask[:, :, None] & mask[:, None, :]).double()
    torch.testing.assert_close(network(items, None, edges)[:, :5, :5], network(items, mask)[:, :5, :5])
    torch.testing.assert_close(network(items, mask, edges)[:, :5, :5], network(items, mask)[:, :5, :5])


@both_compatibilities
def test_edges_to_padding_do_not_count(compatibility):
    network, items = network_of(compatibility), one_set()
    adjacency = torch.rand(1, ITEMS, ITEMS, dtype=torch.float64) + 0.5
    mask = torch.arange(ITEMS)[None] < 5
    padded = network(items, mask, adjacency)[:, :5, :5]
    torch.testing.assert_close(padded, network(items[:, :5], None, adjacency[:, :5, :5]))


@both_compatibilities
def test_an_isolated_item_depends_on_itself_alone(compatibility):
    network, items = network_of(compatibility), one_set()
    adjacency = torch.ones(1, ITEMS, ITEMS).double()
    adjacency[0, 2] = 0
    others = items.clone()
    others[0, 3:] += 1
    for weights, alone in ((adjacency, True), (None, False)):
        embedded = [
            network.contextualise(network.encode(x[0])[None], None, weights)[0, 2] for x in (items, others)
        ]
        assert torch.equal(*embedded) is alone


@both_compatibilities
def test_isolated_items_have_finite_values_and_gradients(compatibility):
    network, items = network_of(compatibility, skip="gated"), one_set()
    adjacency = torch.ones(1, ITEMS, ITEMS).double()
    adjacency[0, 2] = 0
    adjacency[0, :, 2] = 0
    for edges in (adjacency, torch.zeros_like(adjacency)):
        logits = network(items, None, edges)
        assert bool(logits.isfinite().all())
        logits.sum().backward()
        for name, parameter in network.named_parameters():
            assert parameter.grad is None or bool(parameter.grad.isfinite().all()), name


@pytest.mark.parametrize(
    "as_sparse",
    [
        scipy.sparse.csr_matrix,
        scipy.sparse.coo_array,
        lambda dense: torch.as_tensor(dense).to_sparse(),
        lambda dense: torch.as_tensor(dense).to_sparse_coo().coalesce(),
    ],
    ids=["scipy csr", "scipy coo", "torch sparse", "torch coalesced"],
)
def test_a_sparse_adjacency_gives_what_the_dense_one_gives(as_sparse):
    network, items = network_of("multiplicative"), one_set()
    dense = np.random.default_rng(5).random((ITEMS, ITEMS)) * (
        np.random.default_rng(7).random((ITEMS, ITEMS)) > 0.5
    )
    assert np.array_equal(network.kernel(items[0], as_sparse(dense)), network.kernel(items[0], dense))


def test_a_sparse_batch_of_adjacencies_gives_what_the_dense_one_gives():
    network, items = network_of("additive"), one_set().repeat(2, 1, 1)
    dense = torch.rand(2, ITEMS, ITEMS, dtype=torch.float64).round()
    assert torch.equal(network(items, None, dense.to_sparse()), network(items, None, dense))


def test_edges_change_the_kernel_and_permute_with_the_items():
    network, items = network_of("multiplicative"), one_set()[0].numpy()
    adjacency = np.random.default_rng(11).random((ITEMS, ITEMS))
    kernel = network.kernel(items, adjacency)
    assert not np.allclose(kernel, network.kernel(items))
    order = np.random.default_rng(13).permutation(ITEMS)
    permuted = network.kernel(items[order], adjacency[np.ix_(order, order)])
    np.testing.assert_allclose(permuted, kernel[np.ix_(order, order)], rtol=1e-12)


@pytest.mark.parametrize(
    ("adjacency", "message"),
    [
        (np.full((ITEMS, ITEMS), -0.5), "adjacency must not be negative. Got a smallest edge weight of -0.5"),
        (np.full((ITEMS, ITEMS), np.nan), "adjacency must be finite. Got NaN"),
        (np.full((ITEMS, ITEMS), np.inf), "adjacency must be finite"),
        (np.ones((ITEMS, 5)), r"adjacency must have shape \(7, 7\).*Got \(7, 5\)"),
        (np.ones(ITEMS), r"adjacency must have shape \(7, 7\).*Got \(7,\)"),
        ([["edge"] * ITEMS] * ITEMS, "adjacency must be real numbers. Got an array of <U4"),
        (scipy.sparse.csr_matrix(-np.eye(ITEMS)), "adjacency must not be negative"),
    ],
)
def test_a_bad_adjacency_is_an_error_that_says_what_arrived(adjacency, message):
    with pytest.raises(InvalidInputError, match=message):
        network_of("multiplicative").kernel(one_set()[0], adjacency)


def test_a_bad_adjacency_of_a_batch_is_an_error_too():
    network, items = network_of("multiplicative"), one_set()
    for weight, message in ((-1.0, "must not be negative"), (float("nan"), "must be finite")):
        with pytest.raises(InvalidInputError, match=message):
            network(items, None, torch.full((1, ITEMS, ITEMS), weight).double())
