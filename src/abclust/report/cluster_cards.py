"""The clusters of a set, one card each: its size, how sure it is, and its items as pictures or names."""

from dataclasses import dataclass

import numpy as np

from abclust.report.cluster_order import ClusterSpan
from abclust.report.described_set import DescribedSet
from abclust.report.limits import ReportLimits, fair_shares
from abclust.report.thumbnails import Thumbnailer


@dataclass(frozen=True)
class Tile:
    """One item on a card.

    Attributes
    ----------
    position : int
        Its place in the order of the report: its row in the kernel's picture.
    name, note : str
        What it is called, and one line about it.
    picture : str or None
        A data URI; None for a vector or an image that can no longer be read.
    is_odd : bool
        Whether the truth is known and the item is not of the class that most of its cluster are of.
    """

    position: int
    name: str
    note: str
    picture: str | None
    is_odd: bool


@dataclass(frozen=True)
class ClusterCard:
    """What is shown of one cluster, or of all items that stand alone.

    Attributes
    ----------
    cluster : ClusterSpan or None
        None for the items that stand alone.
    title, truth : str
        Its heading, and its most frequent true class if known.
    size : int
    confidence : float
        The mean of its items.
    shown, folded : tuple of Tile
        What is seen at once, and what unfolds.
    n_left_out : int
        Items that are counted and not shown.
    """

    cluster: ClusterSpan | None
    title: str
    truth: str
    size: int
    confidence: float
    shown: tuple[Tile, ...]
    folded: tuple[Tile, ...]
    n_left_out: int


def cluster_cards(
    described: DescribedSet, limits: ReportLimits, thumbnail: Thumbnailer | None
) -> list[ClusterCard]:
    """Cards of the clusters, large ones first; two or more items that stand alone share the last card.

    Parameters
    ----------
    described
        The set.
    limits
        How many items a card shows.
    thumbnail
        Gives the picture of an item; None for vectors, whose names unfold instead.
    """
    clusters = described.order.clusters
    n_alone = sum(span.size == 1 for span in clusters)
    full = [span for span in clusters if span.size > 1 or n_alone == 1]
    groups: list[tuple[ClusterSpan | None, range]] = [(span, range(span.start, span.stop)) for span in full]
    if n_alone > 1:
        groups.append((None, range(described.n_items - n_alone, described.n_items)))
    if thumbnail is None:
        shares = [min(len(positions), limits.most_names) for _, positions in groups]
    else:
        shares = fair_shares([len(positions) for _, positions in groups], limits.most_thumbnails)
    n_shown = 0 if thumbnail is None else limits.strip_length
    return [
        _card(described, span, positions, thumbnail, share, n_shown)
        for (span, positions), share in zip(groups, shares)
    ]


def _card(
    described: DescribedSet,
    span: ClusterSpan | None,
    positions: range,
    thumbnail: Thumbnailer | None,
    n_tiles: int,
    n_shown: int,
) -> ClusterCard:
    items = described.order.items[positions.start : positions.stop]
    truth = None if span is None or described.true_labels is None else described.true_labels[items]
    majority, truth_line = (None, "") if truth is None else _majority(truth)
    tiles = tuple(
        Tile(
            position=position,
            name=described.names[item],
            note=described.note(item),
            picture=None if thumbnail is None else thumbnail(item),
            is_odd=truth is not None and str(truth[place]) != majority,
        )
        for place, (position, item) in enumerate(zip(positions, items[:n_tiles].tolist()))
    )
    return ClusterCard(
        cluster=span,
        title="Alone" if span is None else f"Cluster {span.label}",
        truth=truth_line,
        size=len(positions),
        confidence=float(described.partition.confidence[items].mean()),
        shown=tiles[:n_shown],
        folded=tiles[n_shown:],
        n_left_out=len(positions) - len(tiles),
    )


def _majority(truth: np.ndarray) -> tuple[str, str]:
    """The most frequent true class of a cluster, of equals the first by name, and a line about it."""
    names, counts = np.unique(truth.astype(str), return_counts=True)
    place = int(counts.argmax())
    name, count = str(names[place]), int(counts[place])
    share = "all" if count == len(truth) else f"{count} of {len(truth)}"
    return name, f"true class {name}: {share}"
