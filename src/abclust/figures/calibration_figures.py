"""Pictures of how honest probabilities are."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter

from abclust.figures.style import COLOURS, FAINT, INK, house_style
from abclust.foundations.errors import InvalidInputError

# Axes without a name: curves may differ in their number of bins.
Bins = tuple[Float[np.ndarray, " _"], Float[np.ndarray, " _"], Int[np.ndarray, " _"]]
_MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_reliability(curves: Mapping[str, Bins], title: str = "") -> Figure:
    """Draw how often pairs belong together against the probability they were given.

    On the diagonal a kernel means what it says; below it, it joins too readily. The bars beneath show where
    the pairs are, on a logarithmic scale, because nearly all of them are near 0.

    Parameters
    ----------
    curves
        Name to (mean predicted probability, share observed, number of pairs) of each bin that is not empty.
    title
        Above the figure.

    Returns
    -------
    Figure
        Not attached to pyplot.

    Raises
    ------
    InvalidInputError
        If there are no curves, or more than six.

    References
    ----------
    DeGroot, Fienberg, "The comparison and evaluation of forecasters", The Statistician 32, 1983.
    https://doi.org/10.2307/2987588

    Examples
    --------
    >>> figure = draw_reliability({"raw": (np.array([0.1, 0.9]), np.array([0.0, 0.8]), np.array([50, 20]))})
    >>> figure.axes[0].get_ylabel()
    'pairs that belong together'
    """
    if not 1 <= len(curves) <= len(COLOURS):
        raise InvalidInputError(f"curves must be one to {len(COLOURS)}. Got {len(curves)}.")
    with house_style():
        figure = Figure(figsize=(4.4, 4.8), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3.2, 1])
        upper.plot(
            [0, 1], [0, 1], color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)), label="honest", zorder=1
        )
        for colour, marker, (name, (predicted, observed, _)) in zip(COLOURS, _MARKERS, curves.items()):
            upper.plot(predicted, observed, color=colour, marker=marker, label=name, zorder=3)
        upper.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="pairs that belong together", title=title)
        upper.xaxis.set_major_locator(MultipleLocator(0.25))
        upper.yaxis.set_major_locator(MultipleLocator(0.25))
        upper.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        upper.legend(loc="upper left")
        _draw_counts(lower, list(curves.values()))
        figure.align_ylabels()
    return figure


def _draw_counts(axes: Axes, curves: Sequence[Bins]) -> None:
    # Side by side: curves share most of their bins, and one bar would hide the other.
    width = 0.03 / len(curves)
    for position, (colour, (predicted, _, counts)) in enumerate(zip(COLOURS, curves)):
        offset = (position - (len(curves) - 1) / 2) * width
        axes.bar(predicted + offset, counts, width, color=colour)
    axes.set_yscale("log")
    axes.set(xlabel="predicted probability", ylabel="pairs", ylim=(0.8, None))
    axes.grid(axis="x", visible=False)
    axes.tick_params(colors=INK)
