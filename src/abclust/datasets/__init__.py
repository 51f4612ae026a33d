"""Sets to learn from and to cluster: samplers, circles, Omniglot, and a user's own tables and images."""

from abclust.datasets.circle_sets import CircleBatch, circle_batch, circles
from abclust.datasets.grouped_images import GroupedImages, with_mirror_images, with_rotations
from abclust.datasets.image_augmentation import AugmentationConfig, augment
from abclust.datasets.image_framing import frame_image, frame_images, sheet_image
from abclust.datasets.instance_sampler import Instance, InstanceSampler, sample_instance
from abclust.datasets.labelled_set import LabelledSet, PaddedBatch, UnlabelledSet, pad_sets
from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_sets import MixtureBatch, mixture_batch, mixtures
from abclust.datasets.omniglot_archive import omniglot
from abclust.datasets.set_reading import read_sets
from abclust.datasets.set_source import SetSource, SkippedFile

__all__ = [
    "AugmentationConfig",
    "CircleBatch",
    "GroupedImages",
    "Instance",
    "InstanceSampler",
    "LabelledSet",
    "MixtureBatch",
    "MixtureFamily",
    "PaddedBatch",
    "SetSource",
    "SkippedFile",
    "UnlabelledSet",
    "augment",
    "circle_batch",
    "circles",
    "frame_image",
    "frame_images",
    "mixture_batch",
    "mixtures",
    "omniglot",
    "pad_sets",
    "read_sets",
    "sample_instance",
    "sheet_image",
    "with_mirror_images",
    "with_rotations",
]
