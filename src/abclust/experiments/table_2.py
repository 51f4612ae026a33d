"""The paper's Table 2, and what stands beside it: three tasks on sets of 100 images, and whole alphabets.

Command
    ``abclust reproduce table-2``
Cost
    About 10 minutes of one core for each network, 50 with additive compatibility; ``--quick`` takes five
    minutes in all. A network that was scored before is not scored again. ``--train`` adds six hours of one
    core.
Expected
    The paper prints .874 (k unknown), .893 (k known) and .884 (k = 20) for multiplicative compatibility,
    .816, .873 and .860 for additive. All singletons, which know nothing, score about .72 and .75.

Writes ``table-2.json`` and ``table-2.md``, and ``table-4.json`` besides: the tables are one computation. Sets
follow :mod:`abclust.experiments.omniglot_protocol`.
"""

from collections.abc import Sequence
from pathlib import Path

from abclust.evaluation.results_table import markdown_table
from abclust.experiments.omniglot_paper_numbers import TASKS, WHOLE_ALPHABETS, printed_nmi
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, WHOLE_PROTOCOL
from abclust.experiments.omniglot_rows import Row
from abclust.experiments.omniglot_tables import (
    MEANS,
    SYSTEMS,
    by_approach,
    compute_tables,
    stored_rows,
    three_digits,
)
from abclust.experiments.registry import ReproduceOptions
from abclust.storage.atomic_file import write_text

NAME = MEANS
_NEEDED = ("system", "protocol", "task", "method", "calibrated", "nmi", "network")
_DETAILS = ("system", "method", "calibrated", "task", "n_sets", "nmi", "interval", "nmi_geometric", "ami")
_DETAILS += ("ari", "accuracy", "k_error", "pair_ece", "worst_alphabet", "worst_nmi", "seconds_per_set")


def run(options: ReproduceOptions) -> list[Path]:
    """Score the networks, write the rows, render the table. Gives the two files."""
    stored, table = options.output / f"{NAME}.json", options.output / f"{NAME}.md"
    if not options.render:
        compute_tables(options)
    write_text(table, render(stored_rows(stored, _NEEDED)))
    return [stored, table]


def render(rows: Sequence[Row]) -> str:
    """The table as Markdown: NMI by task beside the paper's, then every score of both protocols."""
    parts = [nmi_tables(rows)]
    for protocol, title in ((PAPER_PROTOCOL, "sets of 100 images"), (WHOLE_PROTOCOL, "whole alphabets")):
        if some := [row for row in rows if row["protocol"] == protocol]:
            parts += [f"\n## Every score, {title}\n", markdown_table(some, _DETAILS)]
    return "\n".join(parts) + "\n"


def nmi_tables(rows: Sequence[Row]) -> str:
    """NMI by task beside what is printed elsewhere, a table for each protocol."""
    paper = [row for row in rows if row["protocol"] == PAPER_PROTOCOL]
    whole = [row for row in rows if row["protocol"] == WHOLE_PROTOCOL]
    parts = ["## NMI on sets of 100 images, mean over alphabets\n", _tasks(paper, TASKS, _printed_lines())]
    if whole:
        parts += ["\n## NMI on whole alphabets\n", _tasks(whole, TASKS[:2], _published_lines())]
    return "\n".join(parts)


def _tasks(rows: Sequence[Row], tasks: Sequence[str], printed: Sequence[str]) -> str:
    lines = [
        "| system | clustering | calibrated | " + " | ".join(tasks) + " |",
        "|---|---|---|" + "---:|" * len(tasks),
        *printed,
    ]
    for (network, method, calibrated), by_task in by_approach(rows).items():
        scores = (three_digits(by_task[task]["nmi"] if task in by_task else None) for task in tasks)
        lines.append(_line([SYSTEMS[network], method, "yes" if calibrated else "no", *scores]))
    return "\n".join(lines)


def _printed_lines() -> list[str]:
    names = {"multiplicative": "ABC mul, as printed", "additive": "ABC add, as printed"}
    return [
        _line([name, "spectral", "no", *(three_digits(printed_nmi(form, task)) for task in TASKS)])
        for form, name in names.items()
    ]


def _published_lines() -> list[str]:
    return [
        _line([f"{name}, as printed", "trains on the set", "-", *(three_digits(nmi[t]) for t in TASKS[:2])])
        for name, nmi in WHOLE_ALPHABETS.items()
    ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
