"""The figure of the scaling runs: time, memory and score against the number of items."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abclust.figures.style import FAINT, house_style, save_figure

PANELS = (("seconds", "seconds", 1.0), ("peak_bytes", "peak memory, GB", 1e-9), ("nmi", "NMI", 1.0))
"""Field of a row, label of the axis, factor."""


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
        figure = Figure(figsize=(10.5, 3.2), layout="constrained")
        for axes, (field, label, factor) in zip(figure.subplots(1, 3), PANELS):
            _panel(axes, rows, field, factor)
            axes.set(xlabel="items n", ylabel=label, xscale="log")
            if field == "seconds":
                axes.set_yscale("log")
                _linear_guide(axes, rows)
                axes.legend(fontsize=7)
        save_figure(figure, path)


def _panel(axes: Axes, rows: Sequence[Mapping[str, Any]], field: str, factor: float) -> None:
    for system in dict.fromkeys(row["system"] for row in rows):
        points = sorted((row["n"], row[field] * factor) for row in rows if row["system"] == system)
        axes.plot(*zip(*points), marker="o", markersize=3.5, label=system)


def _linear_guide(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """A line of slope 1 through our largest run: what is parallel to it grows with the items."""
    ours = sorted((row["n"], row["seconds"]) for row in rows if row["system"] == "ABC")
    if ours:
        (smallest, _), (largest, seconds) = ours[0], ours[-1]
        ends = [seconds * smallest / largest, seconds]
        axes.plot([smallest, largest], ends, color=FAINT, linestyle=":", linewidth=1.0, label="linear")
