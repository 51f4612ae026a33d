"""How sure the number of clusters is: the share of each number among samples, and the 90 % interval."""

from dataclasses import dataclass

import numpy as np

from abclust.clustering.partition import Partition

WIDTH, HEIGHT = 480.0, 244.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 26.0, 62.0
MOST_BARS = 40
_LABELLED_BARS = 14
LEVEL = 0.9


@dataclass(frozen=True)
class Bar:
    """Samples with `first` to `last` clusters (mostly one number), drawn at `x` with its top at `y`."""

    first: int
    last: int
    share: float
    is_chosen: bool
    is_inside: bool
    is_labelled: bool
    x: float
    y: float
    width: float

    @property
    def text(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(frozen=True)
class NumberBars:
    """The picture: bars, the ends of the interval's bracket, grid lines (position, text), marks.

    `true_x` is where the true number of clusters stands, None if it is unknown.
    """

    bars: tuple[Bar, ...]
    interval: tuple[int, int]
    interval_x: tuple[float, float]
    grid: tuple[tuple[float, str], ...]
    n_clusters: int
    n_samples: int
    true_n_clusters: int | None
    true_x: float | None
    base: float = HEIGHT - BOTTOM


def n_clusters_bars(partition: Partition, true_n_clusters: int | None = None) -> NumberBars | None:
    """Draw the samples of the number of clusters; None if none were drawn.

    Examples
    --------
    >>> from abclust import partition_kernel
    >>> bars = n_clusters_bars(partition_kernel(np.eye(3), random_state=0))
    >>> bars.interval, [bar.text for bar in bars.bars]
    ((3, 3), ['2', '3', '4'])
    """
    samples = partition.n_clusters_samples
    if not len(samples):
        return None
    marked = [partition.n_clusters] + ([] if true_n_clusters is None else [true_n_clusters])
    lowest = max(1, min(int(samples.min()), *marked) - 1)
    highest = max(int(samples.max()), *marked) + 1  # an empty place on each side: the picture is not cut off
    step = -(-(highest - lowest + 1) // MOST_BARS)
    starts = list(range(lowest, highest + 1, step))
    shares = [float(np.mean((samples >= start) & (samples < start + step))) for start in starts]
    width = (WIDTH - LEFT - RIGHT) / len(starts)
    tallest, interval = max(shares), partition.n_clusters_interval(LEVEL)
    room = HEIGHT - TOP - BOTTOM
    bars = tuple(
        Bar(
            first=start,
            last=start + step - 1,
            share=share,
            is_chosen=start <= partition.n_clusters < start + step,
            is_inside=start + step > interval[0] and start <= interval[1],
            is_labelled=place % -(-len(starts) // _LABELLED_BARS) == 0,
            x=round(LEFT + place * width + 0.1 * width, 1),
            y=round(TOP + room * (1 - share / tallest), 1),
            width=round(0.8 * width, 1),
        )
        for place, (start, share) in enumerate(zip(starts, shares))
    )
    inside = [bar for bar in bars if bar.is_inside]
    true_bar = next(
        (bar for bar in bars if true_n_clusters and bar.first <= true_n_clusters <= bar.last), None
    )
    return NumberBars(
        bars=bars,
        interval=interval,
        interval_x=(inside[0].x, round(inside[-1].x + inside[-1].width, 1)),
        grid=tuple((round(TOP + room * (1 - part), 1), f"{part * tallest:.0%}") for part in (0.0, 0.5, 1.0)),
        n_clusters=partition.n_clusters,
        n_samples=len(samples),
        true_n_clusters=true_n_clusters,
        true_x=None if true_bar is None else round(true_bar.x + true_bar.width / 2, 1),
    )
