"""How good a partition is: every score by the name it has in the results files."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from abclust.evaluation.contingency import contingency_table
from abclust.evaluation.information_scores import adjusted_mutual_information, normalised_mutual_information
from abclust.evaluation.matching_scores import matched_accuracy, n_clusters_error
from abclust.evaluation.pair_scores import adjusted_rand, bcubed_f_measure, pairwise_f_measure
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class Scores:
    """All scores of one partition, or their means over many. Higher is better except for `k_error`."""

    nmi: float
    """Normalised mutual information, arithmetic mean of the entropies."""
    nmi_geometric: float
    """The same with the geometric mean, which older published numbers use."""
    ami: float
    """Adjusted mutual information; the score that selects."""
    ari: float
    """Adjusted Rand index."""
    accuracy: float
    """Share of items in the right cluster under the best one-to-one match."""
    pair_f: float
    """F score of "this pair belongs together"."""
    bcubed_f: float
    """F score of the same question averaged over items."""
    k_error: float
    """|number of clusters predicted - true|."""

    def as_dict(self) -> dict[str, float]:
        """The scores by name, ready for a results row."""
        return asdict(self)


SCORE_NAMES = tuple(field.name for field in fields(Scores))


def score_partition(true: ArrayLike, predicted: ArrayLike) -> Scores:
    """Every score of one partition against the true one, from one contingency table.

    Parameters
    ----------
    true, predicted
        Labels of the same n items. Labels are names: their numbering does not matter.

    Raises
    ------
    InvalidInputError
        If the labels are not two flat lists of one length of at least 1.

    Examples
    --------
    >>> scores = score_partition([0, 0, 1, 1], [5, 5, 7, 8])
    >>> scores.k_error, scores.accuracy
    (1.0, 0.75)
    """
    table = contingency_table(true, predicted)
    return Scores(
        nmi=normalised_mutual_information(table, "arithmetic"),
        nmi_geometric=normalised_mutual_information(table, "geometric"),
        ami=adjusted_mutual_information(table),
        ari=adjusted_rand(table),
        accuracy=matched_accuracy(table),
        pair_f=pairwise_f_measure(table),
        bcubed_f=bcubed_f_measure(table),
        k_error=float(n_clusters_error(table)),
    )


def mean_scores(scores: Iterable[Scores]) -> Scores:
    """The mean of each score over many partitions.

    Raises
    ------
    InvalidInputError
        If there is none.
    """
    rows = [list(entry.as_dict().values()) for entry in scores]
    if not rows:
        raise InvalidInputError("scores must hold at least one partition's scores. Got none.")
    return Scores(*(float(mean) for mean in np.mean(rows, axis=0)))


def nmi(true: ArrayLike, predicted: ArrayLike, average: str = "arithmetic") -> float:
    """Normalised mutual information; `average` is "arithmetic", "geometric", "min" or "max"."""
    return normalised_mutual_information(contingency_table(true, predicted), average)


def ami(true: ArrayLike, predicted: ArrayLike) -> float:
    """Adjusted mutual information, arithmetic mean of the entropies."""
    return adjusted_mutual_information(contingency_table(true, predicted))


def ari(true: ArrayLike, predicted: ArrayLike) -> float:
    """Adjusted Rand index."""
    return adjusted_rand(contingency_table(true, predicted))


def accuracy(true: ArrayLike, predicted: ArrayLike) -> float:
    """Share of items in the right cluster under the best one-to-one match of clusters (Hungarian)."""
    return matched_accuracy(contingency_table(true, predicted))


def pair_f(true: ArrayLike, predicted: ArrayLike) -> float:
    """F score of the statement "this pair belongs together"."""
    return pairwise_f_measure(contingency_table(true, predicted))


def bcubed_f(true: ArrayLike, predicted: ArrayLike) -> float:
    """BCubed F score."""
    return bcubed_f_measure(contingency_table(true, predicted))


def k_error(true: ArrayLike, predicted: ArrayLike) -> int:
    """|number of clusters predicted - true|."""
    return n_clusters_error(contingency_table(true, predicted))
