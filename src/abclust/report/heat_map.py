"""The kernel as a picture: one pixel a pair, items in the order of the report, a frame for each cluster."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from PIL import Image

from abclust.datasets.image_resampling import resample
from abclust.figures.style import PROBABILITY_MAP
from abclust.report.cluster_order import ClusterSpan
from abclust.report.described_set import DescribedSet
from abclust.report.limits import ReportLimits
from abclust.report.thumbnails import png_data_uri

N_LEVELS = 51
"""Shades of the map: steps of .02, which the eye cannot tell apart, compress far better than 256."""

_PALETTE = np.round(255 * PROBABILITY_MAP(np.linspace(0, 1, N_LEVELS))[:, :3]).astype(int)
PALETTE_TEXT = " ".join("".join(f"{channel:02x}" for channel in colour) for colour in _PALETTE.tolist())
"""The shades as hexadecimal colours: the page's script turns a pixel back into a probability."""


@dataclass(frozen=True)
class HeatMap:
    """A kernel's picture.

    Attributes
    ----------
    picture : str
        Data URI of a PNG of `pixels` x `pixels`.
    n_items, pixels : int
        Fewer pixels than items: each is the mean of a square of pairs.
    clusters : tuple of ClusterSpan
        Where to draw frames.
    names : tuple of str
        Of the items in the order of the rows, for pointing at a pair; empty if a pixel is not a pair.
    within, between : float or None
        Mean probability of two items of one cluster and of two clusters; None where there are no such pairs.
    """

    picture: str
    n_items: int
    pixels: int
    clusters: tuple[ClusterSpan, ...]
    names: tuple[str, ...]
    within: float | None
    between: float | None

    @property
    def description(self) -> str:
        """The picture in words, for who cannot see it."""
        parts = [f"Kernel of {self.n_items} items, ordered by cluster."]
        if self.within is not None:
            parts.append(f"Mean probability of a pair within clusters {self.within:.2f}.")
        if self.between is not None:
            parts.append(f"Mean probability of a pair between clusters {self.between:.2f}.")
        return " ".join(parts)


def heat_map(described: DescribedSet, limits: ReportLimits) -> HeatMap:
    """Order, shrink if need be, and colour the kernel of a set."""
    order = described.order
    ordered = described.kernel[np.ix_(order.items, order.items)]
    within, between = _mean_probabilities(described)
    pixels = min(described.n_items, limits.heat_map_size)
    if pixels < described.n_items:
        ordered = resample(ordered, pixels, pixels)
    is_pair = pixels == described.n_items
    return HeatMap(
        picture=png_data_uri(_coloured(ordered)),
        n_items=described.n_items,
        pixels=pixels,
        clusters=order.clusters,
        names=tuple(described.names[item] for item in order.items) if is_pair else (),
        within=within,
        between=between,
    )


def _coloured(ordered: Float[np.ndarray, "m m"]) -> Image.Image:
    levels = np.round(np.clip(ordered, 0, 1) * (N_LEVELS - 1)).astype(np.uint8)
    image = Image.fromarray(levels).convert("P")
    image.putpalette(_PALETTE.ravel().tolist())
    return image


def _mean_probabilities(described: DescribedSet) -> tuple[float | None, float | None]:
    labels, kernel = described.partition.labels, described.kernel
    same = labels[:, None] == labels[None, :]
    n_between = int((~same).sum())
    n_within = int(same.sum()) - len(labels)  # an item and itself are no pair
    total_within = float(kernel[same].sum() - np.trace(kernel))
    within = total_within / n_within if n_within else None
    between = float(kernel[~same].mean()) if n_between else None
    return within, between
