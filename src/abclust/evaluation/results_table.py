"""Tables are rendered from results rows, never typed."""

from collections.abc import Mapping, Sequence
from typing import Any

from abclust.foundations.errors import InvalidInputError

HEADINGS = {
    "system": "system",
    "group": "group",
    "protocol": "protocol",
    "k": "k",
    "calibrated": "calibrated",
    "n_sets": "sets",
    "nmi": "NMI",
    "interval": "95 % interval",
    "nmi_geometric": "NMI (geometric)",
    "ami": "AMI",
    "ari": "ARI",
    "accuracy": "accuracy",
    "pair_f": "pair F",
    "bcubed_f": "BCubed F",
    "k_error": "k error",
    "seconds_per_set": "seconds a set",
}
"""The columns of a table in their order, and what stands above them."""

_MISSING = "-"


def markdown_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Render results rows as a Markdown table.

    Parameters
    ----------
    rows
        As :meth:`~abclust.evaluation.protocol.Evaluation.row` gives them. A value that a row lacks is shown
        as ``-``.
    columns
        Names of fields in the order wanted; by default those of :data:`HEADINGS` that any row has a value
        for.

    Raises
    ------
    InvalidInputError
        If there are no rows.

    Examples
    --------
    >>> print(markdown_table([{"system": "ABC", "nmi": 0.8739, "interval": [0.861, 0.887], "n_sets": 1000}]))
    | system | sets | NMI | 95 % interval |
    |---|---:|---:|---:|
    | ABC | 1,000 | .874 | .861 to .887 |
    """
    if not rows:
        raise InvalidInputError("rows must hold at least one row. Got none.")
    shown = list(columns) if columns is not None else [name for name in HEADINGS if _has_value(rows, name)]
    lines = [
        _line([HEADINGS.get(name, name.replace("_", " ")) for name in shown]),
        "|" + "|".join("---" if _is_text(rows, name) else "---:" for name in shown) + "|",
    ]
    lines += [_line([_cell(name, row.get(name)) for name in shown]) for row in rows]
    return "\n".join(lines)


def _has_value(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(row.get(name) not in (None, "") for row in rows)


def _is_text(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(isinstance(row.get(name), str | bool) for row in rows)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return _MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return _number(name, value)
    if isinstance(value, list | tuple):
        return " to ".join(_cell(name, part) for part in value)
    return str(value)


def _number(name: str, value: float) -> str:
    """Scores as the paper prints them (.874), times to two significant digits."""
    if name.startswith("seconds"):
        return f"{value:.2g}"
    if abs(value) > 1:
        return f"{value:,.2f}"
    text = f"{round(value, 3) + 0.0:.3f}"  # adding 0 turns -0.000 into 0.000
    return text if text.endswith("1.000") else text.replace("0.", ".", 1)
