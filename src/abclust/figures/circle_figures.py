"""Partitions of points on circles as pictures, over the circles they truly lie on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from scipy.optimize import linear_sum_assignment

from abclust.figures.style import COLOURS, FAINT, INK, house_style

WIDTH = 7.6
MARKERS = ("o", "^", "s", "D", "v", "P")


@dataclass(frozen=True, eq=False)
class CirclePanel:
    """One method's partition of one set of points on circles."""

    letter: str
    title: str
    score: float
    """Adjusted Rand score of the partition."""
    k_was_given: bool
    """Whether the method was told the number of circles."""
    points: Float[np.ndarray, "n 2"]
    labels: Int[np.ndarray, " n"]
    true_labels: Int[np.ndarray, " n"]
    centres: Float[np.ndarray, "k 2"]
    radii: Float[np.ndarray, " k"]


def draw_circle_panels(panels: Sequence[CirclePanel]) -> Figure:
    """Each panel's points in the colours of its clusters, over the true circles.

    A cluster has the colour of the circle that it matches best, so a point in another colour than the line
    under it is in the wrong cluster. Clusters that match no circle get colours and markers of their own.

    Parameters
    ----------
    panels
        Four, in a square, or as many as fit in rows of two.
    """
    with house_style():
        n_rows = (len(panels) + 1) // 2
        spans = np.ptp(np.concatenate([_extent(panel) for panel in panels]), axis=0)
        # Panels keep the shape of the set: the height follows from it, with room for the words around each.
        figure = Figure(
            figsize=(WIDTH, n_rows * (WIDTH / 2 * spans[1] / spans[0] + 0.55)), layout="constrained"
        )
        grid = figure.subplots(n_rows, 2, squeeze=False, sharex=True, sharey=True)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid.flat, panels):
            _draw_panel(axes, panel)
        figure.supxlabel(
            "Bands: the true circles. Points: the colour of their cluster.", fontsize=8.5, color=INK
        )
    return figure


def match_clusters(labels: Int[np.ndarray, " n"], true_labels: Int[np.ndarray, " n"]) -> dict[int, int]:
    """The true cluster of each cluster, one to one, most points in common; others are numbered on.

    Examples
    --------
    >>> match_clusters(np.array([0, 0, 1, 2]), np.array([1, 1, 0, 0]))
    {0: 1, 1: 0, 2: 2}
    """
    found, true = np.unique(labels), np.unique(true_labels)
    shared = np.array([[np.sum((labels == a) & (true_labels == b)) for b in true] for a in found])
    rows, columns = linear_sum_assignment(-shared)
    matches = {int(found[row]): int(true[column]) for row, column in zip(rows, columns)}
    spare = int(true.max()) + 1
    for label in found:
        if int(label) not in matches:
            matches[int(label)] = spare
            spare += 1
    return matches


def _extent(panel: CirclePanel) -> Float[np.ndarray, "corners 2"]:
    """The corners of the boxes around the circles."""
    return np.concatenate([panel.centres - panel.radii[:, None], panel.centres + panel.radii[:, None]])


def _draw_panel(axes: Axes, panel: CirclePanel) -> None:
    for label, (centre, radius) in enumerate(zip(panel.centres, panel.radii)):
        colour = COLOURS[label % len(COLOURS)]
        axes.add_patch(Circle(tuple(centre), radius, fill=False, edgecolor=colour, linewidth=4, alpha=0.22))
    for label, place in match_clusters(panel.labels, panel.true_labels).items():
        members = panel.points[panel.labels == label]
        marker = MARKERS[place // len(COLOURS) % len(MARKERS)]
        colour = COLOURS[place % len(COLOURS)]
        axes.scatter(
            *members.T, s=24, marker=marker, color=colour, edgecolor="white", linewidth=0.5, zorder=2
        )
    n_clusters, n_circles = len(np.unique(panel.labels)), len(panel.radii)
    found = f"{'told' if panel.k_was_given else 'found'} k = {n_clusters}"
    axes.set_title(f"{panel.letter}   {panel.title}")
    caption = f"{found} (true {n_circles}) · adjusted Rand score {panel.score:.2f}"
    axes.text(0.5, -0.02, caption, transform=axes.transAxes, ha="center", va="top", color=INK, fontsize=8.5)
    axes.set_aspect("equal")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=FAINT)
