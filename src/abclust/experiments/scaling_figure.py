"""The figure of the scaling runs: time, memory and score against the number of items."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abclust.figures.style import FAINT, house_style, save_figure

HEADINGS = {"ABC": "abclust", "MiniBatchKMeans": "MiniBatchKMeans, told k"}
"""What people read for the name of a system in the rows."""
PANELS = (("seconds", "seconds", 1.0), ("peak_bytes", "peak memory, GB", 1e-9), ("nmi", "NMI", 1.0))
"""Field of a row, label of the axis, factor."""
_SCALES = {"seconds": "log", "peak_bytes": "log"}


def draw_scaling(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Draw the rows of ``scaling.json``.

    Parameters
    ----------
    rows
        With ``system``, ``n``, ``seconds``, ``peak_bytes`` and ``nmi``.
    path
        A picture file.
    """
    with house_style():
        figure = Figure(figsize=(10.5, 3.6), layout="constrained")
        panels = figure.subplots(1, 3)
        for axes, (field, label, factor) in zip(panels, PANELS):
            _panel(axes, rows, field, factor)
            axes.set(xlabel="items n", ylabel=label, xscale="log", yscale=_SCALES.get(field, "linear"))
        _linear_guide(panels[0], rows)
        lines, names = panels[0].get_legend_handles_labels()
        figure.legend(lines, names, loc="outside upper center", ncols=len(names), fontsize=8)
        save_figure(figure, path)


def _panel(axes: Axes, rows: Sequence[Mapping[str, Any]], field: str, factor: float) -> None:
    for system in dict.fromkeys(row["system"] for row in rows):
        points = sorted((row["n"], row[field] * factor) for row in rows if row["system"] == system)
        axes.plot(*zip(*points), marker="o", markersize=3.5, label=HEADINGS.get(system, system))


def _linear_guide(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """A line of slope 1 through our largest run: what is parallel to it grows with the items."""
    ours = sorted((row["n"], row["seconds"]) for row in rows if row["system"] == "ABC")
    if ours:
        (smallest, _), (largest, seconds) = ours[0], ours[-1]
        ends = [seconds * smallest / largest, seconds]
        axes.plot([smallest, largest], ends, color=FAINT, linestyle=":", linewidth=1.0, label="linear")
