"""The numbers and pictures of ``docs/omniglot.md``, from results files: for maintainers, after an experiment.

Command
    ``python -m abclust.experiments.omniglot_page``, with ``--results FOLDER`` and ``--page FILE``. What
    stands between the two marks of the page is replaced, pictures are copied to ``figures/`` beside it. Cost:
    none. An experiment that has not been run has no section.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from abclust.evaluation.results_file import read_results
from abclust.experiments import figure_4, figure_5, omniglot_ablation, table_2, table_4
from abclust.experiments.marked_page import page_command, with_results
from abclust.experiments.omniglot_paper_numbers import TASKS
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL
from abclust.experiments.omniglot_rows import Row
from abclust.experiments.omniglot_tables import HEADLINES, SYSTEMS, by_approach, three_digits
from abclust.storage.atomic_file import replacing, write_text

PICTURES = {
    figure_4.NAME: "The three tasks over the course of a training, on evaluation and held-out alphabets",
    figure_5.NAME: "A set of one character: its drawings, and into how many clusters each network puts them",
}
BY_ALPHABET = {name: (ways[-1].method, ways[-1].calibrated) for name, ways in HEADLINES.items()}
"""The way of clustering that the table of alphabets shows of each network, one of those run on all sets."""


def write_page(results: Path, page: Path) -> list[Path]:
    """Write the tables into the page and copy its pictures. Gives the files."""
    rows = {
        each.NAME: read_results(file).rows
        for each in (table_2, table_4, omniglot_ablation)
        if (file := results / f"{each.NAME}.json").is_file()
    }
    sections = []
    if table_2.NAME in rows:
        sections.append(table_2.nmi_tables(rows[table_2.NAME]))
    if table_4.NAME in rows:
        sections.append(f"## NMI by alphabet, sets of 100 images\n\n{alphabet_table(rows[table_4.NAME])}")
    pictures = []
    for name, told in PICTURES.items():
        if (drawn := results / f"{name}.png").is_file():
            pictures.append(page.parent / "figures" / drawn.name)
            with replacing(pictures[-1]) as beside:
                shutil.copyfile(drawn, beside)
            sections.append(f"![{told}](figures/{drawn.name})")
    if (file := results / f"{figure_5.NAME}.json").is_file():
        sections.append(one_character_table(read_results(file).rows))
    if omniglot_ablation.NAME in rows:
        table = omniglot_ablation.ablation_table(rows[omniglot_ablation.NAME])
        sections.append(f"## What each part is worth, held-out alphabets\n\n{table}")
    nothing = "Nothing is stored yet; `results/log.md` tells what has been measured so far."
    write_text(page, with_results(page.read_text(encoding="utf-8"), "\n\n".join(sections) or nothing))
    return [page, *pictures]


def alphabet_table(rows: Sequence[Row]) -> str:
    """A line for each alphabet, a column for each network: the three tasks by its way of clustering.

    Examples
    --------
    >>> row = {"network": "omniglot", "method": "size-prior", "calibrated": True, "protocol": PAPER_PROTOCOL}
    >>> row |= {"group": "Oriya", "task": "k unknown", "nmi": 0.8123}
    >>> print(alphabet_table([row]).splitlines()[-1])
    | Oriya | .812 / - / - |
    """
    found = by_approach([row for row in rows if row["protocol"] == PAPER_PROTOCOL])
    chosen = {
        network: found[network, *approach]
        for network, approach in BY_ALPHABET.items()
        if (network, *approach) in found
    }
    heads = [f"{SYSTEMS[network]}, {BY_ALPHABET[network][0]}" for network in chosen]
    lines = [
        f"| alphabet ({' / '.join(TASKS)}) | " + " | ".join(heads) + " |",
        "|---|" + "---:|" * len(chosen),
    ]
    for alphabet in sorted({group for cells in chosen.values() for group, _ in cells}):
        cells = [
            " / ".join(
                three_digits(scores[alphabet, task]["nmi"] if (alphabet, task) in scores else None)
                for task in TASKS
            )
            for scores in chosen.values()
        ]
        lines.append(f"| {alphabet} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def one_character_table(rows: Sequence[Row]) -> str:
    """What the networks of Figure 5 make of its letter, and of every evaluation character as a set.

    Examples
    --------
    >>> way = {"method": "size-prior", "calibrated": True, "n_clusters": 4, "share_split": 0.8}
    >>> row = {"system": "ABC mul", "skip": "plain", "mean_probability": 0.213, "approaches": [way]}
    >>> print(one_character_table([row]).splitlines()[-1])
    | ABC mul | plain | .213 | size-prior, calibrated | 4 | .800 |
    """
    lines = [
        "| network | skips | mean probability of two drawings | clustering | clusters of the letter "
        "| share of characters split |",
        "|---|---|---:|---|---:|---:|",
    ]
    for row in rows:
        for way in row["approaches"]:
            name = f"{way['method']}, {'calibrated' if way['calibrated'] else 'raw'}"
            found = (three_digits(row["mean_probability"]), name, str(way["n_clusters"]))
            cells = (row["system"], row["skip"], *found, three_digits(way["share_split"]))
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    page_command("abclust.experiments.omniglot_page", "docs/omniglot.md", write_page)
