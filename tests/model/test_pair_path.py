"""The pair path: features against plain loops, where it starts, and that it keeps the network's promises."""

import itertools
import math
from dataclasses import replace

import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.pair_path import PairPath

CONFIG = ContextKernelConfig(
    n_features=7,
    width=16,
    heads=2,
    n_blocks=2,
    pre_norm=True,
    log_n_reference=11,
    direct_path=True,
    pair_columns=((0, 3), (3, 5)),
    pair_sums=(5, 7),
)


def awake(config=CONFIG):
    """A network whose pair path says something: as after some training."""
    torch.manual_seed(0)
    network = ContextKernelNetwork(config).eval()
    for parameter in network.pair_path.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return network


def test_features_are_log_distances_in_each_group_and_sums():
    path = PairPath((3, 2), n_summed=2, n_blocks=1, heads=1)
    items = torch.randn(2, 5, 7, dtype=torch.float64)
    features = path.features(items, items)
    for b in range(2):
        for i in range(5):
            for j in range(5):
                x, y = items[b, i], items[b, j]
                expected = [
                    math.log(float((x[:3] - y[:3]).square().sum()) + 1e-3) / 2,
                    math.log(float((x[3:5] - y[3:5]).square().sum()) + 1e-3) / 2,
                    *(x[5:] + y[5:]).tolist(),
                ]
                found = features[b, :, i, j]
                torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


def test_every_pair_goes_through_the_layers_as_one_row_of_features_would():
    torch.manual_seed(0)
    path = PairPath((3, 2), n_summed=2, n_blocks=3, heads=2).double()
    for parameter in path.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    items = torch.randn(2, 5, 7, dtype=torch.float64)
    features = path.features(items, items)
    for b, i, j in itertools.product(range(2), range(5), range(5)):
        row = features[b, :, i, j]
        expected = path.to_biases.last(torch.nn.functional.gelu(path.to_biases.first(row)))
        torch.testing.assert_close(path.biases(items)[:, b, :, i, j].flatten(), expected)


def test_untrained_it_changes_nothing():
    torch.manual_seed(0)
    network = ContextKernelNetwork(CONFIG).eval()
    plain = ContextKernelNetwork(replace(CONFIG, pair_columns=(), pair_sums=(0, 0))).eval()
    own = {name: value for name, value in network.state_dict().items() if "pair_path" not in name}
    plain.load_state_dict(own)
    sets = torch.randn(2, 5, 7)
    torch.testing.assert_close(network(sets), plain(sets))
    assert (awake()(sets) - plain(sets)).abs().max() > 0.01


def test_logits_are_symmetric_and_follow_the_items_when_they_change_places():
    network, sets = awake(), torch.randn(3, 11, 7)
    logits = network(sets)
    torch.testing.assert_close(logits, logits.mT)
    order = torch.randperm(11)
    torch.testing.assert_close(network(sets[:, order]), logits[:, order][:, :, order], atol=1e-5, rtol=1e-4)


def test_padding_changes_nothing_for_real_items():
    network, sets = awake(), torch.randn(2, 7, 7)
    padded = torch.cat([sets, torch.full((2, 4, 7), 3.0)], dim=1)
    mask = torch.arange(11)[None].expand(2, -1) < 7
    torch.testing.assert_close(network(padded, mask)[:, :7, :7], network(sets), atol=1e-5, rtol=1e-4)


def test_rows_of_the_kernel_and_cached_embeddings_give_the_same():
    network, items = awake(), torch.randn(13, 7)
    whole = network(items[None]).sigmoid()[0].detach()
    blocks = torch.cat([torch.from_numpy(block) for _, block in network.kernel_blocks(items, block_rows=5)])
    torch.testing.assert_close(blocks, whole, atol=1e-5, rtol=1e-4)
    related = network.relate(network.encode(items)[None]).sigmoid()[0]
    torch.testing.assert_close(related, whole)


def test_it_travels_in_the_file_and_every_part_of_it_learns(tmp_path):
    network = awake()
    network.save(tmp_path / "network.safetensors")
    again = ContextKernelNetwork.from_file(tmp_path / "network.safetensors")
    items = torch.randn(5, 7)
    torch.testing.assert_close(again(items[None]), network(items[None]))
    network.train()(torch.randn(2, 5, 7)).square().sum().backward()
    for name, parameter in network.pair_path.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0 or name == "to_biases.last.bias", name


def test_columns_that_are_not_there_are_refused():
    with pytest.raises(InvalidInputError, match="of the 7 features"):
        ContextKernelConfig(n_features=7, pair_columns=((5, 8),))
    with pytest.raises(InvalidInputError, match="of the 0 features"):
        ContextKernelConfig(image_size=28, encoder="fast-cnn", pair_columns=((0, 3),))


@torch.no_grad()
def test_a_set_too_large_for_all_biases_at_once_is_worked_off_in_rows(monkeypatch):
    network, sets = awake().double(), torch.randn(2, 13, 7, dtype=torch.float64)
    mask = torch.arange(13)[None] < torch.tensor([[13], [9]])
    edges = torch.rand(2, 13, 13, dtype=torch.float64).round(decimals=1)
    edges[:, 3] = 0.0  # an item that sees nothing
    whole, masked, linked = network(sets), network(sets, mask), network(sets, adjacency=edges)
    monkeypatch.setattr("abclust.model.pair_path.PAIR_PATH_BUDGET", 16 * 2 * 13 * 5)
    rows, features = [], network.pair_path.features
    monkeypatch.setattr(
        network.pair_path,
        "features",
        lambda some, items: rows.append(some.shape[1]) or features(some, items),
    )
    torch.testing.assert_close(network(sets), whole)
    assert set(rows) == {5, 3}
    torch.testing.assert_close(network(sets, mask)[mask], masked[mask])
    torch.testing.assert_close(network(sets, adjacency=edges), linked)


def test_distances_are_of_single_precision_whatever_the_network_works_in():
    geometry = 0.5 * torch.randn(2, 29, 5, generator=torch.Generator().manual_seed(3)) + 3.0
    path = PairPath((3, 1), n_summed=1, n_blocks=1, heads=1)
    with torch.autocast("cpu", torch.bfloat16):
        features = path.features(geometry, geometry)
    assert torch.equal(features, path.features(geometry, geometry))
