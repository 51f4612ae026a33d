"""The README's table of results, from what is stored in ``results/``: for maintainers, after an experiment.

Command
    ``python -m abclust.experiments.readme_results``, with ``--results FOLDER`` and ``--page FILE``. What
    stands between the two marks of the page is replaced. Cost: none. An experiment whose results are not
    there has no line.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from abclust.evaluation.results_file import read_results
from abclust.experiments import circles_table, figure_2, scaling, table_2, table_3, vectors_comparison
from abclust.experiments.comparison_rows import TRIVIAL
from abclust.experiments.marked_page import page_command, with_results
from abclust.experiments.omniglot_paper_numbers import TASKS, WHOLE_ALPHABETS, printed_nmi
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, WHOLE_PROTOCOL
from abclust.experiments.vector_rows import GENERATED, MEAN, REAL
from abclust.experiments.vector_systems import OURS
from abclust.storage.atomic_file import write_text

Row = dict[str, Any]
Rows = Mapping[str, Sequence[Row]]
"""The rows of every experiment that has been run, by its name."""
COLUMNS = ("what is clustered", "score", "abclust", "the paper's network, here", "published", "peers, here")
_NONE = "-"
_OMNIGLOT_METHOD = "size-prior"
"""What the header of ``omniglot`` names; a test compares."""
_LARGE = (100_000, 1_000_000)
"""Sizes of the scaling runs that have a line."""


def results_table(results: Rows) -> str:
    """One line for each question that the stored results answer.

    Parameters
    ----------
    results
        By the name of the experiment.

    Returns
    -------
    str
        A Markdown table, or a sentence if there is nothing to show yet.
    """
    lines = [
        line
        for part in (_circles, _omniglot, _whole_alphabets, _tables, _large_sets)
        for line in part(results)
    ]
    if not lines:
        return "No full run is stored yet; `results/log.md` tells what has been measured so far."
    head = [COLUMNS, ("---", "---", *["---:"] * (len(COLUMNS) - 2))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (*head, *lines))


def stored_results(folder: Path) -> dict[str, list[Row]]:
    """The rows of those experiments that have a file in `folder`."""
    names = (
        circles_table.NAME,
        figure_2.NAME,
        table_2.NAME,
        table_3.NAME,
        vectors_comparison.NAME,
        scaling.NAME,
    )
    files = {name: folder / f"{name}.json" for name in names}
    return {name: read_results(file).rows for name, file in files.items() if file.is_file()}


def _circles(results: Rows) -> Iterator[tuple[str, ...]]:
    if circles_table.NAME not in results:
        return
    paper = results.get(figure_2.NAME, [])
    for size in circles_table.FLOORS:
        four = {"system": circles_table.NETWORK, "n": size, "n_circles": 4, "noise": 0.0}
        ours = _find(results[circles_table.NAME], **four, method=circles_table.METHOD, calibrated=True)
        by_paper = _find(paper, system="ABC multiplicative", n=size, method="spectral")
        told = _find(paper, system=figure_2.SPECTRAL_SYSTEM, n=size)
        yield (
            f"four overlapping circles, {size} points, k unknown",
            "ARI",
            _bold(ours, "ari"),
            _score(by_paper, "ari"),
            _NONE,
            _peer(told, "ari", "spectral, told k"),
        )


def _omniglot(results: Rows) -> Iterator[tuple[str, ...]]:
    rows = results.get(table_2.NAME, [])
    for task in TASKS:
        ours = _find(rows, protocol=PAPER_PROTOCOL, network="omniglot", task=task, best=_default_first)
        if not ours:
            continue
        by_paper = _find(rows, protocol=PAPER_PROTOCOL, network="omniglot-paper-mul", task=task)
        yield (
            f"100 characters of an unseen alphabet (Omniglot), {task}",
            "NMI",
            _bold(ours, "nmi"),
            _score(by_paper, "nmi"),
            _three(printed_nmi("multiplicative", task)),
            _best_peer(results, PAPER_PROTOCOL, task),
        )


def _whole_alphabets(results: Rows) -> Iterator[tuple[str, ...]]:
    rows = results.get(table_2.NAME, [])
    for task in TASKS[:2]:
        ours = _find(rows, protocol=WHOLE_PROTOCOL, network="omniglot", task=task, best=_default_first)
        if ours:
            printed = ", ".join(f"{name} {_three(nmi[task])}" for name, nmi in WHOLE_ALPHABETS.items())
            what = f"whole unseen alphabets, {task} (published systems train on the set)"
            peer = _best_peer(results, WHOLE_PROTOCOL, task)
            yield what, "NMI", _bold(ours, "nmi"), _NONE, printed, peer


def _best_peer(results: Rows, protocol: str, task: str) -> str:
    """The best of the systems that others made on the same sets, hybrids with our kernel left out."""
    peers = [
        row
        for row in results.get(table_3.NAME, [])
        if (row["domain"], row["protocol"], row["task"]) == ("omniglot", protocol, task)
        and row["kind"] != TRIVIAL
        and not row["name"].startswith("abc")
    ]
    best = max(peers, key=lambda row: row["nmi"], default={})
    return _peer(best, "nmi", best.get("system", ""))


def _tables(results: Rows) -> Iterator[tuple[str, ...]]:
    rows = results.get(vectors_comparison.NAME, [])
    for data, what in (
        (REAL, "tables never seen (iris, wine, digits, ...)"),
        (GENERATED, "generated tables"),
    ):
        ours = _find(rows, system=OURS, protocol=MEAN, data=data, k="unknown")
        if ours:
            told = _find(rows, system="k-means", protocol=MEAN, data=data, k="known")
            peer = _peer(told, "ari", "k-means, told k")
            yield f"{what}, k unknown", "ARI", _bold(ours, "ari"), _NONE, _NONE, peer


def _large_sets(results: Rows) -> Iterator[tuple[str, ...]]:
    rows = results.get(scaling.NAME, [])
    for n_items in _LARGE:
        ours = _find(rows, system="ABC", n=n_items)
        if ours:
            cost = f"{ours['seconds'] / 60:.0f} minutes and {ours['peak_bytes'] * 1e-9:.1f} GB on one core"
            told = _find(rows, system="MiniBatchKMeans", n=n_items)
            yield (
                f"{n_items:,} generated embeddings, k unknown: {cost}",
                "NMI",
                f"**{_three(ours['nmi'])}** (one set)",
                _NONE,
                _NONE,
                _peer(told, "nmi", "MiniBatchKMeans, told k"),
            )


def _default_first(row: Row) -> tuple[bool, bool]:
    """What ``fit_predict`` does with these weights comes first, calibrated."""
    return row["method"] != _OMNIGLOT_METHOD, not row["calibrated"]


def _find(rows: Sequence[Row], *, best: Callable[[Row], Any] | None = None, **wanted: Any) -> Row:
    """The first row, by `best`, with these values; an empty one if there is none."""
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return min(found, key=best) if found and best else (found[0] if found else {})


def _score(row: Row, name: str) -> str:
    return _three(row[name]) if row else _NONE


def _bold(row: Row, name: str) -> str:
    low, high = row["intervals"][name]
    return f"**{_three(row[name])}** ({_three(low)} to {_three(high)})"


def _peer(row: Row, name: str, label: str) -> str:
    return f"{label}: {_three(row[name])}" if row else _NONE


def _three(value: float) -> str:
    """Three digits as the paper prints them: .874."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def write_page(results: Path, page: Path) -> list[Path]:
    """Put the table between the marks of the page. Gives the page."""
    table = results_table(stored_results(results))
    write_text(page, with_results(page.read_text(encoding="utf-8"), table))
    return [page]


if __name__ == "__main__":
    page_command("abclust.experiments.readme_results", "README.md", write_page)
