"""How many clusters a generated set has, how large they are, and which items belong to them."""

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.datasets.mixture_family import MixtureFamily

CURVES_AT_MOST = 8
"""More than this many curves cannot be told apart in a plane."""
SMALLEST_SHARE = 0.2
"""Share of the sets whose clusters may have a single item; in the others three is the least."""


def draw_counts(
    n_points: int, is_curve: Bool[np.ndarray, " B"], family: MixtureFamily, generator: np.random.Generator
) -> Int[np.ndarray, " B"]:
    """The number of clusters of each set."""
    fewest, most = family.n_clusters
    most = min(most, max(fewest, n_points // 3))
    several = min(max(fewest, 2), most)
    uniform = generator.random(len(is_curve)) ** family.few_clusters
    counts = (several * ((most + 1) / several) ** uniform).astype(np.int64)
    if fewest == 1:
        counts[generator.random(len(is_curve)) < family.single_share] = 1
    limit = np.where(is_curve, max(fewest, min(CURVES_AT_MOST, n_points // 6)), most)
    # Above the limit of curves the number is drawn again by its remainder, not piled up on the limit.
    return np.where(counts > limit, fewest + counts % (limit - fewest + 1), counts)


def draw_labels(
    counts: Int[np.ndarray, " B"], n_points: int, family: MixtureFamily, generator: np.random.Generator
) -> Int[np.ndarray, "B n"]:
    """The cluster of each item, in random order; sizes are multinomial with Dirichlet weights, or equal."""
    n_sets, most = len(counts), int(counts.max())
    exists = np.arange(most) < counts[:, None]
    low, high = np.log(family.evenness)
    evenness = np.exp(generator.uniform(low, high, (n_sets, 1)))
    weights = generator.gamma(np.broadcast_to(evenness, exists.shape)) + 1e-6
    weights = np.where(exists, weights, 0.0)
    least = np.where(generator.random(n_sets) < SMALLEST_SHARE, 1, np.minimum(3, n_points // counts))
    shares = weights / weights.sum(axis=1, keepdims=True)
    sizes = generator.multinomial(n_points - least * counts, shares) + least[:, None] * exists
    # Where no set may have equal sizes nothing is drawn: held-out sets stay the sets they were.
    if family.equal_share:
        is_equal = generator.random((n_sets, 1)) < family.equal_share
        one_more = np.arange(most) < n_points % counts[:, None]
        sizes = np.where(is_equal, (n_points // counts[:, None] + one_more) * exists, sizes)
    labels = np.repeat(np.tile(np.arange(most), n_sets), sizes.ravel()).reshape(n_sets, n_points)
    return generator.permuted(labels, axis=1)


def canonical_rows(labels: Int[np.ndarray, "B n"]) -> Int[np.ndarray, "B n"]:
    """Each row numbered by first appearance."""
    n_sets, n_points = labels.shape
    first_seen = np.full((n_sets, int(labels.max()) + 1), n_points)
    sets = np.arange(n_sets)[:, None]
    np.minimum.at(first_seen, (sets, labels), np.broadcast_to(np.arange(n_points), labels.shape))
    ranks = np.argsort(np.argsort(first_seen, axis=1, kind="stable"), axis=1)
    return ranks[sets, labels]


def of_each_item(
    values: Float[np.ndarray, "B k *rest"] | Int[np.ndarray, "B k *rest"], labels: Int[np.ndarray, "B n"]
) -> Float[np.ndarray, "B n *rest"] | Int[np.ndarray, "B n *rest"]:
    """What was drawn for each cluster, for each of its items."""
    return values[np.arange(len(labels))[:, None], labels]
