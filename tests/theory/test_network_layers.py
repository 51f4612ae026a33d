"""The clusters of a labelled set, followed through the blocks of a network."""

import numpy as np
import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.theory import layer_separation
from abclust.theory.network_layers import layer_embeddings, without_attention_skips

ITEMS = np.random.default_rng(0).normal(size=(11, 2)).astype(np.float32)
LABELS = np.array([0, 0, 1, 1, 1, 2, 2, 0, 1, 2, 0])


def network(**options: object) -> ContextKernelNetwork:
    torch.manual_seed(0)
    return ContextKernelNetwork(
        ContextKernelConfig(n_features=2, width=12, heads=3, n_blocks=5, **options)  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("pre_norm", [True, False])
def test_layers_are_what_the_network_computes(pre_norm: bool) -> None:
    model = network(pre_norm=pre_norm)
    layers = layer_embeddings(model, ITEMS)
    with torch.no_grad():
        encoded = model.encode(torch.from_numpy(ITEMS))
        last = model.final_norm(torch.from_numpy(layers[-1]).float())
        expected = model.contextualise(encoded[None])[0]
    assert len(layers) == 6
    np.testing.assert_allclose(layers[0], encoded.numpy(), rtol=1e-6)
    np.testing.assert_allclose(last.numpy(), expected.numpy(), atol=1e-5)


def test_looking_leaves_the_network_as_it_was() -> None:
    model = network().train()
    before = model.kernel(ITEMS)
    layer_separation(model, ITEMS, LABELS)
    layer_separation(model, ITEMS, LABELS, skip=False)
    assert model.training
    assert not any(block._forward_hooks for block in model.blocks)
    np.testing.assert_array_equal(model.kernel(ITEMS), before)


def test_separation_is_mean_centroid_distance_over_mean_diameter() -> None:
    model = network()
    measured = layer_separation(model, ITEMS, LABELS)
    for layer, separation, extent in zip(
        layer_embeddings(model, ITEMS), measured.separation, measured.extent
    ):
        groups = [layer[label == LABELS] for label in range(3)]
        centres = [group.mean(axis=0) for group in groups]
        apart = [np.linalg.norm(centres[i] - centres[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
        wide = [max(np.linalg.norm(x - y) for x in group for y in group) for group in groups]
        assert separation == pytest.approx(np.mean(apart) / np.mean(wide))
        largest = max(np.linalg.norm(x - y) for x in layer for y in layer)
        assert extent == pytest.approx(largest / np.sqrt((layer**2).sum(axis=1).mean()))


@pytest.mark.parametrize("pre_norm", [True, False])
def test_without_skips_attention_collapses_the_set_layer_by_layer(pre_norm: bool) -> None:
    model = network(pre_norm=pre_norm)
    kept = layer_separation(model, ITEMS, LABELS).extent
    bare = layer_separation(model, ITEMS, LABELS, skip=False).extent
    assert kept[0] == bare[0]
    assert (bare[1:] < kept[1:]).all()
    assert bare[-1] < 1e-2 * kept[-1]


def test_without_skips_a_block_knows_its_input_by_attention_alone() -> None:
    bare = without_attention_skips(network(pre_norm=True))
    x = torch.randn(1, 7, 12)
    block = bare.blocks[0]
    attended = block.attention(*(block.attention_norm(x),) * 3)
    expected = attended + block.feed_forward(block.feed_forward_norm(attended))
    torch.testing.assert_close(block(x), expected)


@pytest.mark.parametrize("labels", [np.zeros(11, int), np.arange(11)])
def test_labels_without_two_clusters_or_without_a_pair_are_refused(labels: np.ndarray) -> None:
    with pytest.raises(InvalidInputError, match="two clusters"):
        layer_separation(network(), ITEMS, labels)
