"""The numbers and the picture of ``docs/scaling.md``, from a results file: for maintainers, after a run.

Command
    ``python -m abclust.experiments.scaling_page``, with ``--results FOLDER`` and ``--page FILE``. What stands
    between the two marks of the page is replaced, the picture goes to ``figures/`` beside it. Cost: seconds.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from abclust.evaluation.results_file import read_results
from abclust.experiments.marked_page import page_command, with_results
from abclust.experiments.scaling import NAME
from abclust.experiments.scaling_figure import draw_scaling
from abclust.storage.atomic_file import write_text

Row = Mapping[str, Any]
_HEADINGS = {"ABC": "abclust", "MiniBatchKMeans": "MiniBatchKMeans, told k"}


def write_page(results: Path, page: Path) -> list[Path]:
    """Write the tables into the page and draw its picture. Gives the files."""
    rows = read_results(results / f"{NAME}.json").rows
    figure = page.parent / "figures" / f"{NAME}.png"
    write_text(page, with_results(page.read_text(encoding="utf-8"), scaling_tables(rows)))
    draw_scaling(rows, figure)
    return [page, figure]


def scaling_tables(rows: Sequence[Row]) -> str:
    """Scores and cost against the number of items: a line for each size, a column for each system.

    Examples
    --------
    >>> row = {"system": "ABC", "n": 1000, "k": 44, "nmi": 0.9691, "ari": 0.9669, "k_error": 45.0}
    >>> row |= {"seconds": 1.22, "processor_seconds": 1.0, "peak_bytes": 577_286_144}
    >>> print(scaling_tables([row]))
    NMI / adjusted Rand score:
    <BLANKLINE>
    | items | classes | abclust |
    |---:|---:|---:|
    | 1,000 | 44 | .969 / .967 |
    <BLANKLINE>
    Seconds of wall clock / GB of memory at the peak, in a process of its own:
    <BLANKLINE>
    | items | classes | abclust |
    |---:|---:|---:|
    | 1,000 | 44 | 1.2 / 0.58 |
    """
    scores = _table(rows, lambda row: f"{_score(row['nmi'])} / {_score(row['ari'])}")
    cost = _table(rows, lambda row: f"{_seconds(row['seconds'])} / {row['peak_bytes'] * 1e-9:.2f}")
    return (
        f"NMI / adjusted Rand score:\n\n{scores}\n\n"
        f"Seconds of wall clock / GB of memory at the peak, in a process of its own:\n\n{cost}"
    )


def _table(rows: Sequence[Row], cell: Callable[[Row], str]) -> str:
    systems: list[str] = list(dict.fromkeys(row["system"] for row in rows))
    by_place: dict[tuple[int, str], str] = {(row["n"], row["system"]): cell(row) for row in rows}
    classes = {row["n"]: row["k"] for row in rows}
    lines = [
        "| items | classes | " + " | ".join(_HEADINGS.get(name, name) for name in systems) + " |",
        "|---:|---:|" + "---:|" * len(systems),
    ]
    for n_items in sorted(classes):
        cells = (by_place.get((n_items, name), "-") for name in systems)
        lines.append(f"| {n_items:,} | {classes[n_items]:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _score(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


if __name__ == "__main__":
    page_command("abclust.experiments.scaling_page", "docs/scaling.md", write_page)
