"""The numbers and pictures of ``docs/vectors.md``, from a results file: for maintainers, after a comparison.

Command
    ``python -m abclust.experiments.vectors_page``, with ``--results FOLDER`` and ``--page FILE``. What stands
    between the two marks of the page is replaced, the pictures go to ``figures/`` beside it. Cost: seconds.
"""

from pathlib import Path

from abclust.evaluation.results_file import read_results
from abclust.experiments.marked_page import page_command, with_results
from abclust.experiments.vector_samples import draw_family
from abclust.experiments.vector_shapes import draw_shapes
from abclust.experiments.vectors_comparison import NAME
from abclust.experiments.vectors_markdown import vectors_markdown
from abclust.storage.atomic_file import write_text


def write_page(results: Path, page: Path) -> list[Path]:
    """Write tables into the page and draw its pictures. Gives the files."""
    rows = read_results(results / f"{NAME}.json").rows
    shapes, family = (page.parent / "figures" / f"{NAME}-{name}.png" for name in ("shapes", "family"))
    write_text(page, with_results(page.read_text(encoding="utf-8"), vectors_markdown(rows)))
    draw_shapes(rows, shapes)
    draw_family(family)
    return [page, shapes, family]


if __name__ == "__main__":
    page_command("abclust.experiments.vectors_page", "docs/vectors.md", write_page)
