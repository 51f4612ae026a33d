"""The numbers and the picture of ``docs/baselines.md``, from a results file: for maintainers, after a run.

Command
    ``python -m abclust.experiments.table_3_page``, with ``--results FOLDER`` and ``--page FILE``. What stands
    between the two marks of the page is replaced, the picture goes to ``figures/`` beside it. Cost: seconds.
"""

from collections.abc import Sequence
from pathlib import Path

from abclust.evaluation.results_file import read_results
from abclust.experiments.marked_page import page_command, with_results
from abclust.experiments.table_3 import NAME
from abclust.experiments.table_3_figure import draw_comparison
from abclust.experiments.table_3_markdown import table_3_markdown
from abclust.storage.atomic_file import write_text


def write_page(results: Path, page: Path) -> list[Path]:
    """Write the tables into the page and draw its picture. Gives the files."""
    stored = read_results(results / f"{NAME}.json")
    figure = page.parent / "figures" / f"{NAME}.png"
    picture = f"![Quality against seconds a set, one dot a system](figures/{figure.name})"
    tables = table_3_markdown(stored.rows, quick="--quick" in stored.command)
    write_text(page, with_results(page.read_text(encoding="utf-8"), f"{picture}\n\n{tables}"))
    draw_comparison(stored.rows, figure)
    return [page, figure]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    page_command("abclust.experiments.table_3_page", "docs/baselines.md", write_page, arguments)


if __name__ == "__main__":
    main()
