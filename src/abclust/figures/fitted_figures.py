"""A fitted set in one picture: its merge tree, its kernel in the same order, and why there are k clusters."""

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter

from abclust.figures.style import COLOURS, FAINT, INK, PROBABILITY_MAP, house_style
from abclust.foundations.errors import InvalidInputError

_NAMED_SHARE = 0.018  # a cluster thinner than this share of the picture has no room for its number
_FULL = to_rgba_array(COLOURS)
_PALETTE = np.concatenate([_FULL, (_FULL + 1.3) / 2.3])  # after six, the same colours paler


def draw_fitted_set(
    kernel: Float[np.ndarray, "n n"],
    labels: Int[np.ndarray, " n"],
    linkage: Float[np.ndarray, "rows 4"],
    mean_log_odds: Float[np.ndarray, " rows"],
    n_clusters_samples: Int[np.ndarray, " samples"],
    *,
    title: str = "",
) -> Figure:
    """Draw the merge tree, the kernel in the order of its leaves, and the choice of the number of clusters.

    Parameters
    ----------
    kernel
        Probabilities of belonging together.
    labels
        Clusters, 0 to k - 1; each a subtree of the tree.
    linkage, mean_log_odds
        The tree: unions as scipy writes them, and the mean log-odds of each, which is where it is drawn.
    n_clusters_samples
        Numbers of clusters drawn from the log-odds model; may be empty, which leaves their panel out.
    title
        Above the figure.

    Returns
    -------
    Figure
        Not attached to pyplot.

    Raises
    ------
    InvalidInputError
        If the tree is not one of these items.

    Examples
    --------
    >>> kernel = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])
    >>> tree = np.array([[0.0, 1.0, 0.0, 2.0], [2.0, 3.0, 4.0, 3.0]])
    >>> levels, samples = np.array([2.2, -1.8]), np.array([2, 2, 1])
    >>> figure = draw_fitted_set(kernel, np.array([0, 0, 1]), tree, levels, samples)
    >>> figure.axes[1].get_xlabel()
    '3 items in 2 clusters'
    """
    n_items = len(labels)
    if len(kernel) != n_items or len(linkage) != n_items - 1:
        raise InvalidInputError(
            f"kernel and linkage must be those of {n_items} items. Got {len(kernel)} and {len(linkage)} rows."
        )
    order = leaf_order(linkage)
    with house_style():
        figure = Figure(figsize=(11.0, 5.0), layout="constrained")
        left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[2.5, 1.0], wspace=0.02)[0]
        tree, matrix = left.subplots(1, 2, width_ratios=[0.62, 1.0], sharey=True)
        _draw_kernel(matrix, kernel, labels, order)
        _draw_tree(tree, linkage, mean_log_odds, labels, order)
        if title:
            figure.suptitle(title, x=0.004, ha="left", fontweight="bold", fontsize=12)
        _draw_choice(right, mean_log_odds, n_clusters_samples, int(labels.max()) + 1)
    return figure


def leaf_order(linkage: Float[np.ndarray, "rows 4"]) -> Int[np.ndarray, " n"]:
    """Items in an order that no branch of the tree crosses, the larger branch of each union first.

    Examples
    --------
    >>> leaf_order(np.array([[1.0, 2.0, 0.5, 2.0], [0.0, 3.0, 1.0, 3.0]]))
    array([1, 2, 0])
    """
    branches: list[list[int]] = [[item] for item in range(len(linkage) + 1)]
    for first, second in linkage[:, :2].astype(np.int64):
        pair = sorted((branches[first], branches[second]), key=lambda items: (-len(items), items[0]))
        branches.append(pair[0] + pair[1])
    return np.array(branches[-1], dtype=np.int64)


def _draw_tree(
    axes: Axes,
    linkage: Float[np.ndarray, "rows 4"],
    mean_log_odds: Float[np.ndarray, " rows"],
    labels: Int[np.ndarray, " n"],
    order: Int[np.ndarray, " n"],
) -> None:
    """Branches end at the rows of the kernel; unions within a cluster have its colour."""
    n_items = len(labels)
    level = np.minimum.accumulate(mean_log_odds) if len(linkage) else np.zeros(0)
    start = float(level.max(initial=0.0)) + 0.03 * float(np.ptp(np.append(level, 0.0))) + 0.1
    height = np.concatenate([np.full(n_items, start), level])
    row = np.concatenate([np.argsort(order).astype(np.float64), np.zeros(len(linkage))])
    owner = np.concatenate([labels, np.full(len(linkage), -1)])
    segments, colours = [], []
    for union, (first, second) in enumerate(linkage[:, :2].astype(np.int64), start=n_items):
        row[union] = (row[first] + row[second]) / 2
        owner[union] = owner[first] if owner[first] == owner[second] else -1
        here = height[union]
        segments.append([(height[first], row[first]), (here, row[first]), (here, row[second])])
        segments[-1].append((height[second], row[second]))
        colours.append(_PALETTE[owner[union] % len(_PALETTE)] if owner[union] >= 0 else to_rgba_array(INK)[0])
    axes.add_collection(LineCollection(segments, colors=colours, linewidths=1.0 if n_items < 200 else 0.5))
    axes.set_xlim(min(0.0, float(height.min())) - 0.5, start)
    axes.axvline(0.0, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0)
    axes.set(title="Merge tree", xlabel="mean log-odds of each union")
    axes.tick_params(left=False, labelleft=False)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def _draw_kernel(
    axes: Axes, kernel: Float[np.ndarray, "n n"], labels: Int[np.ndarray, " n"], order: Int[np.ndarray, " n"]
) -> None:
    n_items, ordered = len(labels), labels[order]
    image = axes.imshow(
        kernel[np.ix_(order, order)],
        cmap=PROBABILITY_MAP,
        vmin=0,
        vmax=1,
        interpolation="nearest",
        aspect="auto",
    )
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, n_items))
    for start, size in zip(starts, sizes):
        colour = _PALETTE[ordered[start] % len(_PALETTE)]
        corner = (start - 0.5, start - 0.5)
        axes.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=colour, linewidth=1.8))
        if size >= _NAMED_SHARE * n_items:
            middle = start + (size - 1) / 2
            axes.text(
                1.012,
                middle,
                str(ordered[start]),
                color=INK,
                fontweight="bold",
                va="center",
                transform=axes.get_yaxis_transform(),
            )
    axes.tick_params(left=False)
    axes.set(xticks=[], title="Kernel, ordered by cluster")
    axes.set_xlabel(f"{_count(n_items, 'item')} in {_count(int(labels.max()) + 1, 'cluster')}")
    axes.grid(visible=False)
    axes.spines[:].set(visible=True, color=FAINT)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.7, pad=0.09, aspect=28, ticks=[0, 0.5, 1])
    bar.set_label("probability of belonging together")
    bar.outline.set(edgecolor=FAINT, linewidth=0.8)


def _draw_choice(
    figure: SubFigure, mean_log_odds: Float[np.ndarray, " rows"], samples: Int[np.ndarray, " samples"], k: int
) -> None:
    """Above, what the last unions say; below, how often the model draws each number of clusters."""
    n_items = len(mean_log_odds) + 1
    wanted = [n_items > 1, len(samples) > 0]
    panels = list(figure.subplots(max(1, sum(wanted)), 1, squeeze=False)[:, 0])
    if wanted[0]:
        shown = np.arange(1, min(max(2 * k, k + 4), n_items - 1) + 1)
        _draw_evidence(panels.pop(0), mean_log_odds[n_items - 1 - shown], shown, k)
    if wanted[1]:
        _draw_samples(panels.pop(0), samples, k)
    for axes in panels:  # one item without samples: nothing was chosen
        axes.set_axis_off()


def _draw_evidence(
    axes: Axes, evidence: Float[np.ndarray, " levels"], numbers: Int[np.ndarray, " levels"], k: int
) -> None:
    for is_made, colour, name in ((True, COLOURS[0], "made"), (False, COLOURS[3], "not made")):
        chosen = (numbers >= k) == is_made
        if chosen.any():
            axes.bar(numbers[chosen], evidence[chosen], width=0.7, color=colour, label=name)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set(title=f"Why k = {k}", xlabel="clusters left after a union", ylabel="its mean log-odds")
    axes.set_xlim(0.3, max(float(numbers[-1]), 2.0) + 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.margins(y=0.12)
    axes.legend(loc="best", handlelength=0.9)


def _draw_samples(axes: Axes, samples: Int[np.ndarray, " samples"], k: int) -> None:
    numbers, counts = np.unique(samples, return_counts=True)
    shades = [COLOURS[0] if number == k else "#b9c6cf" for number in numbers]
    axes.bar(numbers, counts / len(samples), width=0.7, color=shades)
    axes.set(title="How sure k is", xlabel="number of clusters", ylabel="share of samples")
    axes.set_xlim(min(numbers[0], k) - 1.5, max(numbers[-1], k) + 1.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
