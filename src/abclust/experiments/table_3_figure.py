"""The figure of the comparison: quality against seconds a set, one dot a system."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abclust.baselines.interface import GROUPS
from abclust.experiments.comparison_rows import TRIVIAL, Row
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, UNKNOWN, WHOLE_PROTOCOL
from abclust.figures.label_placement import label_dots
from abclust.figures.style import COLOURS, house_style, save_figure

SCORE = "ami"
"""Adjusted for chance, so that a partition into singletons is worth nothing."""
SHORTEST = 1e-5
"""Seconds that count as no time on a logarithmic axis."""
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
        figure = Figure(figsize=(10.5, 5.2), layout="constrained")
        panels: list[tuple[Axes, list[Row]]] = []
        for axes, protocol in zip(figure.subplots(1, 2), (PAPER_PROTOCOL, WHOLE_PROTOCOL)):
            shown = [
                row
                for row in rows
                if (row["domain"], row["protocol"], row["task"]) == ("omniglot", protocol, UNKNOWN)
                and row["kind"] != TRIVIAL
            ]
            _panel(axes, shown)
            axes.set(title=protocol, xlabel="seconds of one core a set", ylabel="AMI, k unknown")
            panels.append((axes, shown))
        if panels[0][1]:
            figure.legend(
                *panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8
            )
        for axes, shown in panels:
            label_dots(axes, [_dot(row) for row in shown], [row["system"] for row in shown])
        save_figure(figure, path)


def _panel(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_xscale("log")
    for kind, colour, marker in zip(GROUPS, COLOURS, _MARKERS):
        own = [row for row in rows if row["kind"] == kind]
        if not own:
            continue
        seconds, scores = zip(*(_dot(row) for row in own))
        axes.scatter(seconds, scores, color=colour, marker=marker, label=kind, zorder=3)
    axes.margins(x=0.12)


def _dot(row: Row) -> tuple[float, float]:
    return max(row["seconds_per_set"], SHORTEST), row[SCORE]
