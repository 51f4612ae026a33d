"""The learning curve as a table and a picture, written while the run goes on."""

import csv
import io
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abclust.storage.atomic_file import replacing, write_text
from abclust.training.state import HistoryRow, TrainingState

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOT_DRAWN = ("step", "seconds", "learning_rate", "items_per_second")


class CurveReporter:
    """Keeps ``curve.csv`` and ``curve.png`` of a run up to date, at most every `seconds`.

    Parameters
    ----------
    folder
        Where the two files stand.
    seconds
        Smallest time between two drawings: one takes about half a second.
    """

    def __init__(self, folder: str | Path, seconds: float = 60.0) -> None:
        self.folder = Path(folder)
        self.seconds = seconds
        self._last = time.monotonic()

    def started(self, state: TrainingState) -> None:
        """Nothing to draw yet."""

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """Draw, if it is time again."""
        if state.history and time.monotonic() - self._last >= self.seconds:
            self.write(state.history)

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """Validation points are drawn with the next losses."""

    def finished(self, state: TrainingState) -> None:
        """Draw the whole."""
        if state.history:
            self.write(state.history)

    def write(self, history: Sequence[HistoryRow]) -> None:
        """Write both files, whole or not at all."""
        write_text(self.folder / "curve.csv", curve_table(history))
        with replacing(self.folder / "curve.png", durable=False) as beside:
            draw_curve(history).savefig(beside, format="png", dpi=110)
        self._last = time.monotonic()


def curve_table(history: Sequence[HistoryRow]) -> str:
    """The history as CSV, one column for each name that occurs."""
    names = list(dict.fromkeys(name for row in history for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(history)
    return text.getvalue()


def draw_curve(history: Sequence[HistoryRow]) -> "Figure":
    """Losses above, validation scores below, both against the step.

    Drawn without pyplot, which would keep global state and a window toolkit in a run of hours.
    """
    # Half a second that a run without a folder, or a worker, need not pay.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    FigureCanvasAgg(figure)
    losses, scores = figure.subplots(2, 1, sharex=True)
    _draw_lines(losses, [row for row in history if "loss" in row])
    _draw_lines(scores, [row for row in history if "loss" not in row], marker="o")
    losses.set_ylabel("loss")
    scores.set_ylabel("validation score")
    scores.set_xlabel("step")
    return figure


def _draw_lines(axes: Any, rows: Sequence[HistoryRow], marker: str = "") -> None:
    names = dict.fromkeys(name for row in rows for name in row if name not in _NOT_DRAWN)
    for name in names:
        points = [(row["step"], row[name]) for row in rows if name in row]
        axes.plot(*zip(*points), marker=marker, markersize=3, linewidth=1.2, label=name.replace("_", " "))
    if names:
        axes.legend(frameon=False)
    axes.grid(alpha=0.3)
