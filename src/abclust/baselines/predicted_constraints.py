"""Constraints that no person gave: thresholded predictions of the pairwise network, a stated random sample.

ITML, SKMS, SKKm and SKLR were made for constraints from people or labels. Here nobody has labels for the set
that is clustered, so a network that was taught on other classes predicts which pairs belong together, and the
systems get a sample of its answers, right or wrong. The published comparison (Hsu et al. 2018) did the same.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ConstraintSample:
    """How many predictions become constraints."""

    per_item: float = 5.0
    """Constraints for each item of the set, half of them on similar pairs where there are enough."""
    threshold: float = 0.95
    """A pair is predicted similar if its probability is at least this. Chosen on held-out alphabets: most
    pairs of an alphabet are different, so that from one half on too many of the similar ones are not."""

    def __post_init__(self) -> None:
        if not self.per_item > 0 or not 0 < self.threshold < 1:
            raise InvalidInputError(
                "per_item must be positive and threshold between 0 and 1. "
                f"Got {self.per_item} and {self.threshold}."
            )


@dataclass(frozen=True)
class PairConstraints:
    """Pairs of items that are said to belong together, and pairs that are said not to."""

    similar: Int[np.ndarray, "s 2"]
    different: Int[np.ndarray, "d 2"]


def sample_pairs(
    kernel: Float[np.ndarray, "n n"], sample: ConstraintSample, generator: np.random.Generator
) -> PairConstraints:
    """Equally many predicted-similar and predicted-different pairs, without replacement.

    Where one kind has too few, the other is not enlarged.

    Parameters
    ----------
    kernel
        Predicted probabilities; the diagonal is not looked at.
    sample
        How many.
    generator
        What draws.

    Examples
    --------
    >>> kernel = np.kron(np.eye(2), np.ones((2, 2)))
    >>> pairs = sample_pairs(kernel, ConstraintSample(per_item=1.0), np.random.default_rng(0))
    >>> sorted(pairs.similar.tolist()), len(pairs.different)
    ([[0, 1], [2, 3]], 2)
    """
    first, second = np.triu_indices(len(kernel), 1)
    is_similar = kernel[first, second] >= sample.threshold
    wanted = max(1, round(sample.per_item * len(kernel) / 2))
    pairs = np.stack([first, second], axis=1)
    return PairConstraints(*(_some(pairs[chosen], wanted, generator) for chosen in (is_similar, ~is_similar)))


def sample_comparisons(
    kernel: Float[np.ndarray, "n n"], sample: ConstraintSample, generator: np.random.Generator
) -> Int[np.ndarray, "t 3"]:
    """Triples (i, j, outlier): i and j predicted similar, neither of them similar to the third.

    A similar pair is drawn uniformly (with replacement: there may be few), then one of the items that both
    differ from. Pairs without such an item are passed over.

    Examples
    --------
    >>> kernel = np.kron(np.eye(2), np.ones((2, 2)))
    >>> triples = sample_comparisons(kernel, ConstraintSample(per_item=2.0), np.random.default_rng(0))
    >>> all(kernel[i, j] == 1 and kernel[i, k] == kernel[j, k] == 0 for i, j, k in triples)
    True
    """
    is_similar = predicted_similar(kernel, sample.threshold)
    pairs = np.argwhere(np.triu(is_similar, 1))
    if len(pairs) == 0:
        return np.empty((0, 3), dtype=np.int64)
    wanted = max(1, round(sample.per_item * len(kernel)))
    drawn = pairs[generator.integers(len(pairs), size=wanted)]
    triples = []
    for i, j in drawn:
        outliers = np.flatnonzero(~(is_similar[i] | is_similar[j]))
        if len(outliers):
            triples.append((i, j, generator.choice(outliers)))
    return np.array(triples, dtype=np.int64).reshape(-1, 3)


def predicted_similar(kernel: Float[np.ndarray, "n n"], threshold: float) -> Bool[np.ndarray, "n n"]:
    """Which pairs are predicted similar; an item is similar to itself."""
    return (kernel >= threshold) | np.eye(len(kernel), dtype=bool)


def _some(
    pairs: Int[np.ndarray, "p 2"], wanted: int, generator: np.random.Generator
) -> Int[np.ndarray, "s 2"]:
    return pairs[generator.permutation(len(pairs))[:wanted]]
