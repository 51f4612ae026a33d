"""A kernel as a picture: items in the order of their clusters, dark where two belong together."""

import numpy as np
from jaxtyping import Bool, Float, Int
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure

from abclust.figures.style import COLOURS, FAINT, INK, PROBABILITY_MAP, house_style
from abclust.foundations.errors import InvalidInputError


def draw_kernel(
    kernel: Float[np.ndarray, "n n"],
    labels: Int[np.ndarray, "n"],
    true_labels: Int[np.ndarray, "n"] | None = None,
    title: str = "",
) -> Figure:
    """Draw a kernel with its items ordered by cluster, large clusters first, and a frame around each cluster.

    Parameters
    ----------
    kernel
        Probabilities (n, n) in [0, 1].
    labels
        The partition to order by.
    true_labels
        If known, a strip beside the matrix shows them: one colour through the whole of a frame is a pure
        cluster. Twelve colours are reused, never for two true clusters of neighbouring size.
    title
        Above the figure.

    Returns
    -------
    Figure
        Not attached to pyplot.

    Raises
    ------
    InvalidInputError
        If the set is empty or a value lies outside [0, 1].

    Examples
    --------
    >>> figure = draw_kernel(np.eye(5), np.arange(5))
    >>> figure.axes[0].get_xlabel()
    '5 items in 5 clusters'
    """
    if len(labels) == 0 or not np.all((kernel >= 0) & (kernel <= 1)):
        raise InvalidInputError("kernel must hold probabilities of at least one item. Got none, or others.")
    order = order_by_cluster(labels, true_labels)
    with house_style():
        figure = Figure(figsize=(4.9, 4.2), layout="constrained")
        axes = figure.add_subplot()
        ordered = kernel[np.ix_(order, order)]
        image = axes.imshow(ordered, cmap=PROBABILITY_MAP, vmin=0, vmax=1, interpolation="nearest")
        _frame_clusters(axes, labels[order])
        if true_labels is not None:
            _draw_strip(axes, true_labels[order])
        axes.set(xticks=[], yticks=[], title=title)
        axes.set_xlabel(f"{_count(len(labels), 'item')} in {_count(len(np.unique(labels)), 'cluster')}")
        axes.grid(visible=False)
        axes.spines[:].set(visible=True, color=FAINT)
        bar = figure.colorbar(image, ax=axes, shrink=0.75, ticks=[0, 0.5, 1])
        bar.set_label("probability of belonging together")
        bar.outline.set(edgecolor=FAINT, linewidth=0.8)
    return figure


def order_by_cluster(
    labels: Int[np.ndarray, "n"], true_labels: Int[np.ndarray, "n"] | None = None
) -> Int[np.ndarray, "n"]:
    """Positions of the items, cluster by cluster, large ones first; inside a cluster by true cluster.

    Examples
    --------
    >>> order_by_cluster(np.array([0, 1, 1, 0, 1]))
    array([1, 2, 4, 0, 3])
    """
    inner = np.zeros_like(labels) if true_labels is None else _rank_by_size(true_labels)
    return np.lexsort((np.arange(len(labels)), inner, _rank_by_size(labels)))


def _rank_by_size(labels: Int[np.ndarray, "n"]) -> Int[np.ndarray, "n"]:
    """0 for items of the largest cluster, 1 for the next; of equals the one that appears first."""
    _, first, codes, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    ranks = np.empty(len(counts), dtype=np.int64)
    ranks[np.lexsort((first, -counts))] = np.arange(len(counts))
    return ranks[codes]


def _frame_clusters(axes: Axes, ordered_labels: Int[np.ndarray, "n"]) -> None:
    starts = np.flatnonzero(_changes(ordered_labels))
    ends = np.append(starts[1:], len(ordered_labels))
    for start, end in zip(starts - 0.5, ends - 0.5):
        corners_x, corners_y = [start, end, end, start, start], [start, start, end, end, start]
        axes.plot(corners_x, corners_y, color=INK, linewidth=0.9)


def _changes(ordered_labels: Int[np.ndarray, "n"]) -> Bool[np.ndarray, "n"]:
    return np.append(True, ordered_labels[1:] != ordered_labels[:-1])


def _draw_strip(axes: Axes, ordered_truth: Int[np.ndarray, "n"]) -> None:
    """True clusters as a coloured strip to the left of the matrix."""
    strip = axes.inset_axes((-0.055, 0.0, 0.035, 1.0))
    full = to_rgba_array(COLOURS)
    palette = np.concatenate([full, (full + 1.3) / 2.3])  # after six, the same colours paler
    colours = palette[_rank_by_size(ordered_truth) % len(palette)]
    strip.imshow(colours[:, None], aspect="auto", interpolation="nearest")
    strip.set(xticks=[], yticks=[], ylabel="true cluster")
    strip.grid(visible=False)
    strip.spines[:].set(visible=False)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
