"""How much of a set a report shows, so that the file stays small and the page quick."""

from dataclasses import dataclass, fields

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ReportLimits:
    """Caps of a report; what they leave out is counted in the report, never dropped in silence.

    With the defaults a set of 100 images takes less than 500 KB and one of 2,000 items less than 5 MB, even
    of noise, which no PNG can compress.

    Raises
    ------
    InvalidInputError
        If a cap is below 1.

    Examples
    --------
    >>> ReportLimits(strip_length=12).strip_length
    12
    """

    strip_length: int = 20
    """Images of one cluster that are seen at once; the others unfold."""
    most_thumbnails: int = 1_200
    """Images of one set that are in the file at all, shared fairly among its clusters."""
    thumbnail_size: int = 56
    """Longer side of a thumbnail in pixels."""
    many_items: int = 200
    """From more items than this on, thumbnails have `small_thumbnail_size`."""
    small_thumbnail_size: int = 40
    """Longer side of a thumbnail in large sets."""
    most_clusters: int = 40
    """Clusters that are seen at once, large ones first; the others unfold."""
    most_names: int = 300
    """Names of items listed for one cluster of vectors."""
    most_points: int = 5_000
    """Points in a projection, shared fairly among the clusters."""
    heat_map_size: int = 512
    """Largest side of the kernel's picture in pixels; larger kernels are averaged down to it."""
    tree_leaves: int = 48
    """Branches at the foot of the merge tree; up to twice as many if there are more clusters than that."""
    other_cuts: int = 4
    """Other numbers of clusters that are listed, below and above the chosen one."""
    least_certain: int = 12
    """Items listed as the least certain ones."""
    detail_characters: int = 30_000_000
    """Sets beyond this length of the whole file stand in the table only."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 1:
                raise InvalidInputError(f"{field.name} must be at least 1. Got {value}.")

    def thumbnail_side(self, n_items: int) -> int:
        """The longer side of a thumbnail in a set of so many items."""
        return self.small_thumbnail_size if n_items > self.many_items else self.thumbnail_size


def fair_shares(sizes: list[int], total: int) -> list[int]:
    """Share `total` places among groups: the small ones whole, what is left equally among the large ones.

    Examples
    --------
    >>> fair_shares([50, 2, 40], 22)
    [10, 2, 10]
    >>> fair_shares([3, 4], 100)
    [3, 4]
    """
    shares = [0] * len(sizes)
    for place, group in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[group] = min(sizes[group], total // (len(sizes) - place))
        total -= shares[group]
    return shares
