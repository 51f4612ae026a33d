"""Pictures for the page *How it works*: a set of points, what one thinks of the others, the result."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from abclust.figures.style import COLOURS, FAINT, INK, PROBABILITY_MAP, house_style

PANEL = 2.9  # inches
MARKERS = "osD^vP"  # a second sign beside the colour, for those who do not see it


@dataclass(frozen=True)
class StoryPanel:
    """Points of the plane, and one thing to say of each.

    Exactly one of `labels` and `probabilities` is given; neither shows the bare points.
    """

    title: str
    points: Float[np.ndarray, "n 2"]
    labels: Int[np.ndarray, " n"] | None = None
    """Clusters: colours and markers."""
    confidence: Float[np.ndarray, " n"] | None = None
    """With labels: sure points are full, doubtful ones pale."""
    probabilities: Float[np.ndarray, " n"] | None = None
    """Of belonging with the chosen point."""
    chosen: int | None = None
    """A point to mark."""


def draw_story(panels: Sequence[StoryPanel]) -> Figure:
    """Draw the panels side by side, with one scale of probabilities where there are any.

    Returns
    -------
    Figure
        Not attached to pyplot.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> figure = draw_story([StoryPanel("A set", points)])
    >>> figure.axes[0].get_title(loc="left")
    'A set'
    """
    with house_style():
        has_scale = any(panel.probabilities is not None for panel in panels)
        figure = Figure(figsize=(PANEL * len(panels) + 0.7 * has_scale, PANEL + 0.3), layout="constrained")
        grid = np.atleast_1d(figure.subplots(1, len(panels)))
        drawn = [_draw_panel(axes, panel) for axes, panel in zip(grid, panels, strict=True)]
        for coloured in [each for each in drawn if each is not None][-1:]:  # one scale is that of all
            bar = figure.colorbar(coloured, ax=list(grid), shrink=0.8, ticks=[0, 0.5, 1])
            bar.set_label("probability of belonging together")
            bar.outline.set(edgecolor=FAINT, linewidth=0.8)
    return figure


def _draw_panel(axes: Axes, panel: StoryPanel) -> PathCollection | None:
    x, y = panel.points.T
    shown = None
    if panel.probabilities is not None:
        # Likely points last, so that no unlikely one hides them.
        order = np.argsort(panel.probabilities)
        shown = axes.scatter(
            x[order],
            y[order],
            c=panel.probabilities[order],
            cmap=PROBABILITY_MAP,
            vmin=0,
            vmax=1,
            s=26,
            edgecolors=FAINT,
            linewidths=0.6,
        )
    elif panel.labels is not None:
        _draw_clusters(axes, panel.points, panel.labels, panel.confidence)
    else:
        axes.scatter(x, y, s=18, color=FAINT)
    if panel.chosen is not None:
        axes.scatter(
            *panel.points[panel.chosen], s=110, facecolors="none", edgecolors=COLOURS[3], linewidths=2
        )
    axes.set(aspect="equal", xticks=[], yticks=[], title=panel.title)
    axes.grid(visible=False)
    axes.spines[:].set(visible=True, color=FAINT)
    return shown


def _draw_clusters(
    axes: Axes,
    points: Float[np.ndarray, "n 2"],
    labels: Int[np.ndarray, " n"],
    confidence: Float[np.ndarray, " n"] | None,
) -> None:
    opacity = np.ones(len(labels)) if confidence is None else 0.2 + 0.8 * confidence
    for label in np.unique(labels):
        of_cluster = labels == label
        axes.scatter(
            *points[of_cluster].T,
            s=24,
            color=COLOURS[label % len(COLOURS)],
            marker=MARKERS[label % len(MARKERS)],
            alpha=opacity[of_cluster],  # type: ignore[arg-type] (one for each point is fine)
            edgecolors=INK,
            linewidths=0.3,
        )
