"""What is trained, and how, when nobody says: small things that train in minutes on a laptop."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError
from abclust.model.config import ContextKernelConfig
from abclust.training.batch_source import BatchSource
from abclust.training.config import TrainingConfig
from abclust.training.pool_drawing import PoolConfig
from abclust.training.pool_source import PoolSource
from abclust.training.set_source import LabelledSetSource
from abclust.training.standardisation import Standardisation
from abclust.training.standardised_pools import StandardisedPoolSource

LARGEST_WHOLE_SET = 256
"""Sets up to this size are learnt from whole; from larger ones many sets are drawn by Algorithm 1."""


def default_training(sets: Sequence[LabelledSet]) -> TrainingConfig:
    """Settings that train in minutes on a laptop."""
    if sets[0].items.ndim == 2:
        return TrainingConfig()
    return TrainingConfig(steps=1500, sets_per_step=8, contrastive_weight=1.0, diagonal=False)


def default_network(sets: Sequence[LabelledSet]) -> ContextKernelConfig:
    """A small network for items of this shape and sets of about this size (ours, after the probes)."""
    typical = int(np.median([min(each.n_items, LARGEST_WHOLE_SET) for each in sets]))
    shared: dict[str, Any] = {
        "pre_norm": True,
        "feed_forward_activation": "gelu",
        "similarity_bias": True,
        "log_n_reference": max(typical, 2),
    }
    shape = sets[0].items.shape[1:]
    if len(shape) == 1:
        return ContextKernelConfig(
            n_features=shape[0], width=64, feed_forward_width=128, n_blocks=3, **shared
        )
    if shape[0] != shape[1]:
        raise InvalidInputError(
            f"images must be square. Got {shape[0]} x {shape[1]}. "
            "abclust.datasets.frame_images makes them so."
        )
    return ContextKernelConfig(
        image_size=shape[0], encoder="fast-cnn", skip="gated", direct_path=True, **shared
    )


def build_source(
    sets: Sequence[LabelledSet],
    config: TrainingConfig,
    augment: AugmentationConfig | str | None = "auto",
    units: Standardisation | None = None,
) -> BatchSource:
    """Whole sets while they are small; pools from which many sets are drawn where they are large.

    With `units`, for vectors alone, items come in standard units.
    """
    is_image = sets[0].items.ndim == 3
    changes = AugmentationConfig() if augment == "auto" and is_image else augment
    if isinstance(changes, str):
        changes = None
    if max(each.n_items for each in sets) <= LARGEST_WHOLE_SET:
        return LabelledSetSource(
            sets, sets_per_step=config.sets_per_step, seed=config.seed, augment=changes, units=units
        )
    pools = PoolConfig(
        pools_per_step=2,
        pool_size=LARGEST_WHOLE_SET,
        sets_per_pool=max(config.sets_per_step // 2, 1),
        smallest_set=32,
        largest_set=128,
        rotated=0.0,
    )
    if units is not None:
        return StandardisedPoolSource(sets, pools, units=units, seed=config.seed, augment=changes)
    return PoolSource(sets, pools, seed=config.seed, augment=changes)
