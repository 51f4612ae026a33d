"""One look for all figures: light, plain, and readable to the colour-blind."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from abclust.foundations.options import check_choice
from abclust.storage.atomic_file import replacing

INK = "#222222"
FAINT = "#8a8a8a"
GRID = "#e6e6e6"

# Okabe and Ito's colours, which stay apart under the common kinds of colour-blindness; their yellow is left
# out because it vanishes on white.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")

# White to the first colour: lightness falls steadily, so that the map also reads in grey print.
PROBABILITY_MAP = LinearSegmentedColormap.from_list(
    "abclust-probability", ["#ffffff", "#cfe3f1", "#7fb6da", COLOURS[0], "#00304d"]
)

FORMATS = ("png", "svg", "pdf")

_SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so figures look the same everywhere
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 200.0,
    "svg.fonttype": "none",  # text stays text: smaller files that a screen reader can read
    "svg.hashsalt": "abclust",  # equal figures give equal files
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the look of abclust; the caller's own matplotlib settings come back afterwards.

    Examples
    --------
    >>> with house_style():
    ...     figure = Figure()
    """
    with matplotlib.rc_context(_SETTINGS):  # pyright: ignore[reportArgumentType]
        yield


def new_figure(width: float = 4.2, height: float = 3.2) -> tuple[Figure, Axes]:
    """A figure of one panel, its size in inches; call it inside :func:`house_style`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF by the ending of its path, whole or not at all.

    Raises
    ------
    InvalidInputError
        If the ending is none of these.
    """
    path = Path(path)
    with replacing(path) as beside:
        beside.write_bytes(render(figure, path.suffix.removeprefix(".").lower()))


def render(figure: Figure, kind: str = "png") -> bytes:
    """The bytes of a figure, for a file or a report; equal figures give equal bytes.

    Raises
    ------
    InvalidInputError
        If `kind` is not ``"png"``, ``"svg"`` or ``"pdf"``.

    Examples
    --------
    >>> render(Figure(figsize=(1, 1)))[1:4]
    b'PNG'
    """
    kind = check_choice("kind", kind, FORMATS)
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    buffer = BytesIO()
    with house_style():
        figure.savefig(buffer, format=kind, metadata=dates.get(kind))
    return buffer.getvalue()
