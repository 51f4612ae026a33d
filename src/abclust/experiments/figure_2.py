"""The paper's Figure 2: how well points are assigned to their circles, by the number of points.

Command
    ``abclust reproduce figure-2``
Cost
    About 25 minutes on two cores (1,000 sets at each of eight sizes); ``--quick`` takes a minute (100 sets at
    four sizes). ``--train`` adds about an hour.
Expected
    Both networks with context (ABC) far above the pairwise ones and above out-of-the-box spectral clustering,
    at every size, and the pairwise ones below spectral clustering.

Four networks, trained on sets of 20 points, meet sets of up to 300. They find the number of circles
themselves, by the eigengap of their kernel as in the paper, and by log-odds besides (ours); spectral
clustering alone is told.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import SpectralClustering

from abclust.datasets.circle_sets import CircleBatch, circle_batch
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.circle_evaluation import Labels, Row, score_network, score_sets, timed
from abclust.experiments.circle_networks import obtain_networks
from abclust.experiments.registry import ReproduceOptions
from abclust.figures.circle_score_figures import ScoreCurve, draw_score_curves
from abclust.figures.style import save_figure
from abclust.foundations.errors import FileFormatError
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork

NAME = "figure-2"
SYSTEMS = {
    "circles-paper-mul": "ABC multiplicative",
    "circles-paper-add": "ABC additive",
    "circles-pairwise-mul": "pairwise multiplicative",
    "circles-pairwise-add": "pairwise additive",
}
"""The networks of the figure, and what the figure calls them."""
SPECTRAL_SYSTEM = "spectral clustering, k given"
METHODS = ("spectral", "log-odds")
N_CIRCLES = 4
TRAINED_POINTS = 20
SIZES, N_SETS = (20, 40, 60, 80, 100, 150, 200, 300), 1_000
QUICK_SIZES, QUICK_SETS = (20, 50, 100, 200), 100
_SETS_STREAM = 2  # a branch of the tree of random streams of its own: figure 1 draws other sets


def run(options: ReproduceOptions) -> list[Path]:
    """Score all systems at all sizes, write the rows, draw the figure. Gives the two files."""
    stored, picture = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        sizes, n_sets = (QUICK_SIZES, QUICK_SETS) if options.quick else (SIZES, N_SETS)
        rows = figure_rows(obtain_networks(list(SYSTEMS), options), sizes, n_sets, options.seed)
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, picture)
    return [stored, picture]


def figure_rows(
    networks: dict[str, ContextKernelNetwork], sizes: Sequence[int], n_sets: int, seed: int
) -> list[Row]:
    """One row for each size, system and method."""
    rows = []
    for size in sizes:
        batch = circle_batch(n_sets, size, N_CIRCLES, seed=stream(seed, _SETS_STREAM, size))
        protocol = f"{N_CIRCLES} circles, {size} points, no noise"
        for name, network in networks.items():
            found = score_network(network, batch, METHODS, system=SYSTEMS[name], protocol=protocol)
            rows += [{**row, "network": name} for row in found]
        labels, seconds = timed(partial(spectral_labels, batch, seed))
        row = score_sets(labels, batch, system=SPECTRAL_SYSTEM, protocol=protocol, k="known", seconds=seconds)
        rows.append({**row, "method": "spectral", "network": None})
    return rows


def spectral_labels(batch: CircleBatch, seed: int) -> list[Labels]:
    """scikit-learn's spectral clustering as it comes, told the true number of circles."""
    return [
        SpectralClustering(n_clusters=int(n_circles), random_state=seed).fit_predict(points).astype(np.int64)
        for points, n_circles in zip(batch.points, batch.n_circles, strict=True)
    ]


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the figure from rows alone."""
    order = [*SYSTEMS.values(), SPECTRAL_SYSTEM]
    try:
        curves = [
            _curve(
                [row for row in rows if row["system"] == system and row["method"] == method], system, method
            )
            for method in METHODS
            for system in order
            if any(row["system"] == system and row["method"] == method for row in rows)
        ]
    except (KeyError, TypeError) as error:
        raise FileFormatError(
            f"{NAME}.json must hold rows of this figure. Got a row without {error}."
        ) from error
    save_figure(draw_score_curves(curves, order, trained_points=TRAINED_POINTS), path)


def _curve(rows: Sequence[Row], system: str, method: str) -> ScoreCurve:
    ordered = sorted(rows, key=lambda row: row["n"])
    means = np.array([row["ari"] for row in ordered])
    # One set alone has no interval.
    bounds = [row["ari_interval"] or [row["ari"], row["ari"]] for row in ordered]
    return ScoreCurve(
        system=system,
        is_main=method == METHODS[0],
        n_points=np.array([row["n"] for row in ordered]),
        scores=means,
        low=np.array([low for low, _ in bounds]),
        high=np.array([high for _, high in bounds]),
    )
