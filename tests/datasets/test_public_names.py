"""The names of the room are frozen here: adding one is a decision."""

import abclust
from abclust import datasets


def test_the_public_names_are_these():
    assert datasets.__all__ == [
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
    assert all(hasattr(datasets, name) for name in datasets.__all__)
    assert abclust.datasets is datasets
