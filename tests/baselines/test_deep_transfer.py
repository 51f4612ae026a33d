"""DTC-Pi: prototypes, the number of clusters by known classes, and self-training on a set."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.baselines.tiny_background import TINY_LEARNING, blobs, unseen_set

from abclust.baselines.deep_transfer import DeepTransferConfig, DeepTransferSystem, hold_out_probes
from abclust.baselines.embedded_clustering import (
    TRUNKS,
    SelfTrainingConfig,
    first_clusters,
    self_train,
    sharpened,
)
from abclust.baselines.item_variation import varied_items
from abclust.baselines.k_means import k_means_labels
from abclust.baselines.probe_classes import ProbeConfig, estimate_by_probes, split_classes
from abclust.baselines.prototypical_loss import first_of_their_class, prototypical_loss
from abclust.baselines.semi_supervised_k_means import semi_supervised_k_means
from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation import ari
from abclust.foundations.errors import InvalidInputError
from abclust.training.pool_source import as_groups


def test_the_prototypical_loss_is_its_loop():
    generator = torch.Generator().manual_seed(0)
    embeddings = torch.randn(23, 3, generator=generator, dtype=torch.float64)
    labels = torch.randint(4, (23,), generator=generator)
    pools = torch.arange(23) % 2
    losses = []
    for pool in (0, 1):
        members = {c: [i for i in range(23) if labels[i] == c and pools[i] == pool] for c in range(4)}
        halves = {c: min(5, max(1, len(m) // 2)) for c, m in members.items() if m}
        means = {c: embeddings[members[c][:half]].mean(0) for c, half in halves.items()}
        for c, half in halves.items():
            for query in members[c][half:]:
                scores = {k: -float((embeddings[query] - mean).square().sum()) for k, mean in means.items()}
                losses.append(math.log(sum(map(math.exp, scores.values()))) - scores[c])
    expected = sum(losses) / len(losses)
    assert float(prototypical_loss(embeddings, labels, pools)) == pytest.approx(expected)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=23), st.integers(1, 5))
def test_supports_are_the_first_half_of_a_class_at_most(labels, n_support):
    _, classes = torch.unique(torch.tensor(labels), return_inverse=True)
    is_support = first_of_their_class(classes, n_support)
    for label in classes.unique():
        members = is_support[classes == label].int().tolist()
        assert members == sorted(members, reverse=True)
        assert sum(members) == max(1, min(n_support, len(members) // 2))


def test_classes_of_one_item_teach_nothing_and_break_nothing():
    embeddings = torch.randn(5, 3, requires_grad=True)
    loss = prototypical_loss(embeddings, torch.arange(5))
    loss.backward()
    assert float(loss.detach()) == 0.0
    assert bool(torch.isfinite(embeddings.grad).all())


def test_known_items_keep_their_class_and_draw_others_to_it():
    points, labels = blobs(4, 11, 0.3, seed=0)
    known = np.isin(labels, [0, 1]) & (np.arange(44) % 2 == 0)
    found = semi_supervised_k_means(points[~known], points[known], labels[known], 4, np.random.default_rng(0))
    assert np.array_equal(found[labels[~known] < 2], labels[~known][labels[~known] < 2])
    assert ari(labels[~known], found) == 1.0


def test_without_room_for_new_clusters_all_items_join_known_ones():
    points, labels = blobs(3, 7, 0.3, seed=1)
    known = labels < 2
    found = semi_supervised_k_means(points[~known], points[known], labels[known], 2, np.random.default_rng(0))
    assert set(found) <= {0, 1}


def test_probes_are_split_by_class():
    points, labels = blobs(11, 5, 0.3, seed=2)
    config = ProbeConfig(n_classes=10)
    anchored, free = split_classes(LabelledSet(points, labels), config, np.random.default_rng(0))
    assert (anchored.n_clusters, free.n_clusters) == (7, 3)
    assert not {tuple(row) for row in anchored.items} & {tuple(row) for row in free.items}


def test_the_number_of_clusters_is_found_with_the_help_of_known_classes():
    generator = np.random.default_rng(0)
    labels = np.repeat(np.arange(23), 13)
    points = generator.normal(size=(23, 7))[labels] * 3 + 0.3 * generator.normal(size=(299, 7))
    probes = [LabelledSet(points[labels < 12], labels[labels < 12])]
    rows = points[labels >= 12]  # eleven clusters
    found = estimate_by_probes(rows, probes, ProbeConfig(step=2, maximum=40), generator)
    assert 9 <= found <= 15


def test_the_target_is_sharper_than_what_it_was_made_of():
    belonging = torch.rand(11, 5).softmax(-1)
    target = sharpened(belonging)
    torch.testing.assert_close(target.sum(1), torch.ones(11))
    expected = belonging**2 / belonging.sum(0)
    torch.testing.assert_close(target, expected / expected.sum(1, keepdim=True))


def test_the_first_clusters_are_those_of_k_means():
    points, _ = blobs(5, 11, 0.5, seed=3)
    wide = np.concatenate([points, np.zeros((55, 5))], axis=1)
    clusters = first_clusters(torch.nn.Identity(), wide, 5, seed=0)
    with torch.no_grad():
        found = clusters(torch.from_numpy(wide).float()).argmax(1).numpy()
    assert ari(found, k_means_labels(wide, 5, 0)) == 1.0


def test_self_training_pulls_overlapping_clusters_apart():
    """Source (DEC): the target distribution strengthens what is sure, and clusters become purer."""
    points, labels = blobs(3, 31, 1.6, seed=4)
    encoder = torch.nn.Linear(2, 2)
    torch.nn.init.eye_(encoder.weight)
    torch.nn.init.zeros_(encoder.bias)
    clusters = first_clusters(encoder, points, 3, seed=0)
    items = torch.from_numpy(points).float()
    with torch.no_grad():
        before = clusters(items).max(1).values.mean()
    config = SelfTrainingConfig(epochs=30, batch_size=31, learning_rate=3e-2)
    found = self_train(clusters, items, varied_items(items, config.variation), config, seed=0)
    with torch.no_grad():
        after = clusters(items).max(1).values.mean()
    assert float(after) > float(before) + 0.003
    assert ari(labels, found) >= ari(labels, k_means_labels(points, 3, 0)) - 0.05


@pytest.mark.parametrize("trunk", TRUNKS)
def test_characters_never_seen_are_clustered(background, networks, trunk):
    still = SelfTrainingConfig(trunk, epochs=10, warmup_epochs=2, consistency=1.0)
    config = DeepTransferConfig(still, ProbeConfig(n_groups=1, n_classes=9, maximum=16, step=2))
    system = DeepTransferSystem(config, TINY_LEARNING)
    system.learn(background, networks)
    unseen = unseen_set(n_characters=7, seed=3)
    assert ari(unseen.labels, system.cluster(unseen.items, n_clusters=7)) > 0.6
    assert 4 <= system.estimate_n_clusters(unseen.items) <= 16


def test_probes_are_never_learned_from(background):
    groups = as_groups(background)
    taught, probes = hold_out_probes(groups, 2, seed=3)
    assert len(taught) == 1
    assert len(probes) == 2
    assert {group.group for group in taught} | {group.group for group in probes} == {
        group.group for group in groups
    }
    with pytest.raises(InvalidInputError, match="fewer than the background's groups"):
        hold_out_probes(groups, 3, seed=0)
    small = [LabelledSet(np.zeros((3, 2)), [0, 0, 0]), *groups]
    with pytest.raises(InvalidInputError, match="at least two classes"):
        hold_out_probes(small, 3, seed=0)
    assert hold_out_probes(groups, 0, seed=0) == (groups, groups)


def test_impossible_settings_are_refused():
    for build in (lambda: ProbeConfig(n_classes=1), lambda: SelfTrainingConfig(batch_size=1)):
        with pytest.raises(InvalidInputError):
            build()
