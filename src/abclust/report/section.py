"""One set as a section of a report, and one that failed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from abclust.estimator.item_kinds import kind_of
from abclust.evaluation.scores import Scores, score_partition
from abclust.report import dendrogram as tree_picture
from abclust.report import n_clusters_bars as bars_picture
from abclust.report import scatter as scatter_picture
from abclust.report.cluster_cards import cluster_cards
from abclust.report.described_set import ClusteredItems, DescribedSet, describe_set
from abclust.report.heat_map import heat_map
from abclust.report.least_certain import least_certain, uncertain_items
from abclust.report.limits import ReportLimits
from abclust.report.other_cuts import other_cuts
from abclust.report.page_templates import render
from abclust.report.thumbnails import thumbnailer


@dataclass(frozen=True)
class SetSection:
    """What a report says of one set.

    It holds the finished markup, not the kernel: a report of many sets needs little memory.

    Attributes
    ----------
    name : str
    n_items, n_clusters : int
    n_clusters_interval : (int, int) or None
        The 90 % interval of the number of clusters; None if it was not sampled.
    confidence : float
        The mean over the items.
    scores : Scores or None
        Against the true labels, if given.
    body : Markup
        Everything below the heading.
    """

    name: str
    n_items: int
    n_clusters: int
    n_clusters_interval: tuple[int, int] | None
    confidence: float
    scores: Scores | None
    body: Markup


@dataclass(frozen=True)
class FailedSection:
    """A set that could not be clustered: its name and why."""

    name: str
    error: str


def failed_section(name: str, error: str | Exception) -> FailedSection:
    """Name a set that could not be clustered, so that the report says so instead of leaving it out.

    Examples
    --------
    >>> failed_section("letters", ValueError("items must not hold NaN."))
    FailedSection(name='letters', error='items must not hold NaN.')
    """
    return FailedSection(name, str(error) or type(error).__name__)


def set_section(
    clustered: ClusteredItems,
    items: Any,
    *,
    name: str = "",
    item_names: Any = None,
    true_labels: Any = None,
    limits: ReportLimits | None = None,
) -> SetSection:
    """Turn one clustered set into a section of a report.

    Parameters
    ----------
    clustered
        An object with ``kernel`` (n, n), ``partition`` (a :class:`~abclust.clustering.partition.Partition`)
        and ``prepared``, the items as the network saw them.
    items
        The n items as they came: an array (n, H, W) or (n, H, W, 3), PIL images or paths are shown as images;
        an array (n, d) or a data frame as points.
    name
        Of the set.
    item_names
        n names; file names, the index of a data frame or plain numbers by default.
    true_labels
        n labels of any kind, if known: the section then shows scores and marks the items that stand out.
    limits
        How much is shown; :class:`~abclust.report.limits.ReportLimits` by default.

    Raises
    ------
    InvalidInputError
        If the set is empty, a count differs from the number of items, or the kernel is not one.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from abclust import partition_kernel
    >>> kernel = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> points = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    >>> partition = partition_kernel(kernel, random_state=0)
    >>> clustered = SimpleNamespace(kernel=kernel, partition=partition, prepared=points)
    >>> section = set_section(clustered, points, name="three points", true_labels=["a", "a", "b"])
    >>> section.n_clusters, section.scores.ari
    (2, 1.0)
    """
    limits = limits or ReportLimits()
    described = describe_set(clustered, items, item_names, true_labels)
    partition = described.partition
    truth = described.true_labels
    scores = None if truth is None else score_partition(truth, partition.labels)
    has_samples = len(partition.n_clusters_samples) > 0
    interval = partition.n_clusters_interval(bars_picture.LEVEL) if has_samples else None
    confidence = float(partition.confidence.mean())
    body = render(
        "set.html",
        described=described,
        partition=partition,
        interval=interval,
        confidence=confidence,
        scores=scores,
        **_parts(described, limits),
    )
    return SetSection(name, described.n_items, partition.n_clusters, interval, confidence, scores, body)


def _parts(described: DescribedSet, limits: ReportLimits) -> dict[str, Any]:
    """The pictures and tables of a section, by the name that the template knows them by."""
    partition, truth = described.partition, described.true_labels
    is_image_set = kind_of(described.items) == "images"
    side = limits.thumbnail_side(described.n_items)
    thumbnail = thumbnailer(described.items, side) if is_image_set else None
    # In a small set not everybody can be among the least certain.
    n_uncertain = min(limits.least_certain, -(-described.n_items // 3))
    uncertain = least_certain(partition.confidence, n_uncertain)
    cards = cluster_cards(described, limits, thumbnail)
    return {
        "is_image_set": is_image_set,
        "cards": cards[: limits.most_clusters],
        "has_odd_items": any(tile.is_odd for card in cards for tile in card.shown + card.folded),
        "folded_cards": cards[limits.most_clusters :],
        "scatter": None if is_image_set else scatter_picture.scatter(described, uncertain, limits),
        "scatter_picture": scatter_picture,
        "heat": heat_map(described, limits),
        "tree": tree_picture.dendrogram(partition, described.order, limits),
        "tree_picture": tree_picture,
        "cuts": other_cuts(partition, limits.other_cuts, truth),
        "bars": bars_picture.n_clusters_bars(partition, None if truth is None else len(np.unique(truth))),
        "bars_picture": bars_picture,
        "uncertain": uncertain_items(described, uncertain, thumbnail),
    }
