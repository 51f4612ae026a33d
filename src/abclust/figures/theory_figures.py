"""The picture of the paper's Section 4: clusters drift apart with skip connections and collapse without."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from abclust.figures.style import COLOURS, FAINT, INK, house_style

BLUE, GREEN, ORANGE, PURPLE = COLOURS[0], COLOURS[2], COLOURS[3], COLOURS[5]
WITH, WITHOUT = "with skips", "without skips"


@dataclass(frozen=True, eq=False)
class DriftCurves:
    """Two clusters in the plane over T steps, the items of A first, and what the proposition predicts.

    Attributes
    ----------
    orbit
        X_0, ..., X_T. Shape (T + 1, n + m, 2).
    size_a
        n.
    separation, diameter_a, diameter_b
        As measured at each step. Shape (T + 1,).
    predicted_separation, predicted_diameter_a, predicted_diameter_b
        The first value times the rate of the formula, step by step. Shape (T + 1,).
    """

    orbit: Float[np.ndarray, "steps n 2"]
    size_a: int
    separation: Float[np.ndarray, " steps"]
    diameter_a: Float[np.ndarray, " steps"]
    diameter_b: Float[np.ndarray, " steps"]
    predicted_separation: Float[np.ndarray, " steps"]
    predicted_diameter_a: Float[np.ndarray, " steps"]
    predicted_diameter_b: Float[np.ndarray, " steps"]


@dataclass(frozen=True, eq=False)
class BoundCurves:
    """Mean factor on the diameter in one step of attention without skips, by set size. Shapes (sizes,)."""

    sizes: Float[np.ndarray, " sizes"]
    measured: Float[np.ndarray, " sizes"]
    paper: Float[np.ndarray, " sizes"]
    compared: Float[np.ndarray, " sizes"]
    dobrushin: Float[np.ndarray, " sizes"]


@dataclass(frozen=True, eq=False)
class LayerCurves:
    """A trained network, layer by layer, as it is and without the skips of attention. Shapes (N + 1,)."""

    name: str
    separation: Float[np.ndarray, " layers"]
    separation_without: Float[np.ndarray, " layers"]
    extent: Float[np.ndarray, " layers"]
    extent_without: Float[np.ndarray, " layers"]


def theory_figure(
    with_skips: DriftCurves,
    without_skips: DriftCurves,
    bounds: BoundCurves,
    layers: LayerCurves | None = None,
) -> Figure:
    """Five panels, six with the layers of a trained network.

    Parameters
    ----------
    with_skips, without_skips
        The same two clusters under the same weights.
    bounds
        How fast attention alone contracts, and the bounds on it.
    layers
        Left out where there is no trained network.
    """
    with house_style():
        figure = Figure(figsize=(12.6, 7.6), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.14)  # type: ignore[union-attr]
        grid = figure.add_gridspec(2, 6)
        plane, collapse, scales = (
            figure.add_subplot(grid[0, 2 * column : 2 * column + 2]) for column in range(3)
        )
        width = 3 if layers is None else 2  # the panels that there are fill the row
        lower = [figure.add_subplot(grid[1, start : start + width]) for start in range(0, 6, width)]
        corners = np.stack([with_skips.orbit.min(axis=(0, 1)), with_skips.orbit.max(axis=(0, 1))])
        _draw_plane(plane, with_skips, corners, "a   With skips, the clusters drift apart")
        _draw_plane(collapse, without_skips, corners, "b   Without skips, everything collapses")
        _draw_scales(scales, with_skips, without_skips, "c   Dots: attention. Lines: the proposition")
        _draw_ratio(lower[0], with_skips, without_skips, "d   Relative separation grows either way")
        _draw_bounds(lower[1], bounds, "e   Attention alone shrinks every set")
        if layers is not None:
            _draw_layers(lower[2], layers, f"f   Layers of the trained network “{layers.name}”")
    return figure


def _draw_plane(axes: Axes, drift: DriftCurves, corners: Float[np.ndarray, "2 2"], title: str) -> None:
    """Paths in the plane; both panels hold the same corners, so that the same start looks the same."""
    last = len(drift.orbit) - 1
    groups = (("A", BLUE, slice(0, drift.size_a)), ("B", ORANGE, slice(drift.size_a, None)))
    for name, colour, items in groups:
        for path in drift.orbit[:, items].transpose(1, 0, 2):
            axes.plot(*path.T, color=colour, linewidth=0.8, alpha=0.35, zorder=1)
        axes.scatter(
            *drift.orbit[0, items].T, s=22, facecolor="white", edgecolor=colour, linewidth=1.1, zorder=2
        )
        label = f"cluster {name} after {last} steps"
        axes.scatter(*drift.orbit[-1, items].T, s=26, color=colour, zorder=3, label=label)
    axes.scatter([], [], s=22, facecolor="white", edgecolor=FAINT, label="start")
    axes.set(title=title, xlabel="$x_1$", ylabel="$x_2$")
    axes.update_datalim(corners)
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="upper right", handletextpad=0.3)


def _draw_scales(axes: Axes, with_skips: DriftCurves, without_skips: DriftCurves, title: str) -> None:
    parts = (
        ("centroid distance", INK, "separation"),
        ("diameter of A", BLUE, "diameter_a"),
        ("diameter of B", ORANGE, "diameter_b"),
    )
    for drift, style, fill in ((with_skips, "-", True), (without_skips, "--", False)):
        steps = np.arange(len(drift.orbit))
        for name, colour, field in parts:
            axes.plot(steps, getattr(drift, f"predicted_{field}"), style, color=colour, linewidth=1.3)
            face = colour if fill else "white"
            label = name if fill else None
            axes.plot(
                steps,
                getattr(drift, field),
                "o",
                color=colour,
                markerfacecolor=face,
                markersize=5,
                label=label,
            )
    axes.plot([], [], "-", color=FAINT, label=WITH)
    axes.plot([], [], "--", color=FAINT, label=WITHOUT)
    axes.set(title=title, xlabel="step $t$", ylabel="distance (log scale)", yscale="log")
    axes.set_xticks(range(len(with_skips.orbit)))
    axes.legend(loc="lower left")


def _draw_ratio(axes: Axes, with_skips: DriftCurves, without_skips: DriftCurves, title: str) -> None:
    for drift, style, fill, name in (
        (with_skips, "-", PURPLE, WITH),
        (without_skips, "--", "white", WITHOUT),
    ):
        steps = np.arange(len(drift.orbit))
        diameters = (drift.diameter_a + drift.diameter_b) / 2
        predicted = drift.predicted_separation / (
            (drift.predicted_diameter_a + drift.predicted_diameter_b) / 2
        )
        axes.plot(steps, predicted, style, color=PURPLE, linewidth=1.3)
        axes.plot(steps, drift.separation / diameters, "o", color=PURPLE, markerfacecolor=fill, markersize=5)
        axes.plot([], [], style, marker="o", color=PURPLE, markerfacecolor=fill, markersize=5, label=name)
    axes.set(
        title=title, xlabel="step $t$", ylabel="centroid distance / mean diameter (log scale)", yscale="log"
    )
    axes.set_xticks(range(len(with_skips.orbit)))
    axes.legend(loc="upper left")


def _draw_bounds(axes: Axes, bounds: BoundCurves, title: str) -> None:
    curves = (
        (bounds.paper, BLUE, r"$1-2\delta$ (paper)"),
        (bounds.compared, ORANGE, r"$1-n\delta/4$ (compared)"),
        (bounds.dobrushin, GREEN, r"$1-n\delta$ (Dobrushin)"),
    )
    for values, colour, label in curves:
        axes.plot(bounds.sizes, values, color=colour, label=label)
    axes.plot(bounds.sizes, bounds.measured, "o", color=INK, markersize=4.5, label="attention, measured")
    axes.vlines(8, 0, 1, color=FAINT, linewidth=0.8, linestyle=":")
    axes.text(8.3, 0.02, "n = 8: the two cross", color=FAINT, transform=axes.get_xaxis_transform())
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator([2, 4, 8, 16, 32, 64]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set(title=title, xlabel="items in the set, n", ylabel="new diameter / old diameter")
    axes.set_ylim(0, 1.45)  # room for the legend above the bounds, none of which exceeds 1
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.legend(loc="upper left", ncols=2, columnspacing=1.0, handlelength=1.4)


def _draw_layers(axes: Axes, layers: LayerCurves, title: str) -> None:
    depth = np.arange(len(layers.separation))
    curves = (
        (layers.separation, PURPLE, "-", PURPLE, f"separation, {WITH}"),
        (layers.separation_without, PURPLE, "--", "white", f"separation, {WITHOUT}"),
        (layers.extent, GREEN, "-", GREEN, f"extent of the set, {WITH}"),
        (layers.extent_without, GREEN, "--", "white", f"extent of the set, {WITHOUT}"),
    )
    for values, colour, style, face, label in curves:
        axes.plot(
            depth, values, style, marker="o", color=colour, markerfacecolor=face, markersize=5, label=label
        )
    axes.set(title=title, ylabel="ratio (log scale)", yscale="log")
    axes.set_xticks(depth, ["encoder", *(f"block {index}" for index in depth[1:])])
    axes.legend(loc="best")
