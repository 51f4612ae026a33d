"""Cost and scores against the size of a set, from a thousand to a million items.

Command
    ``abclust reproduce scaling``; ``--train`` trains the network first. To stop at a size:
    ``python -m abclust.experiments.scaling --network FILE --largest 100000``.
Cost
    An hour and a half of one core: a million items take 40 minutes, HDBSCAN on 50,000 half an hour;
    ``--quick`` takes a minute.
Expected
    Near-linear growth; at least .08 of NMI above the same pipeline with the cosine of items in place of the
    network, .01 above that of encoded items, and .03 above MiniBatchKMeans, which is told the number of
    clusters and stays below an adjusted Rand score of .8 at every size.

Mixtures of :mod:`abclust.experiments.scaling_mixtures`, classes that no training saw. Every system runs in a
process of its own, whose largest resident memory is ``peak_bytes``. HDBSCAN, whose cost is quadratic in width
128, runs up to 50,000 items; the two cosines, which are there for the scores, up to 100,000. Writes
``scaling.json`` and ``scaling.png``.
"""

import argparse
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from abclust.evaluation.contingency import contingency_table
from abclust.evaluation.information_scores import normalised_mutual_information
from abclust.evaluation.matching_scores import matched_accuracy, n_clusters_error
from abclust.evaluation.pair_scores import adjusted_rand
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.scaling_calibration import SIZES as CALIBRATION_SIZES
from abclust.experiments.scaling_figure import draw_scaling
from abclust.experiments.scaling_measure import measured
from abclust.experiments.scaling_systems import SYSTEMS, make_task, system, true_labels
from abclust.experiments.scaling_training import COMMAND, TRAINING, train_embeddings
from abclust.experiments.scaling_training import NAME as NETWORK
from abclust.experiments.shipped_or_trained import check_shipped, network_file
from abclust.zoo.catalogue import find_weights, shipped_names

NAME = "scaling"
SIZES = (1_000, 3_000, 10_000, 30_000, 50_000, 100_000, 300_000, 1_000_000)
QUICK_SIZES = (500, 1_000)
QUICK_STEPS = 20
LARGEST = {"HDBSCAN": 50_000, "cosine of items": 100_000, "cosine of encoded items": 100_000}
"""The largest set that a system is run on; any where nothing is said."""
KEPT_FROM = 100_000
"""From this size on our runs keep their work in a folder, so that a killed one goes on."""
_log = logging.getLogger(__name__)


def run(options: ReproduceOptions) -> list[Path]:
    """Run every system on every size, write the rows, draw the figure."""
    stored, figure = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        network = _network(options)
        sizes = QUICK_SIZES if options.quick else SIZES
        store_rows(network, sizes, options.seed, stored, options.command(NAME))
    draw_scaling(read_results(stored).rows, figure)
    return [stored, figure]


def store_rows(network: Path, sizes: Sequence[int], seed: int, stored: Path, command: str) -> None:
    """Write every row as soon as it is there: the largest sizes take longest."""
    rows: list[dict[str, Any]] = []
    for row in scaling_rows(network, sizes, seed, stored.parent / "scaling-work"):
        rows.append(row)
        write_results(stored, rows, command=command, seed=seed)


def scaling_rows(
    network: Path, sizes: Sequence[int], seed: int, work: Path, systems: Sequence[str] = tuple(SYSTEMS)
) -> Iterator[dict[str, Any]]:
    """One row for each system and size: n, seconds, peak_bytes and scores.

    Parameters
    ----------
    network
        The network file.
    sizes
        Numbers of items.
    seed
        Of the sets and of everything drawn.
    work
        A folder for what large runs keep while they last.
    systems
        Names of :data:`~abclust.experiments.scaling_systems.SYSTEMS`.
    """
    for n_items in sizes:
        truth = true_labels(str(network), n_items, seed)
        for name in systems:
            if n_items > LARGEST.get(name, n_items):
                continue
            folder = work / f"{name}-{n_items}" if n_items >= KEPT_FROM and name == "ABC" else None
            arguments = (str(network), n_items, seed, str(folder) if folder else None)
            found = measured(make_task, system(name), arguments)
            if folder is not None:
                rmtree(folder, ignore_errors=True)
            row = {
                "system": name,
                "protocol": "generated mixtures, k known" if "KMeans" in name else "generated mixtures",
                "n": n_items,
                "k": int(truth.max()) + 1,
                "n_sets": 1,
                **large_scores(truth, found.result),
                "seconds": round(found.seconds, 2),
                "seconds_per_set": round(found.seconds, 2),
                "processor_seconds": round(found.processor_seconds, 2),
                "peak_bytes": found.peak_bytes,
                "interval": None,
            }
            _log.info("%s", row)
            yield row


def large_scores(truth: np.ndarray, found: np.ndarray) -> dict[str, float | None]:
    """The scores that thousands of clusters allow; the adjustment of AMI would take longer than the runs."""
    table = contingency_table(truth, found)
    return {
        "nmi": normalised_mutual_information(table, "arithmetic"),
        "nmi_geometric": normalised_mutual_information(table, "geometric"),
        "ami": None,
        "ari": adjusted_rand(table),
        "accuracy": matched_accuracy(table),
        "k_error": float(n_clusters_error(table)),
    }


def _network(options: ReproduceOptions) -> Path:
    if not options.train:
        check_shipped([NETWORK], shipped_names(), lambda _: COMMAND)
        found = find_weights(NETWORK)
        assert found is not None  # it is shipped
        return found
    training = replace(TRAINING, steps=QUICK_STEPS, minutes=None) if options.quick else TRAINING
    output = network_file(NETWORK, options)
    return train_embeddings(
        output,
        training=training,
        seed=options.seed,
        validation_steps=1 if options.quick else 6,
        calibration_sizes=QUICK_SIZES if options.quick else CALIBRATION_SIZES,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module: a given network, up to a given size."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.scaling", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--network", type=Path, required=True, help="network file")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="largest number of items")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything that is drawn")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    sizes = [size for size in SIZES if size <= given.largest]
    command = (
        f"python -m abclust.experiments.scaling --network {given.network.name} --largest {given.largest}"
    )
    stored = given.output / f"{NAME}.json"
    store_rows(given.network, sizes, given.seed, stored, command)
    draw_scaling(read_results(stored).rows, given.output / f"{NAME}.png")


if __name__ == "__main__":
    main()
