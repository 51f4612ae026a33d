"""The comparison as Markdown: the paper's groups and dagger, both protocols, every score, other domains."""

from collections.abc import Sequence

from abclust.baselines.interface import GROUPS
from abclust.evaluation.results_table import markdown_table
from abclust.experiments.comparison_rows import TRIVIAL, Row
from abclust.experiments.omniglot_paper_numbers import TASKS
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, WHOLE_PROTOCOL
from abclust.experiments.omniglot_tables import three_digits
from abclust.experiments.table_3_printed import FAR, NEAR

DAGGER = "†"
_SHOWN_TASKS = TASKS[:2]
_DETAILS = ("system", "task", "n_sets", "nmi", "interval", "nmi_geometric", "ami", "ari", "accuracy")
_DETAILS += ("k_error", "seconds_per_set", "optimises_on_the_set", "image_passes", "worst_pool", "worst_nmi")


def table_3_markdown(rows: Sequence[Row], *, quick: bool = False) -> str:
    """All tables from the rows of ``table-3.json``.

    Parameters
    ----------
    rows
        As :mod:`abclust.experiments.comparison_rows` gives them.
    quick
        Whether they come from a quick run: the page then says so on top.
    """
    parts = [_QUICK] if quick else []
    omniglot = [row for row in rows if row["domain"] == "omniglot"]
    if omniglot:
        parts += ["## Omniglot, NMI with k unknown and known\n", _overview(omniglot), f"\n{_LEGEND}"]
        parts += [_shortfall(omniglot)]
    for domain in dict.fromkeys(row["domain"] for row in rows):
        for protocol in dict.fromkeys(row["protocol"] for row in rows if row["domain"] == domain):
            some = [row for row in rows if (row["domain"], row["protocol"]) == (domain, protocol)]
            parts += [f"\n## Every score, {domain}, {protocol}\n", markdown_table(_marked(some), _DETAILS)]
    return "\n".join(part for part in parts if part) + "\n"


_QUICK = (
    "**A quick run: two held-out background alphabets, two sets each, networks trained for some steps only. "
    "To look at, not to cite.**\n"
)
_LEGEND = (
    f"{DAGGER} uses context. Numbers in brackets are printed in the paper's Table 3, under the protocol that "
    'they were measured by. "Trains" says whether weights are trained on each set that is clustered.'
)


def _overview(rows: Sequence[Row]) -> str:
    columns = [(protocol, task) for protocol in (PAPER_PROTOCOL, WHOLE_PROTOCOL) for task in _SHOWN_TASKS]
    lines = [
        "| system | trains | " + " | ".join(f"{protocol}, {task}" for protocol, task in columns) + " |",
        "|---|---|" + "---:|" * len(columns),
    ]
    for kind in (TRIVIAL, *GROUPS):
        names = dict.fromkeys(row["name"] for row in rows if row["kind"] == kind)
        if names:
            lines.append(f"| *{kind}* |" + " |" * (len(columns) + 1))
        for name in names:
            own = {(row["protocol"], row["task"]): row for row in rows if row["name"] == name}
            first = next(iter(own.values()))
            cells = [_cell(own.get(column)) for column in columns]
            lines.append(f"| {_title(first)} | {_yes(first)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    told = row["printed_nmi"]
    return three_digits(row["nmi"]) + (f" ({three_digits(told)})" if told is not None else "")


def _shortfall(rows: Sequence[Row]) -> str:
    """Which systems stay below their printed numbers: these need a paragraph, or are not done."""
    below = [row for row in rows if row["printed_nmi"] is not None and row["nmi"] < row["printed_nmi"] - NEAR]
    if not below:
        return ""
    lines = [
        f"- {row['system']}, {row['protocol']}, {row['task']}: {three_digits(row['nmi'])} against "
        f"{three_digits(row['printed_nmi'])} printed"
        + (f", more than {three_digits(FAR, 2)} below" if row["nmi"] < row["printed_nmi"] - FAR else "")
        for row in below
    ]
    return f"\nMore than {three_digits(NEAR, 2)} below the printed number:\n\n" + "\n".join(lines)


def _marked(rows: Sequence[Row]) -> list[Row]:
    return [{**row, "system": _title(row)} for row in rows]


def _title(row: Row) -> str:
    return row["system"] + (f" {DAGGER}" if row["uses_context"] else "")


def _yes(row: Row) -> str:
    return "yes" if row["optimises_on_the_set"] else "no"
