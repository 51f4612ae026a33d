"""The number of clusters for systems that cannot find it: a stated maximum, or the best silhouette."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from abclust.baselines.interface import MAXIMUM
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

RULES = ("maximum", "silhouette")


@dataclass(frozen=True)
class NumberChoice:
    """What k-means and its kin are told where nobody knows the number of clusters."""

    rule: str = "maximum"
    """"maximum": that many clusters, as in the published comparison (paper, caption of Table 3). On a set of
    no more items this is the partition into singletons. "silhouette" (ours): the number up to the maximum
    whose partition has the largest mean silhouette."""
    maximum: int = MAXIMUM
    """The largest number that is asked for."""
    step: int = 1
    """Silhouettes of every so many numbers only."""

    def __post_init__(self) -> None:
        check_choice("rule", self.rule, RULES)
        if self.maximum < 2 or self.step < 1:
            raise InvalidInputError(
                f"maximum must be at least 2 and step at least 1. Got {self.maximum} and {self.step}."
            )


def labels_for_number(
    label: Callable[[int], np.ndarray],
    rows: Float[np.ndarray, "n d"],
    n_clusters: int | None,
    choice: NumberChoice,
) -> Int[np.ndarray, " n"]:
    r"""Labels for a known number of clusters, or for the one that `choice` settles on.

    The silhouette of an item at mean distance a from the rest of its own cluster and b from the next-best
    one is :math:`(b - a) / \max(a, b)`, and 0 in a cluster of one.

    Parameters
    ----------
    label
        ``label(n_clusters) -> labels``.
    rows
        The space that distances are taken in.
    n_clusters
        The known number, or None.
    choice
        The rule.

    References
    ----------
    Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis",
    Journal of Computational and Applied Mathematics 20 (1987). DOI 10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> rows = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    >>> cut = lambda k: np.minimum(np.arange(6) // 2, k - 1)
    >>> labels_for_number(cut, rows, None, NumberChoice("silhouette")).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    if n_clusters is not None:
        return label(n_clusters)
    if choice.rule == "maximum":
        # As many clusters as items: nothing needs to be computed.
        return label(choice.maximum) if choice.maximum < len(rows) else np.arange(len(rows))
    from sklearn.metrics import pairwise_distances, silhouette_score

    if len(rows) == 2:  # a silhouette needs a number strictly between 1 and n
        return label(1)
    distances = pairwise_distances(rows)
    candidates = range(2, min(choice.maximum, len(rows) - 1) + 1, choice.step)
    labelled = [label(number) for number in candidates]
    scores = [
        silhouette_score(distances, labels, metric="precomputed")
        if 1 < len(np.unique(labels)) < len(rows)
        else -1.0
        for labels in labelled
    ]
    return labelled[int(np.argmax(scores))]
