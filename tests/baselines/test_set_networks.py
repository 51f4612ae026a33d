"""ISAB, PMA and the two networks made of them: what order, padding and single items may and may not do."""

import pytest
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

from abclust.attention.visibility import Visibility
from abclust.baselines.filtering_network import FilteringNetwork, filter_clusters, filtering_loss
from abclust.baselines.induced_attention import ISAB, PMA
from abclust.baselines.mixture_network import Mixture, MixtureNetwork, mixture_loss
from abclust.foundations.errors import InvalidInputError
from abclust.model.config import ContextKernelConfig
from abclust.training.batch_source import TrainingBatch

POINTS = ContextKernelConfig(n_features=3, width=8, heads=2)


def padded(items: torch.Tensor, extra: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The same sets with rubbish behind them, and the mask that says so."""
    rubbish = 100 * torch.ones(len(items), extra, *items.shape[2:])
    mask = torch.arange(items.shape[1] + extra) < items.shape[1]
    return torch.cat([items, rubbish], dim=1), mask.expand(len(items), -1)


def test_pooling_does_not_depend_on_order_or_padding():
    pool, items = PMA(3, width=8, heads=2), torch.randn(2, 7, 8)
    pooled = pool(items)
    assert pooled.shape == (2, 3, 8)
    torch.testing.assert_close(pool(items[:, torch.randperm(7)]), pooled)
    longer, mask = padded(items, 5)
    torch.testing.assert_close(pool(longer, Visibility.of(longer, mask)), pooled)


def test_induced_attention_moves_with_its_items_and_ignores_padding():
    block, items, order = ISAB(3, width=8, heads=2), torch.randn(2, 7, 8), torch.randperm(7)
    attended = block(items)
    torch.testing.assert_close(block(items[:, order]), attended[:, order])
    longer, mask = padded(items, 5)
    torch.testing.assert_close(block(longer, Visibility.of(longer, mask))[:, :7], attended)


def test_the_mixture_has_the_likelihood_that_torch_gives_it():
    mixture = Mixture(torch.randn(2, 3).log_softmax(-1), torch.randn(2, 3, 5), torch.rand(2, 3, 5) + 0.1)
    items = torch.randn(2, 7, 5)
    for b in range(2):
        reference = MixtureSameFamily(
            Categorical(logits=mixture.log_weights[b]),
            Independent(Normal(mixture.means[b], mixture.scales[b]), 1),
        )
        torch.testing.assert_close(mixture.log_joint(items)[b].logsumexp(-1), reference.log_prob(items[b]))


def test_the_mixture_of_a_set_does_not_depend_on_order_or_padding():
    network, items = MixtureNetwork(4, 3, n_components=5, width=8, heads=2, n_induced=3), torch.randn(2, 7, 3)
    mixture = network(items)
    shuffled = network(items[:, torch.randperm(7)])
    torch.testing.assert_close(shuffled.means, mixture.means)
    longer, mask = padded(items, 5)
    torch.testing.assert_close(network(longer, mask).log_weights, mixture.log_weights)
    torch.testing.assert_close(mixture_loss(network, longer, mask), mixture_loss(network, items))


def test_no_component_is_narrower_than_a_class():
    network = MixtureNetwork(3, 3, n_components=5, width=8, heads=2)
    network.smallest_scale.fill_(0.7)
    assert bool((network(torch.randn(2, 7, 3)).scales > 0.7).all())


def test_the_axes_of_a_mixture_must_fit_the_encoder():
    with pytest.raises(InvalidInputError, match="n_features must lie in 1 to the encoder's width"):
        MixtureNetwork(4, 5, n_components=2)


def test_what_an_anchor_gets_does_not_depend_on_the_other_anchors():
    network = FilteringNetwork(POINTS, n_layers=2, n_induced=3).eval()
    embeddings = network.encode(torch.randn(7, 3))[None]
    together = network(embeddings, torch.arange(7)[None])
    for anchor in range(7):
        torch.testing.assert_close(network(embeddings, torch.tensor([[anchor]]))[:, 0], together[:, anchor])


def test_items_that_are_gone_are_not_seen():
    network = FilteringNetwork(POINTS, n_layers=2, n_induced=3).eval()
    embeddings, left = network.encode(torch.randn(7, 3))[None], (torch.arange(7) < 5)[None]
    anchor = torch.tensor([[2]])
    alone = network(embeddings[:, :5], anchor, left[:, :5])
    torch.testing.assert_close(network(embeddings, anchor, left)[..., :5], alone)
    assert not torch.allclose(network(embeddings, anchor)[..., :5], alone)


class KnowsTheAnswer(FilteringNetwork):
    """A network that reads the clusters off the embeddings, and forgets to count the anchor itself."""

    def forward(self, embeddings, anchors, mask=None):
        own = embeddings[..., 0]
        assert bool(mask.gather(1, anchors).all())
        logits = torch.where(own[:, None] == own.gather(1, anchors)[:, :, None], 3.0, -3.0)
        return logits.scatter(2, anchors[:, :, None], -3.0)


TRUTH = torch.tensor([[0, 1, 0, 2, 1, 0], [4, 4, 4, 4, 4, 4]])


def generators(*seeds: int) -> list[torch.Generator]:
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def test_clusters_are_taken_out_one_a_pass():
    network = KnowsTheAnswer(POINTS, n_layers=0)
    for seed in range(7):
        found = filter_clusters(network, TRUTH[..., None].float(), generators(seed, seed + 1), 100)
        for own, truth in zip(found, TRUTH):
            assert bool(((own[:, None] == own) == (truth[:, None] == truth)).all())


def test_the_filtering_loss_looks_at_real_items_and_at_the_drawn_anchors_alone():
    """Two sets, one padded: logits are 3 where they should be and -3 elsewhere, but for the anchor's own."""
    labels = torch.tensor([0, 1, 0, 2, 1])
    batch = TrainingBatch(
        items=labels[:, None].float(),
        labels=labels,
        sets=torch.tensor([[0, 1, 2, 3, 4], [1, 4, 3, 0, 0]]),
        mask=torch.tensor([[True] * 5, [True] * 3 + [False] * 2]),
    )
    loss = filtering_loss(KnowsTheAnswer(POINTS, n_layers=0), batch.items, batch, anchors_per_set=50)
    right, wrong = torch.nn.functional.softplus(torch.tensor([-3.0, 3.0]))
    torch.testing.assert_close(loss, (6 * right + 2 * wrong) / 8)


def test_what_is_left_after_the_last_pass_is_one_more_cluster():
    found = filter_clusters(KnowsTheAnswer(POINTS, n_layers=0), TRUTH[:1, :, None].float(), generators(0), 2)
    assert len(found.unique()) == 2
    assert bool((found >= 0).all())


def test_sets_that_are_filtered_together_get_what_they_get_alone():
    network = FilteringNetwork(POINTS, n_layers=2, n_induced=3).eval()
    embeddings = network.encode(torch.randn(5 * 11, 3)).unflatten(0, (5, 11))
    together = filter_clusters(network, embeddings, generators(*range(5)), 100)
    for place in range(5):
        alone = filter_clusters(network, embeddings[place : place + 1], generators(place), 100)
        assert torch.equal(together[place], alone[0])
