"""Names beside the dots of a scatter plot, each where it covers neither a dot nor another name."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox, BboxBase

from abclust.figures.style import FAINT

_DOT = 9.0
"""Width of the square that stays free around a dot, in pixels at 100 dots an inch."""
_NEAR = 5.0
"""Points between a dot and its name."""
_RISES = (0.0, 7.0, -7.0, 14.0, -14.0, 21.0, -21.0, 28.0, -28.0, 35.0, -35.0)


def label_dots(
    axes: Axes, dots: Sequence[tuple[float, float]], names: Sequence[str], *, size: float = 6.5
) -> list[Annotation]:
    """Write a name beside each dot; one that had to move away is tied to its dot by a thin line.

    The limits and scales of the axes must be final, since places are tried out in pixels. Where every place
    is taken the least crowded one is.

    Parameters
    ----------
    axes
        With a figure whose layout is settled by drawing it once.
    dots
        In data coordinates.
    names
        One for each dot.
    size
        Of the letters, in points.

    Returns
    -------
    list of Annotation
        One for each dot, in their order.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None  # axes that someone hands over belong to a figure
    figure.draw_without_rendering()
    inside = axes.get_window_extent()
    reach = _DOT * figure.dpi / 100
    taken: list[BboxBase] = [_square(axes.transData.transform(dot), reach) for dot in dots]
    labels: dict[int, Annotation] = {}
    for place in sorted(range(len(dots)), key=lambda place: -dots[place][1]):
        options = [_annotated(axes, dots[place], names[place], *offset, size) for offset in _offsets()]
        boxes = [words_of(option) for option in options]
        crowding = [_crowding(box, taken, inside) for box in boxes]
        best = min(range(len(options)), key=crowding.__getitem__)
        for other in options[:best] + options[best + 1 :]:
            other.remove()
        taken.append(boxes[best])
        labels[place] = options[best]
    return [labels[place] for place in range(len(dots))]


def words_of(label: Annotation) -> BboxBase:
    """Where the words of a name stand, in pixels, without its line."""
    label.get_window_extent()  # moves the words to where they belong
    return Text.get_window_extent(label)


def _offsets() -> Iterator[tuple[float, float]]:
    """Right and left of a dot, ever further above and below."""
    for rise in _RISES:
        for side in (_NEAR, -_NEAR):
            yield side, rise


def _annotated(
    axes: Axes, dot: tuple[float, float], name: str, side: float, rise: float, size: float
) -> Annotation:
    line = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2}
    return axes.annotate(
        name,
        dot,
        xytext=(side, rise),
        textcoords="offset points",
        ha="left" if side > 0 else "right",
        va="center",
        fontsize=size,
        color=FAINT,
        arrowprops=line if rise else None,
    )


def _crowding(box: BboxBase, taken: Sequence[BboxBase], inside: BboxBase) -> float:
    """Pixels of a box that are taken or outside the axes."""
    return box.width * box.height - _common(box, inside) + sum(_common(box, other) for other in taken)


def _common(first: BboxBase, second: BboxBase) -> float:
    shared = Bbox.intersection(first, second)
    return shared.width * shared.height if shared is not None else 0.0


def _square(middle: Float[np.ndarray, "2"], width: float) -> Bbox:
    x, y = middle
    return Bbox.from_bounds(x - width / 2, y - width / 2, width, width)
