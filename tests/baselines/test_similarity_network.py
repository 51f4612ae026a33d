"""The pairwise network sees two items and no more; ABC sees the set."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.baselines.tiny_background import TINY_NETWORK, shorter, unseen_set

from abclust.baselines.attention_based import AttentionBasedSystem
from abclust.baselines.pairwise import PairwiseSystem
from abclust.baselines.similarity_network import SimilarityNetwork, directions
from abclust.clustering.backends import cluster_kernel
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork

SET = unseen_set()


def test_the_pairwise_kernel_of_a_part_is_a_part_of_the_kernel(similarity, background):
    part = [3, 5, 11, 2]
    whole = similarity.kernel(SET.items)
    np.testing.assert_allclose(similarity.kernel(SET.items[part]), whole[np.ix_(part, part)], atol=1e-6)
    context = SimilarityNetwork(shorter(3), n_blocks=2)
    context.learn(background)
    whole = context.kernel(SET.items)
    assert np.abs(context.kernel(SET.items[part]) - whole[np.ix_(part, part)]).max() > 1e-4


def test_characters_never_seen_are_told_apart(similarity):
    kernel = similarity.kernel(SET.items)
    pairs = np.triu_indices(len(kernel), 1)
    assert roc_auc_score(SET.true_kernel[pairs], kernel[pairs]) > 0.85


def test_features_are_directions_of_single_items(similarity):
    encoded = similarity.encode(SET.items)
    np.testing.assert_allclose(np.linalg.norm(directions(encoded), axis=1), 1.0)
    np.testing.assert_allclose(similarity.encode(SET.items[4:7]), encoded[4:7], atol=1e-4)
    np.testing.assert_allclose(similarity.encode(SET.items / np.float32(255)), encoded, atol=1e-5)


def test_a_network_trained_elsewhere_is_taken_as_it_is(tmp_path, background):
    network = ContextKernelNetwork(TINY_NETWORK, {"image_passes": 17})
    network.save(tmp_path / "mine.safetensors")
    for model in (network, tmp_path / "mine.safetensors"):
        system = AttentionBasedSystem(model=model)
        system.learn(background)
        assert system.image_passes == 17
        expected = cluster_kernel(network.kernel(SET.items), 3, "spectral")
        assert np.array_equal(system.cluster(SET.items, n_clusters=3), expected)


def test_the_cards_tell_the_systems_apart():
    cards = [
        system(compatibility).card
        for system in (PairwiseSystem, AttentionBasedSystem)
        for compatibility in ("additive", "multiplicative")
    ]
    assert len({card.name for card in cards}) == len({card.title for card in cards}) == 4
    assert [card.uses_context for card in cards] == [False, False, True, True]
    with pytest.raises(InvalidInputError, match="compatibility must be one of"):
        PairwiseSystem("telepathic")
