"""The tables of the comparison on vectors, rendered from its rows."""

from collections.abc import Sequence

from abclust.evaluation.results_table import markdown_table
from abclust.experiments.vector_held_out import SINGLE
from abclust.experiments.vector_honesty import ALL, HONESTY
from abclust.experiments.vector_rows import GENERATED, HALVES, MEAN, REAL, Row
from abclust.experiments.vector_systems import OURS
from abclust.foundations.errors import FileFormatError

FEWEST_RECOGNISED, LARGEST_ERROR = 0.9, 0.05
"""What is promised: of sets of one cluster the share left whole, and the calibration error of pairs."""
_MEANS = ("system", "k", "n_sets", "ari", "interval", "ami", "k_error", "seconds_per_set")


def vectors_markdown(rows: Sequence[Row]) -> str:
    """What was promised, then means, then every kind of sets.

    Raises
    ------
    FileFormatError
        If the rows are not those of the comparison.
    """
    try:
        generated, real = _of(rows, GENERATED), _of(rows, REAL)
        parts = {
            "What was promised, and whether it holds": markdown_table(
                promises(rows), ("promise", "measured", "against", "holds")
            ),
            "Held-out generated sets, means": _means(generated),
            "Real sets, means": _means(real),
            "Adjusted Rand score on generated sets, by kind": _by_protocol(generated),
            "Adjusted Rand score on real sets": _by_protocol(real),
            "Adjusted Rand score on random halves of the real sets, with 95 % intervals": _by_protocol(
                _of(rows, HALVES), with_interval=True
            ),
            "Calibration error of pairs on generated sets": _honesty(_of(rows, HONESTY)),
        }
    except (KeyError, ValueError) as error:
        raise FileFormatError(
            f"rows must be those of the comparison on vectors. Got none for {error}."
        ) from error
    return "\n".join(f"## {title}\n\n{table}\n" for title, table in parts.items())


def promises(rows: Sequence[Row]) -> list[Row]:
    """Rows of what was promised, what was measured, what it is held against, and whether it holds."""
    found: list[Row] = []
    for data in (GENERATED, REAL):
        means = [row for row in _of(rows, data) if row["protocol"] == MEAN]
        ours = _score(means, OURS, "unknown")
        best = max((row for row in means if row["k"] == "unknown" and row["system"] != OURS), key=_ari)
        found += [
            _promise(
                f"ARI, {data}: above {best['system']}, the best not told k",
                ours,
                best["ari"],
                ours > best["ari"],
            ),
            *_at_least(
                f"ARI, {data}: at least k-means with the true k", ours, _score(means, "k-means", "known")
            ),
        ]
    single = _score([row for row in _of(rows, GENERATED) if row["protocol"] == SINGLE], OURS, "unknown")
    found += _at_least("one cluster recognised, share of sets", single, FEWEST_RECOGNISED)
    as_met = [row for row in _of(rows, HONESTY) if row["protocol"] not in (SINGLE, ALL)]
    worst = max(as_met, key=lambda row: row["pair_ece"])
    name = f"calibration error of pairs, worst setting ({worst['protocol']})"
    return [*found, _promise(name, worst["pair_ece"], LARGEST_ERROR, worst["pair_ece"] <= LARGEST_ERROR)]


def _at_least(promise: str, measured: float, needed: float) -> list[Row]:
    return [_promise(promise, measured, needed, measured >= needed)]


def _promise(promise: str, measured: float, against: float, holds: bool) -> Row:
    return {"promise": promise, "measured": measured, "against": against, "holds": holds}


def _of(rows: Sequence[Row], data: str) -> list[Row]:
    return [row for row in rows if row.get("data") == data]


def _ari(row: Row) -> float:
    return row["ari"]


def _score(rows: Sequence[Row], system: str, k: str) -> float:
    return {(row["system"], row["k"]): row["ari"] for row in rows}[system, k]


def _means(rows: Sequence[Row]) -> str:
    means = sorted(
        (row for row in rows if row["protocol"] == MEAN), key=lambda row: (row["k"] == "known", -row["ari"])
    )
    return markdown_table([{**row, "interval": row["ari_interval"]} for row in means], _MEANS)


def _by_protocol(rows: Sequence[Row], *, with_interval: bool = False) -> str:
    """Systems below each other, kinds of sets side by side."""
    protocols = list(dict.fromkeys(row["protocol"] for row in rows if row["protocol"] != MEAN))
    lines: dict[tuple[str, str], Row] = {}
    for row in rows:
        line = lines.setdefault((row["system"], row["k"]), {"system": row["system"], "k": row["k"]})
        line[row["protocol"]] = [row["ari"], *(row["ari_interval"] or ())] if with_interval else row["ari"]
    columns = ("system", "k", *protocols)
    if not with_interval:
        return markdown_table(list(lines.values()), columns)
    return markdown_table([_worded(line, protocols) for line in lines.values()], columns)


def _worded(line: Row, protocols: Sequence[str]) -> Row:
    return {**line, **{name: _with_interval(*line[name]) for name in protocols if name in line}}


def _with_interval(mean: float, *interval: float) -> str:
    digits = [f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1) for value in (mean, *interval)]
    return digits[0] + (f" ({digits[1]} to {digits[2]})" if interval else "")


def _honesty(rows: Sequence[Row]) -> str:
    columns = {
        "protocol": "kind",
        "n_sets": "n_sets",
        "pair_ece": "as clustered",
        "pair_ece_interval": "interval",
        "pair_ece_raw": "raw",
        "pair_ece_likelihood": "by likelihood",
        "pair_ece_several": "of several clusters alone, as clustered",
    }
    return markdown_table(
        [{new: row[old] for old, new in columns.items() if old in row} for row in rows],
        list(columns.values()),
    )
