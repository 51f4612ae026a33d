"""Sets of the plane as pictures: what systems make of classic shapes, and what a family looks like."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abclust.figures.circle_figures import match_clusters
from abclust.figures.style import COLOURS, FAINT, INK, house_style

PANEL, HEIGHT = 1.22, 1.0
"""Width and height of a panel in inches."""
MARGIN = 1.25
"""Room for the names of systems."""
DOT = 3.0
"""Area of a point."""


@dataclass(frozen=True, eq=False)
class ShapePanel:
    """One partition of points of the plane."""

    points: Float[np.ndarray, "n 2"]
    labels: Int[np.ndarray, " n"]
    true_labels: Int[np.ndarray, " n"]
    score: float | None = None
    """Adjusted Rand score; None is the truth itself."""


@dataclass(frozen=True, eq=False)
class SamplePanel:
    """One set and its true clusters."""

    title: str
    points: Float[np.ndarray, "n 2"]
    labels: Int[np.ndarray, " n"]
    is_held_out: bool = False
    """Whether training never sees sets of this kind."""


def draw_shape_comparison(
    systems: Sequence[str],
    shapes: Sequence[str],
    panels: Sequence[Sequence[ShapePanel | None]],
    highlighted: str | None = None,
) -> Figure:
    """A row for each system, a column for each shape.

    A cluster has the colour of the true cluster that it matches best; items that are clusters of their own
    are grey. Below each panel stand the number of clusters and the adjusted Rand score.

    Parameters
    ----------
    systems, shapes
        Names of rows and columns.
    panels
        One row of panels for each system; None where a system was not asked.
    highlighted
        The system whose name is printed bold.
    """
    with house_style():
        size = (MARGIN + PANEL * len(shapes), (HEIGHT + 0.18) * len(systems) + 0.3)
        figure = Figure(figsize=size, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)  # type: ignore[union-attr]
        grid = figure.subplots(len(systems), len(shapes), squeeze=False)
        for row, (system, line) in enumerate(zip(systems, panels, strict=True)):
            for axes, panel in zip(grid[row], line, strict=True):
                _draw_partition(axes, panel)
            grid[row, 0].set_ylabel(
                system,
                rotation=0,
                ha="right",
                va="center",
                fontsize=8.5,
                fontweight="bold" if system == highlighted else "normal",
            )
        for axes, shape in zip(grid[0], shapes, strict=True):
            axes.set_title(shape, loc="center", fontsize=9)
    return figure


def draw_samples(panels: Sequence[SamplePanel], n_columns: int = 6) -> Figure:
    """Sets in rows of some, in the colours of their true clusters; titles of held-out kinds are marked.

    Parameters
    ----------
    panels
        What to draw.
    n_columns
        Panels in a row.
    """
    with house_style():
        n_rows = -(-len(panels) // n_columns)
        figure = Figure(
            figsize=(PANEL * n_columns + 0.2, (HEIGHT + 0.24) * n_rows + 0.25), layout="constrained"
        )
        grid = figure.subplots(n_rows, n_columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid.flat, panels):
            _scatter(axes, panel.points, panel.labels)
            axes.set_title(panel.title + (" *" if panel.is_held_out else ""), loc="center", fontsize=8)
        if any(panel.is_held_out for panel in panels):
            figure.supxlabel("* never seen in training: held out to judge by", fontsize=8, color=INK)
    return figure


def _draw_partition(axes: Axes, panel: ShapePanel | None) -> None:
    if panel is None:
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        axes.text(
            0.5,
            0.5,
            "told\nk = 1",
            transform=axes.transAxes,
            ha="center",
            va="center",
            color=FAINT,
            fontsize=8,
        )
        return
    matches = match_clusters(panel.labels, panel.true_labels)
    _scatter(axes, panel.points, np.array([matches[int(label)] for label in panel.labels]))
    n_clusters = int(np.sum(np.bincount(panel.labels) > 1))
    caption = f"k = {n_clusters}" if panel.score is None else f"k = {n_clusters}   ARI {panel.score:.2f}"
    axes.set_xlabel(caption, fontsize=7, labelpad=1.5, color=INK)


def _scatter(axes: Axes, points: Float[np.ndarray, "n 2"], labels: Int[np.ndarray, " n"]) -> None:
    sizes = np.bincount(labels)
    colours = [COLOURS[label % len(COLOURS)] if sizes[label] > 1 else FAINT for label in labels]
    axes.scatter(*points.T, s=DOT, c=colours, linewidths=0)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=FAINT, linewidth=0.5)
    axes.margins(0.06)
