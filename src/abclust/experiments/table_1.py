"""The paper's Table 1, from the code: the forms of compatibility, their parameters and expressions.

Command
    ``abclust reproduce table-1``
Cost
    A second; ``--quick`` is the same.
Expected
    Multiplicative has no parameters, additive has w; both agree with their expression, computed by plain
    loops in double precision, to 1e-12.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from abclust.attention.compatibility import Compatibility, build_compatibility
from abclust.evaluation.results_file import read_results, write_results
from abclust.evaluation.results_table import markdown_table
from abclust.experiments.registry import ReproduceOptions
from abclust.foundations.errors import FileFormatError
from abclust.foundations.random_state import stream
from abclust.model.config import PAPER_OMNIGLOT
from abclust.storage.atomic_file import write_text

NAME = "table-1"
FORMS = ("multiplicative", "additive")
N_QUERIES, N_KEYS = 5, 7
_COLUMNS = ("form", "parameters", "expression", "reference", "largest_difference")

Row = dict[str, Any]
Vector = Float[np.ndarray, " p"]


def run(options: ReproduceOptions) -> list[Path]:
    """Describe and check every form, write the rows, render the table. Gives the two files."""
    stored, table = options.output / f"{NAME}.json", options.output / f"{NAME}.md"
    if not options.render:
        rows = [form_row(form, options.seed) for form in FORMS]
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    rows = read_results(stored).rows
    if any(name not in row for row in rows for name in _COLUMNS):
        raise FileFormatError(f"{NAME}.json must hold rows of this table. Got others.")
    worded = [{**row, "largest_difference": f"{row['largest_difference']:.0e}"} for row in rows]
    write_text(table, markdown_table(worded, _COLUMNS) + "\n")
    return [stored, table]


def form_row(form: str, seed: int) -> Row:
    """A form as the code has it: its docstring's expression, its parameters, and how far it is from both."""
    width = PAPER_OMNIGLOT.width
    compatibility = build_compatibility(form, width).double()
    expression, reference = _documented(compatibility)
    generator = stream(seed)
    queries, keys = generator.normal(size=(N_QUERIES, width)), generator.normal(size=(N_KEYS, width))
    with torch.no_grad():
        found = compatibility(torch.from_numpy(queries), torch.from_numpy(keys)).numpy()
    expected = _by_loops(_expressions(compatibility)[form], queries, keys)
    shapes = [f"{name} {tuple(parameter.shape)}" for name, parameter in compatibility.named_parameters()]
    return {
        "form": form,
        "parameters": ", ".join(shapes) or "none",
        "expression": expression,
        "reference": reference,
        "width": width,
        "activation": PAPER_OMNIGLOT.activation if form == "additive" else None,
        "largest_difference": float(np.abs(found - expected).max()),
    }


def _documented(compatibility: Compatibility) -> tuple[str, str]:
    """Expression and reference from the first line of the class's docstring."""
    first = (type(compatibility).__doc__ or "").splitlines()[0]
    match = re.fullmatch(r"compat\(q, k\) = (.+) \(paper Table 1; (.+)\)\.", first)
    if match is None:
        raise FileFormatError(f"docstring must say 'compat(q, k) = ... (paper Table 1; ...).' Got {first!r}.")
    return match[1], match[2]


def _expressions(compatibility: Compatibility) -> dict[str, Callable[[Vector, Vector], float]]:
    """The paper's expressions, one pair at a time."""
    weights = [parameter.detach().numpy() for parameter in compatibility.parameters()]
    return {
        "multiplicative": lambda query, key: float(query @ key) / len(query) ** 0.5,
        "additive": lambda query, key: float(np.tanh(query + key) @ weights[0]),
    }


def _by_loops(
    expression: Callable[[Vector, Vector], float],
    queries: Float[np.ndarray, "m p"],
    keys: Float[np.ndarray, "n p"],
) -> Float[np.ndarray, "m n"]:
    return np.array([[expression(query, key) for key in keys] for query in queries])
