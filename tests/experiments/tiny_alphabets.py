"""Hand-made alphabets of a few characters: what the Omniglot experiments are tested on everywhere."""

from dataclasses import replace

import numpy as np

from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.experiments.omniglot_recipes import RECIPES, OmniglotRecipe
from abclust.experiments.omniglot_source import StepKind
from abclust.model.config import ContextKernelConfig
from abclust.training.pool_drawing import PoolConfig

SIDE = 16
N_CHARACTERS, N_DRAWINGS = 23, 20
TINY_NETWORK = ContextKernelConfig(
    image_size=SIDE,
    encoder="fast-cnn",
    encoder_channels=(3, 5, 7),
    width=6,
    heads=2,
    n_blocks=1,
    similarity_bias=True,
)


def tiny_alphabets(*names: str, n_characters: int = N_CHARACTERS) -> GroupedImages:
    """Characters are fixed random patterns, drawings of one differ by noise."""
    generator = np.random.default_rng(len(names))
    n_classes = n_characters * len(names)
    patterns = generator.random((n_classes, 1, SIDE, SIDE)) < 0.3
    noise = generator.random((n_classes, N_DRAWINGS, SIDE, SIDE)) < 0.05
    classes = np.repeat(np.arange(n_classes), N_DRAWINGS)
    return GroupedImages(
        images=(255 * (patterns ^ noise)).astype(np.uint8).reshape(-1, SIDE, SIDE),
        labels=classes,
        groups=classes // n_characters,
        class_names=tuple(f"{name}/character{i:02d}" for name in names for i in range(n_characters)),
        group_names=names,
    )


def tiny_recipe(**training: object) -> OmniglotRecipe:
    """The recipe `omniglot` with a network of a few hundred weights and pools of a few dozen images."""
    pools = PoolConfig(1, 60, 2, 20, 40, rotated=0.5, mirrored=0.5)
    larger = replace(pools, pool_size=97, smallest_set=60, largest_set=97)
    recipe = RECIPES["omniglot"]
    return replace(
        recipe,
        network=TINY_NETWORK,
        steps=(StepKind(pools, 0.7), StepKind(larger, 0.3)),
        augmentation=AugmentationConfig(),
        ink_size=None,
        views=replace(recipe.views, count=2),
        training=replace(recipe.training, **training),  # type: ignore[arg-type]
    )
