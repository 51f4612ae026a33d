"""The paper's Table 4: NMI by alphabet for the three tasks, the paper's numbers in brackets.

Command
    ``abclust reproduce table-4``
Cost
    That of table 2, with which it is one computation; ``--quick`` takes five minutes.
Expected
    Means of .874, .893 and .884 with multiplicative and .816, .873 and .860 with additive compatibility;
    Sylheti, ULOG, Oriya and Kannada are the hardest.

Writes ``table-4.json`` and ``table-4.md``, and ``table-2.json`` besides.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from abclust.experiments.omniglot_paper_numbers import MEAN, PRINTED_ALPHABETS, TASKS, printed_nmi
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL
from abclust.experiments.omniglot_rows import Row
from abclust.experiments.omniglot_tables import (
    ALPHABETS,
    SYSTEMS,
    by_approach,
    compute_tables,
    stored_rows,
    three_digits,
)
from abclust.experiments.registry import ReproduceOptions
from abclust.storage.atomic_file import write_text

NAME = ALPHABETS
_NEEDED = ("system", "protocol", "task", "method", "calibrated", "nmi", "network", "group")


def run(options: ReproduceOptions) -> list[Path]:
    """Score the networks, write the rows, render the table. Gives the two files."""
    stored, table = options.output / f"{NAME}.json", options.output / f"{NAME}.md"
    if not options.render:
        compute_tables(options)
    write_text(table, render(stored_rows(stored, _NEEDED)))
    return [stored, table]


def render(rows: Sequence[Row]) -> str:
    """A section for each network and way of clustering, a line for each alphabet, the mean last."""
    paper = [row for row in rows if row["protocol"] == PAPER_PROTOCOL]
    sections = []
    for (network, method, calibrated), found in by_approach(paper).items():
        form = "additive" if network.endswith("-add") else "multiplicative"
        nmi = {key: float(row["nmi"]) for key, row in found.items()}
        heading = f"## {SYSTEMS[network]}, {method}, {'calibrated' if calibrated else 'raw'}"
        sections.append("\n".join([heading, "", *_lines(nmi, form)]))
    return "\n\n".join(sections) + "\n"


def _lines(nmi: Mapping[tuple[str, str], float], form: str) -> list[str]:
    alphabets = sorted({alphabet for alphabet, _ in nmi})
    lines = [
        f"| alphabet | {' | '.join(f'{task} (paper, {form})' for task in TASKS)} |",
        "|---|" + "---:|" * len(TASKS),
    ]
    for alphabet in alphabets:
        cells = [_cell(nmi.get((alphabet, task)), form, task, alphabet) for task in TASKS]
        lines.append(f"| {alphabet} | {' | '.join(cells)} |")
    means = [
        _cell(float(np.mean([nmi[a, task] for a in alphabets if (a, task) in nmi])), form, task, MEAN)
        for task in TASKS
        if any((alphabet, task) in nmi for alphabet in alphabets)
    ]
    return [*lines, f"| **mean** | {' | '.join(means)} |"]


def _cell(value: float | None, form: str, task: str, alphabet: str) -> str:
    is_printed = alphabet in (*PRINTED_ALPHABETS, MEAN)
    printed = three_digits(printed_nmi(form, task, alphabet), 4) if is_printed else "-"
    return f"{three_digits(value, 4)} ({printed})"
