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
from abclust.experiments.scaling_figure import HEADINGS, draw_scaling
from abclust.storage.atomic_file import write_text

Row = Mapping[str, Any]


def write_page(results: Path, page: Path) -> list[Path]:
    """Write the tables into the page and draw its picture. Gives the files."""
    rows = read_results(results / f"{NAME}.json").rows
    figure = page.parent / "figures" / f"{NAME}.png"
    shown = f"{scaling_tables(rows)}\n\n{scaling_summary(rows)}"
    write_text(page, with_results(page.read_text(encoding="utf-8"), shown))
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


def scaling_summary(rows: Sequence[Row]) -> str:
    """The same in sentences: cost of the two largest powers of ten, and how far the others are behind.

    Examples
    --------
    >>> ours = {"system": "ABC", "n": 1000, "nmi": 0.97, "ari": 0.96, "seconds": 2.0, "peak_bytes": 5e8}
    >>> told = {"system": "MiniBatchKMeans", "n": 1000, "nmi": 0.92, "ari": 0.71}
    >>> print(scaling_summary([ours, ours | {"n": 10_000, "seconds": 30.0}, told]))
    - 1,000 items take 2.0 seconds and 0.50 GB.
    - 10,000 items take 30 seconds and 0.50 GB, 15.0 times as long.
    - MiniBatchKMeans, told k: .050 of NMI below abclust, adjusted Rand score at most .710.
    """
    by_place = {(row["n"], row["system"]): row for row in rows}
    ours = {row["n"]: row for row in rows if row["system"] == "ABC"}
    powers = [n for n in sorted(ours) if n == 10 ** (len(str(n)) - 1)][-2:]
    lines = []
    for before, n_items in zip([None, *powers], powers):
        row = ours[n_items]
        growth = f", {row['seconds'] / ours[before]['seconds']:.1f} times as long" if before else ""
        lines.append(
            f"- {n_items:,} items take {_seconds(row['seconds'])} seconds and "
            f"{row['peak_bytes'] * 1e-9:.2f} GB{growth}."
        )
    for name in dict.fromkeys(row["system"] for row in rows if row["system"] != "ABC"):
        others = [by_place[n, name] for n in sorted(ours) if (n, name) in by_place]
        gaps = [ours[row["n"]]["nmi"] - row["nmi"] for row in others]
        span = " to ".join(dict.fromkeys(_score(gap) for gap in (min(gaps), max(gaps))))
        lines.append(
            f"- {HEADINGS.get(name, name)}: {span} of NMI below abclust, "
            f"adjusted Rand score at most {_score(max(row['ari'] for row in others))}."
        )
    return "\n".join(lines)


def _table(rows: Sequence[Row], cell: Callable[[Row], str]) -> str:
    systems: list[str] = list(dict.fromkeys(row["system"] for row in rows))
    by_place: dict[tuple[int, str], str] = {(row["n"], row["system"]): cell(row) for row in rows}
    classes = {row["n"]: row["k"] for row in rows}
    lines = [
        "| items | classes | " + " | ".join(HEADINGS.get(name, name) for name in systems) + " |",
        "|---:|---:|" + "---:|" * len(systems),
    ]
    for n_items in sorted(classes):
        cells = (by_place.get((n_items, name), "-") for name in systems)
        lines.append(f"| {n_items:,} | {classes[n_items]:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _score(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


if __name__ == "__main__":
    page_command("abclust.experiments.scaling_page", "docs/scaling.md", write_page)
