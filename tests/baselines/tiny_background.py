"""Hand-made alphabets whose characters a small network learns to tell apart in seconds."""

from dataclasses import replace

import numpy as np

from abclust.baselines.learning import LearningConfig
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.labelled_set import LabelledSet, canonical_labels
from abclust.model.config import ContextKernelConfig
from abclust.training.config import TrainingConfig
from abclust.training.pool_drawing import PoolConfig

SIDE, N_DRAWINGS = 16, 13
TINY_NETWORK = ContextKernelConfig(
    image_size=SIDE,
    encoder="fast-cnn",
    encoder_channels=(5, 11, 23),
    width=16,
    heads=2,
    similarity_bias=True,
    feed_forward_width=32,
)
TINY_LEARNING = LearningConfig(
    network=TINY_NETWORK,
    training=TrainingConfig(
        steps=120,
        learning_rate=1e-2,
        warmup_steps=5,
        ema_decay=0.9,
        contrastive_weight=1.0,
        checkpoint_every="53",
        accelerator="cpu",
    ),
    pools=PoolConfig(1, 60, 3, 20, 40, rotated=0.0),
    augmentation=None,
)


def shorter(steps: int) -> LearningConfig:
    """The same with fewer steps: for tests that look at something else than how well was learned."""
    return replace(TINY_LEARNING, training=replace(TINY_LEARNING.training, steps=steps))


def characters(n_characters: int, n_drawings: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Drawings of coarse random patterns, a few pixels of each flipped, and which character each is."""
    generator = np.random.default_rng(seed)
    coarse = generator.random((n_characters, 1, SIDE // 4, SIDE // 4)) < 0.5
    patterns = np.kron(coarse, np.ones((1, 1, 4, 4), dtype=bool))
    noise = generator.random((n_characters, n_drawings, SIDE, SIDE)) < 0.08
    images = (255 * (patterns.astype(bool) ^ noise)).astype(np.uint8).reshape(-1, SIDE, SIDE)
    return images, np.repeat(np.arange(n_characters), n_drawings)


def tiny_background(n_groups: int = 3, n_characters: int = 17) -> GroupedImages:
    """Alphabets of random characters."""
    images, labels = characters(n_groups * n_characters, N_DRAWINGS, seed=1)
    return GroupedImages(
        images=images,
        labels=labels,
        groups=labels // n_characters,
        class_names=tuple(f"{place}" for place in range(n_groups * n_characters)),
        group_names=tuple(f"alphabet {place}" for place in range(n_groups)),
    )


def unseen_set(n_characters: int = 5, n_drawings: int = 7, seed: int = 2) -> LabelledSet:
    """A shuffled set of characters that no background has."""
    images, labels = characters(n_characters, n_drawings, seed + 1000)
    order = np.random.default_rng(seed).permutation(len(labels))
    return LabelledSet(images[order], canonical_labels(labels[order]))


def blobs(n_clusters: int, n_each: int, spread: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the plane around the corners of a polygon, and the corner of each."""
    generator = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(n_clusters) / n_clusters
    labels = np.repeat(np.arange(n_clusters), n_each)
    centres = 5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return centres[labels] + spread * generator.normal(size=(len(labels), 2)), labels
