"""The numbers and pictures of ``docs/circles.md``, from results files: for maintainers, after an experiment.

Command
    ``python -m abclust.experiments.circles_page``, with ``--results FOLDER`` and ``--page FILE``. What stands
    between the two marks of the page is replaced, the pictures go to ``figures/`` beside it. Cost: seconds.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from abclust.evaluation.results_file import read_results
from abclust.experiments import circles_table, figure_1, figure_2
from abclust.experiments.circle_evaluation import Row
from abclust.experiments.marked_page import page_command, with_results
from abclust.storage.atomic_file import write_text


def write_page(results: Path, page: Path) -> list[Path]:
    """Write the tables into the page and draw its pictures. Gives the files."""
    rows = {
        each.NAME: read_results(results / f"{each.NAME}.json").rows
        for each in (figure_1, figure_2, circles_table)
    }
    pictures = [page.parent / "figures" / f"{name}.png" for name in rows]
    figure_1.draw(rows[figure_1.NAME], pictures[0])
    figure_2.draw(rows[figure_2.NAME], pictures[1])
    with TemporaryDirectory() as folder:
        table = Path(folder) / "circles.md"
        circles_table.draw(rows[circles_table.NAME], table, pictures[2])
        beyond = table.read_text(encoding="utf-8")
    by_size = (
        f"## Figure 2: adjusted Rand score by the number of points\n\n{size_table(rows[figure_2.NAME])}\n"
    )
    write_text(page, with_results(page.read_text(encoding="utf-8"), f"{by_size}\n{beyond}"))
    return [page, *pictures]


def size_table(rows: Sequence[Row]) -> str:
    """The curves of Figure 2 as a table: a line for each system and method, a column for each size.

    Examples
    --------
    >>> row = {"system": "ABC", "k": "unknown", "method": "spectral", "n": 20, "ari": 0.3141}
    >>> print(size_table([row, {**row, "n": 40, "ari": 0.2718}]))
    | system | by | k | 20 | 40 |
    |---|---|---|---:|---:|
    | ABC | eigengap | unknown | .314 | .272 |
    """
    sizes = sorted({row["n"] for row in rows})
    scores = {(row["system"], row["method"], row["n"]): row["ari"] for row in rows}
    told = {row["system"]: row["k"] for row in rows}
    lines = [
        "| system | by | k | " + " | ".join(str(size) for size in sizes) + " |",
        "|---|---|---|" + "---:|" * len(sizes),
    ]
    for system, method in product(told, dict.fromkeys(row["method"] for row in rows)):
        if (system, method, sizes[0]) not in scores:
            continue
        way = "eigengap" if method == "spectral" and told[system] == "unknown" else method
        cells = (f"{scores[system, method, size]:.3f}".replace("0.", ".", 1) for size in sizes)
        lines.append(f"| {system} | {way} | {told[system]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    page_command("abclust.experiments.circles_page", "docs/circles.md", write_page)
