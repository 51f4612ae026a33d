"""A domain of points, small enough that every system learns and clusters within a second."""

from dataclasses import replace

import numpy as np

from abclust.datasets.instance_sampler import InstanceSampler
from abclust.datasets.labelled_set import LabelledSet
from abclust.experiments.comparison_domains import Domain, SetPool
from abclust.experiments.comparison_learning import vector_learning
from abclust.foundations.random_state import stream


def points(n_classes: int, seed: int) -> LabelledSet:
    """Classes of 13 points around corners of a cube."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_classes), 13)
    centres = 4 * generator.normal(size=(n_classes, 3))
    return LabelledSet((centres[labels] + 0.3 * generator.normal(size=(len(labels), 3))).astype("f4"), labels)


def small_domain(n_pools: int = 3) -> Domain:
    """Pools of five classes each, of which sets of 23 are drawn."""

    def pool(number: int) -> SetPool:
        items = points(5, seed=number)
        sampler = InstanceSampler(items, 23, n_clusters=(2, 5), sizes="authors")
        return SetPool(
            f"pool {number}",
            items.items,
            items.labels,
            lambda count: [sampler.draw(stream(number, place)) for place in range(count)],
        )

    learning = vector_learning(3, 23, quick=True)
    learning = replace(learning, network=replace(learning.network, width=8, heads=2))
    return Domain(
        "digits",
        learning,
        lambda: [points(7, seed=99)],
        lambda shown: [pool(number) for number in range(n_pools)],
        ("drawn", "whole"),
    )
