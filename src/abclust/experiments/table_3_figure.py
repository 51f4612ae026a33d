"""The figure of the comparison: quality against seconds a set, one dot a system."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abclust.baselines.interface import GROUPS
from abclust.experiments.comparison_rows import TRIVIAL, Row
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, UNKNOWN, WHOLE_PROTOCOL
from abclust.figures.style import COLOURS, FAINT, house_style, save_figure

SCORE = "ami"
"""Adjusted for chance, so that a partition into singletons is worth nothing."""
_MARKERS = ("s", "^", "o", "D")


def draw_comparison(rows: Sequence[Row], path: str | Path) -> None:
    """Draw the rows of ``table-3.json`` on Omniglot, k unknown, a panel for each protocol.

    Parameters
    ----------
    rows
        With ``name``, ``kind``, ``protocol``, ``task``, ``ami`` and ``seconds_per_set``.
    path
        A picture file.
    """
    with house_style():
        figure = Figure(figsize=(10.5, 4.4), layout="constrained")
        for axes, protocol in zip(figure.subplots(1, 2), (PAPER_PROTOCOL, WHOLE_PROTOCOL)):
            shown = [
                row
                for row in rows
                if (row["domain"], row["protocol"], row["task"]) == ("omniglot", protocol, UNKNOWN)
                and row["kind"] != TRIVIAL
            ]
            _panel(axes, shown)
            axes.set(title=protocol, xlabel="seconds of one core a set", ylabel="AMI, k unknown")
        save_figure(figure, path)


def _panel(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_xscale("log")
    for kind, colour, marker in zip(GROUPS, COLOURS, _MARKERS):
        own = [row for row in rows if row["kind"] == kind]
        if not own:
            continue
        seconds = [max(row["seconds_per_set"], 1e-5) for row in own]
        axes.scatter(seconds, [row[SCORE] for row in own], color=colour, marker=marker, label=kind, zorder=3)
        for row, x in zip(own, seconds):
            axes.annotate(
                row["system"],
                (x, row[SCORE]),
                xytext=(4, 3),
                textcoords="offset points",
                fontsize=6.5,
                color=FAINT,
            )
    if rows:
        axes.legend(fontsize=7, loc="lower right")
