"""A projection as a picture: one colour and one marker for each cluster, rings around the least certain."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from matplotlib.ticker import MaxNLocator

from abclust.report.cluster_order import ClusterSpan
from abclust.report.described_set import DescribedSet
from abclust.report.limits import ReportLimits, fair_shares
from abclust.report.projection import Projection, project

WIDTH = 640.0
LEAST_HEIGHT, MOST_HEIGHT = 300.0, 520.0
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 66.0, 16.0, 14.0, 56.0


@dataclass(frozen=True)
class Point:
    """A marker at (x, y) of the picture and what it says when pointed at."""

    x: float
    y: float
    note: str


@dataclass(frozen=True)
class PointGroup:
    """The points of one cluster."""

    cluster: ClusterSpan
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Scatter:
    """A picture of width :data:`WIDTH`; ticks are (position, text)."""

    height: float
    groups: tuple[PointGroup, ...]
    rings: tuple[Point, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    x_label: str
    y_label: str
    n_points: int
    n_items: int


def scatter(described: DescribedSet, uncertain: Int[np.ndarray, " m"], limits: ReportLimits) -> Scatter:
    """Draw the items of a set of vectors.

    Parameters
    ----------
    described
        The set.
    uncertain
        Items that get a ring.
    limits
        How many points the picture may have; clusters share them fairly, certain items first.
    """
    order = described.order
    ranks = np.empty(described.n_items, dtype=np.int64)
    for span in order.clusters:
        ranks[order.items[span.start : span.stop]] = span.rank
    projection = project(described.items, described.prepared, ranks)
    frame = _frame(projection)
    places = np.round(frame.place(projection.points), 1)

    def point(item: int) -> Point:
        return Point(float(places[item, 0]), float(places[item, 1]), described.note(item))

    shares = fair_shares([span.size for span in order.clusters], limits.most_points)
    groups = tuple(
        PointGroup(span, tuple(map(point, order.items[span.start : span.start + share].tolist())))
        for span, share in zip(order.clusters, shares)
    )
    return Scatter(
        height=frame.height,
        groups=groups,
        rings=tuple(map(point, uncertain.tolist())),
        x_ticks=frame.ticks(0),
        y_ticks=frame.ticks(1) if projection.keeps_shape else (),
        x_label=projection.x_label,
        y_label=projection.y_label,
        n_points=sum(shares),
        n_items=described.n_items,
    )


@dataclass(frozen=True)
class _Frame:
    """An affine map from data to the picture, y upwards in the data and downwards in the picture."""

    height: float
    scale: Float[np.ndarray, " 2"]
    centre: Float[np.ndarray, " 2"]

    def place(self, points: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
        return self._middle + (points - self.centre) * self.scale * [1, -1]

    def ticks(self, axis: int) -> tuple[tuple[float, str], ...]:
        half = self._room[axis] / 2 / self.scale[axis]
        lowest, highest = self.centre[axis] - half, self.centre[axis] + half
        values = MaxNLocator(5).tick_values(lowest, highest)
        inside = values[(values >= lowest) & (values <= highest)]
        inside = np.where(np.abs(inside) < 1e-9 * half, 0.0, inside)  # sums of steps miss zero by a rounding
        positions = self.place(np.stack([inside, inside], axis=1))[:, axis].round(1).tolist()
        return tuple((position, f"{value:.6g}") for position, value in zip(positions, inside))

    @property
    def _room(self) -> Float[np.ndarray, " 2"]:
        return np.array([WIDTH - MARGIN_LEFT - MARGIN_RIGHT, self.height - MARGIN_TOP - MARGIN_BOTTOM])

    @property
    def _middle(self) -> Float[np.ndarray, " 2"]:
        return np.array([MARGIN_LEFT, MARGIN_TOP]) + self._room / 2


def _frame(projection: Projection) -> _Frame:
    lowest, highest = projection.points.min(axis=0), projection.points.max(axis=0)
    spread = highest - lowest
    spread = np.where(spread > 0, spread, max(float(spread.max()), 1.0))  # one point, or all on a line
    inner_width = WIDTH - MARGIN_LEFT - MARGIN_RIGHT
    wanted = inner_width * float(spread[1] / spread[0]) + MARGIN_TOP + MARGIN_BOTTOM
    height = round(float(np.clip(wanted, LEAST_HEIGHT, MOST_HEIGHT))) if projection.keeps_shape else 320
    inner = np.array([inner_width, height - MARGIN_TOP - MARGIN_BOTTOM])
    scale = 0.92 * inner / spread  # markers at the edge need room
    if projection.keeps_shape:
        scale = np.full(2, scale.min())
    return _Frame(float(height), scale, (lowest + highest) / 2)
