"""The paper's Figure 1: what four methods make of one set of points on overlapping circles.

Command
    ``abclust reproduce figure-1``
Cost
    Seconds; ``--train`` adds an hour, shared with figure 2. ``--quick`` draws the same.
Expected
    (A) ABC additive and (B) ABC multiplicative follow the circles; (C) the pairwise network and (D) spectral
    clustering cut the plane into regions instead. Only D is told the number of circles.

The set is the typical one of 101 that the seed draws: the one on which the scores of the three networks are
nearest to their medians.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from jaxtyping import Float
from sklearn.metrics import adjusted_rand_score

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
N_CANDIDATES = 101
"""Sets drawn; the figure shows the most typical of them."""
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
    candidates = circle_batch(N_CANDIDATES, N_POINTS, N_CIRCLES, seed=stream(seed, _SETS_STREAM))
    batch = typical_set(candidates, [networks[name] for name in PANELS.values()])
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


def typical_set(candidates: CircleBatch, networks: Sequence[ContextKernelNetwork]) -> CircleBatch:
    """The one of `candidates` on which the scores of `networks` are nearest to their medians."""
    scores = np.array([_scores(_kernel_partition(network, candidates), candidates) for network in networks])
    away = np.abs(scores - np.median(scores, axis=1, keepdims=True)).sum(axis=0)
    one = slice(int(away.argmin()), int(away.argmin()) + 1)
    return CircleBatch(
        candidates.points[one], candidates.labels[one], candidates.centres[one], candidates.radii[one]
    )


def _scores(labels: Sequence[Labels], batch: CircleBatch) -> Float[np.ndarray, " B"]:
    return np.array(
        [adjusted_rand_score(true, found) for true, found in zip(batch.labels, labels, strict=True)]
    )


def _kernel_partition(network: ContextKernelNetwork, batch: CircleBatch) -> list[Labels]:
    return list(cluster_kernel(batch_kernels(network, batch.points), method=METHODS[0]))


def _partition(network: ContextKernelNetwork | None, batch: CircleBatch, seed: int) -> list[Labels]:
    """By the network's kernel, or, without a network, by spectral clustering of the points themselves."""
    if network is None:
        return spectral_labels(batch, seed)
    return _kernel_partition(network, batch)


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
