"""What the paper's Tables 2 and 4 are rendered from: one computation, so that a network is scored once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.omniglot_archive import omniglot
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.omniglot_networks import framing_of, obtain_networks
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
QUICK_INSTANCES = 10


def compute_tables(options: ReproduceOptions) -> None:
    """Score every network on the evaluation alphabets and write ``table-2.json`` and ``table-4.json``.

    Raises
    ------
    DataNotFoundError
        If weights or Omniglot's evaluation archive are missing.
    InvalidInputError
        If a network was trained on an evaluation alphabet.
    """
    config = ProtocolConfig(n_instances=QUICK_INSTANCES) if options.quick else ProtocolConfig()
    means, alphabets = network_rows(obtain_networks(list(SYSTEMS), options), options, config)
    for name, rows in ((MEANS, means), (ALPHABETS, alphabets)):
        write_results(options.output / f"{name}.json", rows, command=options.command(name), seed=options.seed)


def network_rows(
    networks: dict[str, ContextKernelNetwork], options: ReproduceOptions, config: ProtocolConfig
) -> tuple[list[Row], list[Row]]:
    """Rows of means, trivial partitions last, and rows by alphabet."""
    means: list[Row] = []
    alphabets: list[Row] = []
    trivial: list[Row] = []
    for name, network in networks.items():
        check_no_evaluation_alphabet(network.metadata.get("groups", []))
        data = evaluation_images(options, network)
        scored = score_network(network, data, options.seed, config)
        means += mean_rows(scored, name, SYSTEMS[name])
        alphabets += alphabet_rows(scored, name, SYSTEMS[name])
        trivial = trivial or trivial_partition_rows(scored, options.seed)
    return [*means, *trivial], alphabets


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
