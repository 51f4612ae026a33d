"""The Set Transformer and DAC learn to cluster in a few passes."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.baselines.tiny_background import TINY_LEARNING, TINY_NETWORK, unseen_set

from abclust.baselines.deep_amortized import DeepAmortizedConfig, DeepAmortizedSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.set_transformer import (
    SetTransformerConfig,
    SetTransformerSystem,
    principal_axes,
    strongest_components,
)
from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation import ari
from abclust.model.config import ContextKernelConfig
from abclust.training.config import TrainingConfig
from abclust.training.pool_drawing import PoolConfig


def gaussians(seed: int, n_clusters: int, n_each: int) -> LabelledSet:
    """Points around centres in a square, as in both sources."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_clusters), n_each)
    centres = generator.uniform(-1, 1, (n_clusters, 2))
    return LabelledSet(
        (centres[labels] + 0.05 * generator.normal(size=(len(labels), 2))).astype("f4"), labels
    )


def test_principal_axes_have_unit_deviation_and_know_how_wide_classes_are():
    generator = np.random.default_rng(0)
    labels = np.arange(200) % 7
    centres = generator.normal(size=(7, 3)) * [9.0, 3.0, 1.0]
    items = (centres[labels] + 0.1 * generator.normal(size=(200, 3))).astype(np.float32)
    mean, axes, width = principal_axes([LabelledSet(items, labels)], 2)
    described = (items - mean) @ axes
    np.testing.assert_allclose(described.mean(axis=0), 0.0, atol=1e-4)
    assert described[:, 0].std() == pytest.approx(1.0, abs=0.01)
    assert abs(np.corrcoef(described.T)[0, 1]) < 1e-3
    assert width == pytest.approx(0.1 * np.linalg.norm(axes[:, 0]), rel=0.1)


def test_a_known_number_keeps_the_components_that_own_most():
    log_joint = torch.tensor([[0.5, 0.1, 0.4], [0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.1, 0.4, 0.5]]).log()
    assert strongest_components(log_joint, None).tolist() == [0, 0, 2, 2]
    assert strongest_components(log_joint, 1).tolist() == [2, 2, 2, 2]  # owns 1.6 of the four items
    assert strongest_components(log_joint, 5).tolist() == [0, 0, 2, 2]


@pytest.mark.slow
def test_a_set_transformer_learns_to_read_mixtures(background, networks, similarity):
    config = SetTransformerConfig(
        n_components=23,
        n_features=8,
        width=32,
        heads=2,
        n_induced=7,
        training=TrainingConfig(steps=300, learning_rate=3e-3, ema_decay=0.95, accelerator="cpu"),
        pools=TINY_LEARNING.pools,
    )
    system = SetTransformerSystem(config, TINY_LEARNING)
    system.learn(background, networks)
    scores = [ari(each.labels, system.cluster(each.items)) for each in map(unseen, range(5))]
    assert np.mean(scores) > 0.3


def unseen(seed: int) -> LabelledSet:
    return unseen_set(n_characters=7, seed=seed)


@pytest.mark.slow
def test_dac_finds_more_clusters_than_it_ever_saw_in_a_set():
    """Source: networks trained on sets of up to four clusters cluster sets of twelve."""
    learning = LearningConfig(
        network=ContextKernelConfig(n_features=2, width=32, heads=4, fourier_octaves=2),
        training=TrainingConfig(
            steps=400,
            optimizer="muon",
            learning_rate=3e-3,
            ema_decay=0.98,
            warmup_steps=20,
            accelerator="cpu",
        ),
        pools=PoolConfig(8, 40, 1, 40, 40, rotated=0.0),
        augmentation=None,
    )
    system = DeepAmortizedSystem(DeepAmortizedConfig(n_layers=2, n_induced=7), learning)
    system.learn([gaussians(seed, n_clusters=4, n_each=20) for seed in range(100)])
    found = [system.cluster(gaussians(seed, 7, 11).items) for seed in range(1000, 1011)]
    scores = [ari(gaussians(seed, 7, 11).labels, labels) for seed, labels in enumerate(found, start=1000)]
    assert np.median([labels.max() + 1 for labels in found]) > 4
    assert np.mean(scores) > 0.4


@pytest.mark.slow
def test_dac_clusters_characters_never_seen(background):
    # AdamW leaves these post-norm blocks where they began in so few steps.
    training = replace(TINY_LEARNING.training, steps=400, learning_rate=3e-3, optimizer="muon")
    learning = replace(TINY_LEARNING, training=training, network=replace(TINY_NETWORK, width=32))
    system = DeepAmortizedSystem(DeepAmortizedConfig(n_layers=2, n_induced=7), learning)
    system.learn(background)
    scores = [ari(each.labels, system.cluster(each.items)) for each in map(unseen, range(5))]
    assert np.mean(scores) > 0.4
