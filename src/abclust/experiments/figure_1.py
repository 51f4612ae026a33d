"""The paper's Figure 1: what four methods make of one set of points on overlapping circles.

Command
    ``abclust reproduce figure-1``
Cost
    Seconds; ``--train`` adds an hour, shared with figure 2. ``--quick`` draws the same.
Expected
    (A) ABC additive and (B) ABC multiplicative follow the circles; (C) the pairwise network and (D) spectral
    clustering cut the plane into regions instead. Only D is told the number of circles.

The set is the first that the seed draws: it was not chosen.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.circle_sets import CircleBatch, circle_batch
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.circle_evaluation import Labels, Row, batch_kernels, score_sets, timed
from abclust.experiments.circle_networks import obtain_networks
from abclust.experiments.figure_2 import METHODS, N_CIRCLES, SPECTRAL_SYSTEM, SYSTEMS, spectral_labels
from abclust.experiments.registry import ReproduceOptions
from abclust.figures.circle_figures import CirclePanel, draw_circle_panels
from abclust.figures.style import save_figure
from abclust.foundations.errors import FileFormatError
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork

NAME = "figure-1"
PANELS = {"A": "circles-paper-add", "B": "circles-paper-mul", "C": "circles-pairwise-add"}
"""The networks of the panels; the fourth panel, D, is spectral clustering."""
N_POINTS = 100
_SETS_STREAM = 1


def run(options: ReproduceOptions) -> list[Path]:
    """Cluster one set four times, write the rows, draw the panels. Gives the two files."""
    stored, picture = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        rows = panel_rows(obtain_networks(list(PANELS.values()), options), options.seed)
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, picture)
    return [stored, picture]


def panel_rows(networks: dict[str, ContextKernelNetwork], seed: int) -> list[Row]:
    """One row a panel: the set, its partition and its scores."""
    batch = circle_batch(1, N_POINTS, N_CIRCLES, seed=stream(seed, _SETS_STREAM))
    truth = {
        "points": batch.points[0],
        "true_labels": batch.labels[0],
        "centres": batch.centres[0],
        "radii": batch.radii[0],
    }
    protocol = f"{N_CIRCLES} circles, {N_POINTS} points, no noise"
    rows = []
    for panel in (*PANELS, "D"):
        name = PANELS.get(panel)
        system = SPECTRAL_SYSTEM if name is None else SYSTEMS[name]
        network = None if name is None else networks[name]
        labels, seconds = timed(partial(_partition, network, batch, seed))
        k = "known" if name is None else "unknown"
        row = score_sets(labels, batch, system=system, protocol=protocol, k=k, seconds=seconds)
        rows.append(
            {**row, "panel": panel, "network": name, "method": METHODS[0], "labels": labels[0], **truth}
        )
    return rows


def _partition(network: ContextKernelNetwork | None, batch: CircleBatch, seed: int) -> list[Labels]:
    """By the network's kernel, or, without a network, by spectral clustering of the points themselves."""
    if network is None:
        return spectral_labels(batch, seed)
    return list(cluster_kernel(batch_kernels(network, batch.points), method=METHODS[0]))


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the panels from rows alone."""
    try:
        panels = [
            CirclePanel(
                letter=row["panel"],
                title=row["system"],
                score=float(row["ari"]),
                k_was_given=row["k"] == "known",
                points=np.array(row["points"]),
                labels=np.array(row["labels"]),
                true_labels=np.array(row["true_labels"]),
                centres=np.array(row["centres"]),
                radii=np.array(row["radii"]),
            )
            for row in rows
        ]
    except KeyError as error:
        raise FileFormatError(
            f"{NAME}.json must hold rows of this figure. Got a row without {error}."
        ) from error
    save_figure(draw_circle_panels(panels), path)
