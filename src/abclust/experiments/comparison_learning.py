"""What the learned systems of the comparison are shown: one encoder, one background, one budget.

The encoder, the pools and the augmentation are those of the recipe ``omniglot-paper-mul``, so that the blocks
between encoder and comparison are what tells the systems apart.
"""

from dataclasses import replace

from abclust.baselines.learning import LearningConfig
from abclust.experiments.omniglot_recipes import (
    PAPER_AUGMENTATION,
    PAPER_NETWORK,
    PAPER_STEPS,
    PAPER_TRAINING,
)
from abclust.model.config import ContextKernelConfig
from abclust.training.config import TrainingConfig
from abclust.training.pool_drawing import PoolConfig

IMAGE_PASSES = 1_600_000
"""Images that each training on the background encodes, at most: the budget of every learned system."""
VECTOR_PASSES = 400_000
"""The same for domains of vectors, whose backgrounds hold hundreds of items and not thousands."""
QUICK_STEPS = 20
"""Steps of every training under ``--quick``: enough to see that everything runs, far too few for a score."""


def image_learning(*, quick: bool = False) -> LearningConfig:
    """Encoder, pools and budget on Omniglot.

    Examples
    --------
    >>> image_learning().image_passes == IMAGE_PASSES
    True
    """
    pools = PAPER_STEPS[0].pools
    steps = IMAGE_PASSES // (pools.pools_per_step * pools.pool_size)
    training = replace(PAPER_TRAINING, steps=steps, accelerator="cpu")
    return _shortened(LearningConfig(PAPER_NETWORK, training, pools, PAPER_AUGMENTATION), quick=quick)


def vector_learning(n_features: int, set_size: int, *, quick: bool = False) -> LearningConfig:
    """Encoder, pools and budget for vectors: the paper's network with its MLP, nothing varied.

    Parameters
    ----------
    n_features
        Numbers that describe an item.
    set_size
        Items of a training set, and of half a pool.
    quick
        A few steps only.
    """
    pools = PoolConfig(
        pools_per_step=1,
        pool_size=2 * set_size,
        sets_per_pool=2,
        smallest_set=set_size,
        largest_set=set_size,
        rotated=0.0,
    )
    training = TrainingConfig(
        steps=VECTOR_PASSES // pools.pool_size,
        optimizer="muon",
        learning_rate=3e-3,
        ema_decay=0.99,
        contrastive_weight=1.0,
        accelerator="cpu",
    )
    network = ContextKernelConfig(n_features=n_features, encoder="mlp")
    return _shortened(LearningConfig(network, training, pools, augmentation=None), quick=quick)


def _shortened(learning: LearningConfig, *, quick: bool) -> LearningConfig:
    if not quick:
        return learning
    return replace(learning, training=replace(learning.training, steps=QUICK_STEPS, warmup_steps=5))
