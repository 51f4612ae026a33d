"""Pictures of the Omniglot experiments: an encoder's layers, a training's course, a set of one character."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, UInt8
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from abclust.figures.style import COLOURS, FAINT, house_style

WIDTH = 7.6
_BOX_HEIGHT, _STEP = 0.62, 1.0


@dataclass(frozen=True)
class LayerBox:
    """One box of an architecture: what it does, and the shape that leaves it."""

    title: str
    text: str
    shape: str


def draw_layers(columns: dict[str, Sequence[LayerBox]]) -> Figure:
    """Architectures side by side, from the image at the top to the vector at the bottom.

    Parameters
    ----------
    columns
        Title of a column to its boxes.

    Examples
    --------
    >>> figure = draw_layers({"a network": [LayerBox("Linear", "64 to 128", "128")]})
    >>> figure.axes[0].get_title(loc="left")
    'a network'
    """
    longest = max(len(boxes) for boxes in columns.values())
    with house_style():
        figure = Figure(figsize=(WIDTH, 0.55 + 0.72 * longest), layout="constrained")
        grid = figure.subplots(1, len(columns), squeeze=False)
        for axes, (title, boxes) in zip(grid.flat, columns.items()):
            _draw_column(axes, boxes, longest)
            axes.set_title(title)
    return figure


def _draw_column(axes: Axes, boxes: Sequence[LayerBox], longest: int) -> None:
    axes.set(xlim=(0, 1), ylim=(-longest * _STEP + 0.3, 0.35))
    axes.set_axis_off()
    for place, box in enumerate(boxes):
        middle = -place * _STEP
        axes.add_patch(
            FancyBboxPatch(
                (0.04, middle - _BOX_HEIGHT / 2),
                0.92,
                _BOX_HEIGHT,
                boxstyle="round,pad=0,rounding_size=0.08",
                facecolor="#f3f8fb",
                edgecolor=COLOURS[0],
                mutation_aspect=2,
            )
        )
        # Without in_layout long words would squeeze all columns.
        title, text, shape = (
            axes.text(x, middle + offset, words, va="center", in_layout=False)
            for x, offset, words in (
                (0.08, 0.13, box.title),
                (0.08, -0.13, box.text),
                (0.92, 0.13, box.shape),
            )
        )
        title.set(weight="bold", fontsize=8.5)
        text.set(fontsize=6.3)
        shape.set(ha="right", fontsize=8.0, color=COLOURS[0])
        if place:
            start, end = (0.5, middle + _STEP - _BOX_HEIGHT / 2), (0.5, middle + _BOX_HEIGHT / 2)
            axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=FAINT))


@dataclass(frozen=True, eq=False)
class CourseCurve:
    """A score over the course of a training."""

    task: str
    """Curves of one task share a colour."""
    alphabets: str
    """What was scored; the first of the figure's alphabets is drawn solid, the others dashed."""
    image_passes: Float[np.ndarray, " points"]
    scores: Float[np.ndarray, " points"]


def draw_course(curves: Sequence[CourseCurve], title: str = "") -> Figure:
    """Scores against the images seen, on a logarithmic axis.

    Parameters
    ----------
    curves
        One for each task and split.
    title
        Above the figure.

    Examples
    --------
    >>> curve = CourseCurve("k known", "evaluation", np.array([1e3, 1e4]), np.array([0.5, 0.8]))
    >>> len(draw_course([curve]).axes[0].lines)
    1
    """
    tasks = list(dict.fromkeys(curve.task for curve in curves))
    splits = list(dict.fromkeys(curve.alphabets for curve in curves))
    styles = ("-", "--", ":")
    with house_style():
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        axes = figure.add_subplot()
        for curve in curves:
            axes.plot(
                curve.image_passes,
                curve.scores,
                color=COLOURS[tasks.index(curve.task) % len(COLOURS)],
                linestyle=styles[splits.index(curve.alphabets) % len(styles)],
                marker="o" if curve.alphabets == splits[0] else None,
                markersize=3.5,
                label=f"{curve.task}, {curve.alphabets}",
            )
        axes.set(xscale="log", xlabel="images seen in training", ylabel="NMI", title=title)
        axes.set_ylim(top=1.0)
        figure.legend(ncols=len(splits), fontsize=8, loc="outside lower center")
    return figure


@dataclass(frozen=True, eq=False)
class OneCharacterPanel:
    """What one network makes of a set whose items are all of one class."""

    title: str
    caption: str
    kernel: Float[np.ndarray, "n n"]


def draw_one_character(
    panels: Sequence[OneCharacterPanel], images: UInt8[np.ndarray, "n S S"] | None = None
) -> Figure:
    """Truth, prediction and their difference, white for 1 and black for 0 (paper Figure 5).

    Parameters
    ----------
    panels
        One a network.
    images
        The set, drawn to the left of the first row; left out if None.

    Examples
    --------
    >>> panel = OneCharacterPanel("a network", "found 1 cluster", np.ones((3, 3)))
    >>> len(draw_one_character([panel]).axes)
    3
    """
    n_columns = 3 if images is None else 4
    with house_style():
        figure = Figure(figsize=(WIDTH, 2.35 * len(panels)), layout="constrained")
        grid = figure.subplots(len(panels), n_columns, squeeze=False)
        for row, panel in zip(grid, panels):
            truth = np.ones_like(panel.kernel)
            matrices = {"true": truth, "predicted": panel.kernel, "difference": truth - panel.kernel}
            if images is not None:
                _show(row[0], _mosaic(images), panel.title)
            for axes, (name, matrix) in zip(row[n_columns - 3 :], matrices.items()):
                _show(axes, matrix, name)
            if images is None:
                row[0].set_ylabel(panel.title)
            row[-2].set_xlabel(panel.caption, fontsize=8)
    return figure


def _show(axes: Axes, matrix: Float[np.ndarray, "a b"], title: str) -> None:
    axes.imshow(matrix, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, fontsize=9)
    axes.grid(visible=False)
    axes.spines[:].set(visible=True, color=FAINT)


def _mosaic(images: UInt8[np.ndarray, "n S S"], per_row: int = 5) -> Float[np.ndarray, "a b"]:
    """The images in rows, dark ink on white; places without an image stay white."""
    n_rows = -(-len(images) // per_row)
    side = images.shape[1]
    sheet = np.zeros((n_rows * per_row, side, side))
    sheet[: len(images)] = images / 255
    tiles = sheet.reshape(n_rows, per_row, side, side).transpose(0, 2, 1, 3)
    return 1 - tiles.reshape(n_rows * side, per_row * side)
