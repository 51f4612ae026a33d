"""Options beyond the paper, off by default: what each one changes, and that it changes nothing else."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from abclust.model import ContextKernelConfig, ContextKernelNetwork

FEATURES, ITEMS, WIDTH, HEADS = 3, 7, 10, 2


def network_of(**options) -> ContextKernelNetwork:
    torch.manual_seed(3)
    settings = {"n_features": FEATURES, "width": WIDTH, "heads": HEADS, "feed_forward_width": 5, **options}
    return ContextKernelNetwork(ContextKernelConfig(**settings)).double()


def batch() -> torch.Tensor:
    return torch.randn(2, ITEMS, FEATURES, dtype=torch.float64)


def with_weights_of(other: ContextKernelNetwork, **options) -> ContextKernelNetwork:
    network = network_of(**options)
    network.load_state_dict(other.state_dict(), strict=False)
    return network


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_the_authors_softmax_scale_is_one_over_root_width_for_both_forms(compatibility):
    paper = network_of(compatibility=compatibility).blocks[0].attention.compatibility
    authors = (
        network_of(compatibility=compatibility, softmax_scale="authors").blocks[0].attention.compatibility
    )
    assert authors.scale == pytest.approx(1 / math.sqrt(WIDTH))
    of_the_paper = {"multiplicative": 1 / math.sqrt(WIDTH / HEADS), "additive": 1.0}
    assert paper.scale == pytest.approx(of_the_paper[compatibility])
    queries, keys = torch.randn(2, 1, HEADS, ITEMS, WIDTH // HEADS, dtype=torch.float64).unbind()
    authors.load_state_dict(paper.state_dict())
    torch.testing.assert_close(authors(queries, keys) / authors.scale, paper(queries, keys) / paper.scale)


def test_the_authors_head_has_no_scale():
    paper = network_of(n_blocks=0, similarity_scale="paper", symmetrisation="logit")
    authors = with_weights_of(paper, n_blocks=0, similarity_scale="none", symmetrisation="logit")
    items = batch()
    torch.testing.assert_close(authors(items), paper(items) * math.sqrt(WIDTH))


def test_the_authors_symmetrisation_averages_logits():
    paper = network_of()
    authors = with_weights_of(paper, symmetrisation="logit")
    items = batch()
    z = paper.contextualise(paper.encode(items.flatten(0, 1)).unflatten(0, items.shape[:2]))
    directed = paper.head.compatibility(paper.head.queries(z), paper.head.keys(z))
    torch.testing.assert_close(authors(items), (directed + directed.mT) / 2)
    torch.testing.assert_close(paper(items).sigmoid(), (directed.sigmoid() + directed.mT.sigmoid()) / 2)


def test_the_authors_feed_forward_is_a_single_linear_layer():
    block = network_of(feed_forward_width=None).blocks[0]
    assert [type(layer) for layer in block.feed_forward] == [nn.Linear]
    assert block.feed_forward[0].weight.shape == (WIDTH, WIDTH)


def test_the_authors_circles_network_has_no_output_projection():
    names = dict(network_of(output_projection=False).named_parameters())
    assert not [name for name in names if "attention.output" in name]


def test_pre_norm_ends_with_one_more_layer_norm():
    network = network_of(pre_norm=True)
    network.final_norm.weight.data.fill_(1.0)
    contextual = network.contextualise(torch.randn(2, ITEMS, WIDTH, dtype=torch.float64))
    torch.testing.assert_close(contextual.mean(dim=-1), torch.zeros(2, ITEMS).double(), atol=1e-12, rtol=0)
    assert isinstance(network_of(pre_norm=True, n_blocks=0).final_norm, nn.Identity)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_gated_skips_start_as_plain_skips(pre_norm):
    plain = network_of(pre_norm=pre_norm)
    gated = with_weights_of(plain, pre_norm=pre_norm, skip="gated")
    items = batch()
    torch.testing.assert_close(gated(items), plain(items), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_the_log_n_scale_multiplies_the_compatibilities_by_log_n(compatibility):
    plain = network_of(compatibility=compatibility)
    same = with_weights_of(plain, compatibility=compatibility, log_n_reference=ITEMS)
    items = batch()
    torch.testing.assert_close(same(items), plain(items))  # sets of the size trained on change nothing
    sharper = with_weights_of(plain, compatibility=compatibility, log_n_reference=2)
    for block in plain.blocks:
        block.attention.compatibility.scale *= math.log(ITEMS) / math.log(2)
    torch.testing.assert_close(sharper(items), plain(items))


def test_the_direct_path_adds_a_learned_multiple_of_the_cosine_of_the_encoded_items():
    plain = network_of()
    direct = with_weights_of(plain, direct_path=True)
    direct.direct_weight.data.fill_(2.5)
    items = batch()
    difference = (direct(items) - plain(items)).detach()
    encoded = plain.encode(items.flatten(0, 1)).unflatten(0, items.shape[:2]).detach().numpy()
    for s in range(2):
        for i in range(ITEMS):
            for j in range(ITEMS):
                one, other = encoded[s, i], encoded[s, j]
                cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
                assert difference[s, i, j].item() == pytest.approx(2.5 * cosine)


def test_fourier_features_of_nearby_points_differ_more():
    near = torch.tensor([[0.1, 0.2, 0.3], [0.11, 0.2, 0.3]], dtype=torch.float64)
    fourier = network_of(fourier_octaves=6).encoder[0](near)
    assert fourier.shape == (2, FEATURES * 13)
    assert float((fourier[0] - fourier[1]).norm()) > 10 * float((near[0] - near[1]).norm())


def test_another_compatibility_may_stand_in_the_head():
    network = network_of(similarity="siamese", similarity_projections=False, n_blocks=0)
    items = batch()
    encoded = network.encode(items.flatten(0, 1)).unflatten(0, items.shape[:2])
    distances = (encoded[:, :, None] - encoded[:, None]).abs()
    torch.testing.assert_close(network(items), distances @ network.head.compatibility.weight)
