"""The table of the circles experiment, rendered from its rows."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from abclust.evaluation.results_table import markdown_table
from abclust.experiments.circle_evaluation import Row

_FLOOR_COLUMNS = ("system", "method", "calibrated", "points", "n_sets", "ari", "interval", "floor", "holds")
_FLOOR_COLUMNS += ("nmi", "accuracy", "k_error")


def circles_markdown(
    floors: Sequence[Row],
    scores: Float[np.ndarray, "noises circles sizes"],
    oracle: Float[np.ndarray, "noises circles sizes"],
    noises: Sequence[float],
    n_circles: Sequence[int],
    n_points: Sequence[int],
) -> str:
    """Two parts: four clean circles against the floors, and every cell as *network (oracle)*.

    Parameters
    ----------
    floors
        Rows of four clean circles, with the field ``floor``.
    scores, oracle
        Adjusted Rand scores by noise, circles and points.
    noises, n_circles, n_points
        What the axes of `scores` stand for.

    Examples
    --------
    >>> one = np.ones((1, 1, 1))
    >>> print(circles_markdown([], 0.9 * one, one, [0.0], [4], [100]))
    ## Noise 0: adjusted Rand score, in brackets the oracle's
    <BLANKLINE>
    | circles | 100 points |
    |---:|---:|
    | 4 | .90 (1.00) |
    <BLANKLINE>
    """
    parts = []
    if floors:
        table = markdown_table([_worded(row) for row in floors], _FLOOR_COLUMNS)
        parts.append(f"## Four circles, no noise, their number unknown\n\n{table}\n")
    for noise, network_scores, oracle_scores in zip(noises, scores, oracle, strict=True):
        lines = [
            f"## Noise {noise:g}: adjusted Rand score, in brackets the oracle's\n",
            "| circles | " + " | ".join(f"{size:,} points" for size in n_points) + " |",
            "|---:|" + "---:|" * len(n_points),
        ]
        for count, row, truth in zip(n_circles, network_scores, oracle_scores, strict=True):
            cells = (f"{_two_digits(a)} ({_two_digits(b)})" for a, b in zip(row, truth, strict=True))
            lines.append(f"| {count} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _worded(row: Row) -> Row:
    """The row under the headings of the table; its interval there is that of the adjusted Rand score."""
    holds = None if row["floor"] is None else row["ari"] >= row["floor"]
    return {**row, "points": row["n"], "interval": row["ari_interval"], "holds": holds}


def _two_digits(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1)  # adding 0 turns -0.00 into 0.00
