"""The paper's Table 3, every system on the same sets: two protocols, k unknown and known, three domains.

Command
    ``abclust reproduce table-3``; some systems alone by
    ``python -m abclust.experiments.table_3 --systems kcl,mcl``.
Cost
    About three hours of one core for all systems after training (``docs/baselines.md`` has the seconds of
    each); ``--quick`` takes minutes. ``--train`` adds about five hours on two cores.
Expected
    The paper prints .893 (k known) and .874 (k unknown) for ABC with multiplicative compatibility on sets of
    100, and up to .949 and .945 on whole alphabets for DTC-Pi, which trains on the set. All singletons, which
    know nothing, score about .72 on sets of 100.

Scores are kept by system and alphabet in ``networks/table-3/`` as soon as they are there; a killed run goes
on where it was. Writes ``table-3.json``, ``table-3.md`` and ``table-3.png``.
"""

import argparse
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from joblib import cpu_count

from abclust.baselines.staged_system import StagedSystem
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.comparison_rows import Row, system_rows, trivial_partition_rows
from abclust.experiments.comparison_run import score_system, taught
from abclust.experiments.comparison_store import ScoreStore
from abclust.experiments.comparison_systems import COMPARED, PAPER_NETWORKS, build_system, check_names
from abclust.experiments.comparison_training import (
    DOMAINS,
    build_domain,
    networks_folder,
    training_command,
)
from abclust.experiments.omniglot_networks import obtain_networks
from abclust.experiments.omniglot_split import check_no_evaluation_alphabet
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.table_3_figure import draw_comparison
from abclust.experiments.table_3_markdown import table_3_markdown
from abclust.foundations.errors import DataNotFoundError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import write_text

NAME = "table-3"
ALL_BACKGROUND = 30
# The file of the network that a system needs, where it is not its own.
_NEEDED: dict[str, str] = {
    **dict.fromkeys(("itml", "skms", "skkm", "sklr", "kcl", "mcl"), "pairwise-multiplicative"),
    **dict.fromkeys(("abc-kcl", "abc-mcl"), "abc-multiplicative"),
}


def run(options: ReproduceOptions) -> list[Path]:
    """Score every system, write the rows, render table and figure. Gives the three files."""
    return reproduce(options, COMPARED, DOMAINS)


def reproduce(
    options: ReproduceOptions, systems: Sequence[str], domains: Sequence[str], n_jobs: int | None = None
) -> list[Path]:
    """The same for some systems and domains; rows of others that are there stay.

    Raises
    ------
    DataNotFoundError
        If a network is neither there nor to be trained; the message names the command that trains it.
    """
    stored, table, figure = (options.output / f"{NAME}.{ending}" for ending in ("json", "md", "png"))
    if not options.render:
        check_names(systems)
        rows = [row for name in domains for row in domain_rows(name, systems, options, n_jobs or cpu_count())]
        command = options.command(NAME)
        write_results(stored, with_others(stored, command, rows), command=command, seed=options.seed)
    results = read_results(stored)
    write_text(table, table_3_markdown(results.rows, quick="--quick" in results.command))
    draw_comparison(results.rows, figure)
    return [stored, table, figure]


def with_others(stored: Path, command: str, rows: Sequence[Row]) -> list[Row]:
    """New rows and, from a file that the same command made, those of systems and domains that they lack."""
    old = read_results(stored) if stored.is_file() else None
    kept = old.rows if old is not None and old.command == command else []
    found = {(row["domain"], row["name"]) for row in rows}
    together = [*rows, *(row for row in kept if (row["domain"], row["name"]) not in found)]
    places = {name: place for place, name in enumerate(COMPARED)}
    return sorted(together, key=lambda row: (DOMAINS.index(row["domain"]), places.get(row["name"], -1)))


def domain_rows(name: str, systems: Sequence[str], options: ReproduceOptions, n_jobs: int) -> list[Row]:
    """All rows of one domain, trivial partitions first."""
    networks = _paper_networks(systems, options) if name == "omniglot" and not options.quick else {}
    part = _background_part(networks)
    domain = build_domain(name, part, data=options.data, seed=options.seed, quick=options.quick)
    folder = networks_folder(options.output, name, part, quick=options.quick)
    store = ScoreStore(options.output / "networks" / ("quick" if options.quick else "") / NAME)
    rows = trivial_partition_rows(domain, options.seed)
    for system_name in systems:
        system = build_system(system_name, domain, networks, quick=options.quick)
        if not (options.train or options.quick):
            check_trained(system, networks, folder, name, part)
        scored = score_system(
            taught(system, domain, folder),
            domain,
            store,
            seed=options.seed,
            quick=options.quick,
            n_jobs=n_jobs,
        )
        rows += system_rows(system.card, scored)
    return rows


def check_trained(
    system: StagedSystem, networks: Mapping[str, ContextKernelNetwork], folder: Path, domain: str, part: str
) -> None:
    """Raise an error that says how to train the network that a system needs.

    Raises
    ------
    DataNotFoundError
        If it is not there.
    """
    name = system.card.name
    if not system.card.learns or name == "abclust" or PAPER_NETWORKS.get(name) in networks:
        return
    needed = _NEEDED.get(name, name)
    if not (folder / f"{needed}.safetensors").is_file():
        raise DataNotFoundError(
            f"{name} must have learned its network first. Got none in {folder}. Train it: "
            f"{training_command(needed, folder, domain, part)} (or add --train)"
        )


def _paper_networks(systems: Sequence[str], options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    wanted = dict.fromkeys(PAPER_NETWORKS[name] for name in systems if name in PAPER_NETWORKS)
    networks = obtain_networks(list(wanted), options)
    for network in networks.values():
        check_no_evaluation_alphabet(network.metadata.get("groups", []))
    return networks


def _background_part(networks: Mapping[str, ContextKernelNetwork]) -> str:
    """The alphabets that ABC learned from are those that everybody learns from."""
    found = [len(network.metadata.get("groups", [])) for network in networks.values()]
    return "final" if found and max(found) == ALL_BACKGROUND else "training"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module: some systems, some domains."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.table_3", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--systems", default=",".join(COMPARED), help="names, with commas between")
    parser.add_argument("--domains", default=",".join(DOMAINS), help="names, with commas between")
    parser.add_argument("--workers", type=int, help="processes; by default one a core")
    parser.add_argument("--quick", action="store_true", help="a small variant in minutes")
    parser.add_argument("--train", action="store_true", help="train what is missing first")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything that is drawn")
    parser.add_argument("--data", type=Path, help="folder of Omniglot's archives")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    options = ReproduceOptions(
        output=given.output, quick=given.quick, train=given.train, seed=given.seed, data=given.data
    )
    reproduce(options, given.systems.split(","), given.domains.split(","), given.workers)


if __name__ == "__main__":
    main()
