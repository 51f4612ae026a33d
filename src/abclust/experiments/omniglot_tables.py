"""What the paper's Tables 2 and 4 are rendered from: one computation, so that a network is scored once."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.omniglot_archive import omniglot
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.omniglot_networks import framing_of, obtain_networks, weights_identity
from abclust.experiments.omniglot_protocol import (
    CALIBRATED_SPECTRAL,
    PAPER_APPROACH,
    SIZE_PRIOR,
    Approach,
    with_headlines,
)
from abclust.experiments.omniglot_rows import (
    ProtocolConfig,
    Row,
    alphabet_rows,
    mean_rows,
    score_network,
    trivial_partition_rows,
)
from abclust.experiments.omniglot_split import check_no_evaluation_alphabet
from abclust.experiments.registry import ReproduceOptions
from abclust.foundations.errors import FileFormatError
from abclust.model.context_kernel_network import ContextKernelNetwork

MEANS, ALPHABETS = "table-2", "table-4"
SYSTEMS = {
    "omniglot-paper-mul": "ABC mul",
    "omniglot-paper-add": "ABC add",
    "omniglot": "abclust",
}
"""The networks of the tables, and what the tables call them."""
HEADLINES: dict[str, tuple[Approach, ...]] = {
    "omniglot-paper-mul": (PAPER_APPROACH, CALIBRATED_SPECTRAL),
    "omniglot-paper-add": (PAPER_APPROACH, CALIBRATED_SPECTRAL),
    "omniglot": (SIZE_PRIOR,),
}
"""How the kernels of a network are clustered on all sets: the paper's networks by eigengap and spectral
clustering, ours as its weights do by default. All other ways are run on a tenth of the sets."""
QUICK_INSTANCES = 10
_logger = logging.getLogger(__name__)


def compute_tables(options: ReproduceOptions) -> None:
    """Score every network on the evaluation alphabets and write ``table-2.json`` and ``table-4.json``.

    The files are written after each network. A network whose rows are there, of the same weights and as many
    sets, is not scored again: it is judged once.

    Raises
    ------
    DataNotFoundError
        If weights or Omniglot's evaluation archive are missing.
    InvalidInputError
        If a network was trained on an evaluation alphabet.
    """
    config = ProtocolConfig(n_instances=QUICK_INSTANCES) if options.quick else ProtocolConfig()
    tables = {name: _rows_so_far(name, options) for name in (MEANS, ALPHABETS)}
    for name, network in obtain_networks(list(SYSTEMS), options).items():
        about = {"weights": weights_identity(network), "n_instances": config.n_instances}
        if all(_holds(rows, {"network": name, **about}) for rows in tables.values()):
            _logger.info("%s: scored before", name)
            continue
        found = network_rows(name, network, options, config)
        for table, rows in found.items():
            others = [row for row in tables[table] if row["network"] not in (name, None)]
            trivial = [row for row in rows if row["network"] is None]
            ours = [{**row, **about} for row in rows if row["network"] == name]
            tables[table] = sorted([*others, *ours], key=_place) + trivial
            path = options.output / f"{table}.json"
            write_results(path, tables[table], command=options.command(table), seed=options.seed)


def network_rows(
    name: str, network: ContextKernelNetwork, options: ReproduceOptions, config: ProtocolConfig
) -> dict[str, list[Row]]:
    """One network: rows of means, trivial partitions last, and rows by alphabet."""
    check_no_evaluation_alphabet(network.metadata.get("groups", []))
    data = evaluation_images(options, network)
    config = replace(config, approaches=with_headlines(HEADLINES[name]))
    scored = score_network(network, data, options.seed, config)
    return {
        MEANS: [
            *mean_rows(scored, name, SYSTEMS[name]),
            *trivial_partition_rows(scored, options.seed),
        ],
        ALPHABETS: alphabet_rows(scored, name, SYSTEMS[name]),
    }


def _rows_so_far(table: str, options: ReproduceOptions) -> list[Row]:
    """Rows that the same command has written before."""
    path = options.output / f"{table}.json"
    if not path.is_file():
        return []
    stored = read_results(path)
    return stored.rows if (stored.command, stored.seed) == (options.command(table), options.seed) else []


def _holds(rows: Sequence[Row], wanted: Row) -> bool:
    return any(wanted.items() <= row.items() for row in rows if row["network"] == wanted["network"])


def _place(row: Row) -> int:
    return list(SYSTEMS).index(row["network"])


def evaluation_images(options: ReproduceOptions, network: ContextKernelNetwork) -> GroupedImages:
    """The 20 alphabets by which a finished network is judged; nothing that trains or chooses calls this."""
    return omniglot("evaluation", data=options.data, **framing_of(network))


def stored_rows(path: Path, needed: Sequence[str]) -> list[Row]:
    """The rows of a stored table.

    Raises
    ------
    FileFormatError
        If a row lacks a field that the table needs.
    """
    rows = read_results(path).rows
    lacking = sorted({name for name in needed for row in rows if name not in row})
    if lacking or not rows:
        raise FileFormatError(
            f"{path.name} must hold rows with {', '.join(needed)}. Got rows without {lacking or 'any'}."
        )
    return rows


def by_approach(rows: Sequence[Row]) -> dict[tuple[str, str, bool], dict[Any, Row]]:
    """(network, method, calibrated) to its rows by task, or by (alphabet, task) where there are alphabets."""
    found: dict[tuple[str, str, bool], dict[Any, Row]] = {}
    for row in rows:
        if row["network"] is None:
            continue
        key = (row["group"], row["task"]) if "group" in row else row["task"]
        found.setdefault((row["network"], row["method"], row["calibrated"]), {})[key] = row
    return found


def three_digits(value: float | None, digits: int = 3) -> str:
    """A score as the paper prints it, ``-`` for none.

    Examples
    --------
    >>> three_digits(0.8742), three_digits(1.0), three_digits(None)
    ('.874', '1.000', '-')
    """
    return "-" if value is None else f"{value:.{digits}f}".removeprefix("0")
