"""Scores of the circles experiments as pictures: curves by the number of points, and maps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from abclust.figures.style import COLOURS, FAINT, INK, PROBABILITY_MAP, house_style, new_figure

MARKERS = ("o", "^", "s", "D", "v", "P")


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """A system's scores by the number of points. All shapes (sizes,)."""

    system: str
    is_main: bool
    """Drawn with a band and a legend entry; others are thin and dashed, in the colour of their system."""
    n_points: Int[np.ndarray, " sizes"]
    scores: Float[np.ndarray, " sizes"]
    low: Float[np.ndarray, " sizes"]
    high: Float[np.ndarray, " sizes"]
    """The interval of the mean."""


def draw_score_curves(
    curves: Sequence[ScoreCurve], systems: Sequence[str], trained_points: int | None = None
) -> Figure:
    """Adjusted Rand score against the number of points, one colour a system.

    Parameters
    ----------
    curves
        Main curves are solid with the interval of their mean; the others are dashed.
    systems
        In the order of their colours and of the legend.
    trained_points
        The size the networks were trained on, marked in the figure.
    """
    colours = dict(zip(systems, COLOURS, strict=False))
    markers = dict(zip(systems, MARKERS, strict=False))
    with house_style():
        figure, axes = new_figure(7.6, 4.6)
        for curve in curves:
            colour = colours[curve.system]
            if curve.is_main:
                axes.fill_between(
                    curve.n_points, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0
                )
                marker = markers[curve.system]
                axes.plot(curve.n_points, curve.scores, marker=marker, color=colour, label=curve.system)
            else:
                axes.plot(curve.n_points, curve.scores, "--", color=colour, linewidth=1.1)
        if any(not curve.is_main for curve in curves):
            axes.plot([], [], "-", color=FAINT, label="k found by the eigengap (paper)")
            axes.plot([], [], "--", color=FAINT, linewidth=1.1, label="k found by log-odds")
        if trained_points is not None:
            axes.axvline(trained_points, color=FAINT, linewidth=0.8, linestyle=":")
            axes.annotate(
                f"trained on {trained_points} points",
                xy=(trained_points, 0.98),
                xytext=(4, 0),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                color=FAINT,
                fontsize=8,
                va="top",
            )
        _scale_sizes(axes, sorted({int(size) for curve in curves for size in curve.n_points}))
        lowest = min(float(curve.low.min()) for curve in curves)
        axes.set_ylim(min(0.0, lowest) - 0.01, 1.0)
        axes.set(
            xlabel="points in the set",
            ylabel="adjusted Rand score",
            title="Points on four overlapping circles",
        )
        figure.legend(loc="outside right center", fontsize=8.5)
    return figure


def draw_score_maps(
    maps: Mapping[str, Float[np.ndarray, "noises circles sizes"]],
    noises: Sequence[float],
    n_circles: Sequence[int],
    n_points: Sequence[int],
) -> Figure:
    """Heat maps of scores: one row of panels a system, one column a noise, circles against points in each.

    Parameters
    ----------
    maps
        Scores of each system by noise, circles and points.
    noises, n_circles, n_points
        What the axes of the scores stand for.
    """
    with house_style():
        width = 1.3 + len(noises) * (0.6 + 0.42 * len(n_points))
        figure = Figure(figsize=(width, len(maps) * (0.95 + 0.3 * len(n_circles))), layout="constrained")
        grid = figure.subplots(len(maps), len(noises), squeeze=False, sharex=True, sharey=True)
        image = None
        for row, (system, scores) in zip(grid, maps.items()):
            for axes, noise, cells in zip(row, noises, scores, strict=True):
                image = axes.imshow(
                    cells, cmap=PROBABILITY_MAP, vmin=0, vmax=1, aspect="auto", origin="lower"
                )
                _write_cells(axes, cells)
                axes.set_title(f"noise {noise:g}", fontsize=9, fontweight="normal", loc="center")
                axes.set_xticks(range(len(n_points)), [f"{size:,}" for size in n_points])
                axes.set_yticks(range(len(n_circles)), [str(count) for count in n_circles])
                axes.grid(visible=False)
                axes.spines[:].set(visible=True, color=FAINT)
            row[0].set_ylabel("circles")
            row[0].annotate(
                system,
                (0, 1),
                (0, 20),
                xycoords="axes fraction",
                textcoords="offset points",
                fontweight="bold",
            )
        for axes in grid[-1]:
            axes.set_xlabel("points")
        if image is not None:
            bar = figure.colorbar(image, ax=grid, shrink=0.6, pad=0.015, ticks=[0, 0.25, 0.5, 0.75, 1])
            bar.set_label("adjusted Rand score")
            bar.outline.set(edgecolor=FAINT, linewidth=0.8)
    return figure


def _scale_sizes(axes: Axes, sizes: Sequence[int]) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(list(sizes)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _write_cells(axes: Axes, cells: Float[np.ndarray, "circles sizes"]) -> None:
    for (row, column), value in np.ndenumerate(cells):
        colour = "white" if value > 0.6 else INK
        text = f"{round(float(value), 2) + 0.0:.2f}".replace("0.", ".", 1)  # adding 0 turns -0.00 into 0.00
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=7.5)
