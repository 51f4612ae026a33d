"""Partitions that know nothing: what a score is worth is how far it stands above them."""

import numpy as np
from jaxtyping import Int
from numpy.typing import ArrayLike

from abclust.evaluation.contingency import contingency_table
from abclust.foundations.random_state import Seed, as_generator

ALL_SINGLETONS = "all singletons"
ONE_CLUSTER = "one cluster"
RANDOM_TRUE_K = "random, true k"


def trivial_partitions(true: ArrayLike, seed: Seed = None) -> dict[str, Int[np.ndarray, "n"]]:
    """All singletons, one cluster, and random labels with the true number of clusters.

    On the paper's Omniglot protocol all singletons reach an NMI of about .72 with no knowledge at all,
    which is why these three stand beside every table.

    Parameters
    ----------
    true
        True labels of n items.
    seed
        For the random labels: a non-negative integer, a numpy generator or None.

    Returns
    -------
    dict
        ``"all singletons"``, ``"one cluster"`` and ``"random, true k"``. The random one has exactly the
        true number of clusters: one item for each, the rest uniform.

    Raises
    ------
    InvalidInputError
        If `true` is not a flat list of at least one label.

    Examples
    --------
    >>> {name: labels.tolist() for name, labels in trivial_partitions([0, 0, 1], seed=0).items()}
    {'all singletons': [0, 1, 2], 'one cluster': [0, 0, 0], 'random, true k': [1, 0, 1]}
    """
    sizes = contingency_table(true, true).diagonal()
    n_items, n_clusters = int(sizes.sum()), len(sizes)
    generator = as_generator(seed)
    surplus = generator.integers(n_clusters, size=n_items - n_clusters)
    random = generator.permutation(np.concatenate([np.arange(n_clusters), surplus]))
    return {
        ALL_SINGLETONS: np.arange(n_items),
        ONE_CLUSTER: np.zeros(n_items, dtype=np.int64),
        RANDOM_TRUE_K: random,
    }
