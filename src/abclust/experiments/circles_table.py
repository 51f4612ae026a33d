"""Beyond the paper: one network for 1 to 8 circles, 20 to 1,000 points and noise, beside the oracle.

Command
    ``abclust reproduce circles``
Cost
    About 25 minutes on two cores; ``--quick`` takes two minutes. ``--train`` adds an hour.
Expected
    Four clean circles, number unknown: adjusted Rand score of at least .70 at 20 points, .87 at 40 and .94 at
    100. The oracle, which knows the circles and gives each point to the nearest, scores 1.0 without noise
    and, on four circles, about .92, .86 and .74 with noise of .005, .01 and .02.

Writes ``circles.json``, the table ``circles.md`` and the heat map ``circles.png``. On four clean circles the
weights ``circles-4``, which know that there are four, have rows beside the general network. Networks of
other seeds that lie as ``networks/circles-seed-*.safetensors`` in the output folder get rows of their own,
which show the spread.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from abclust.clustering.default_method import PLAIN_METHOD
from abclust.datasets.circle_sets import CircleBatch, circle_batch
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.circle_evaluation import Row, score_network, score_sets
from abclust.experiments.circle_networks import obtain_networks
from abclust.experiments.circles_markdown import circles_markdown
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file
from abclust.figures.circle_score_figures import draw_score_maps
from abclust.figures.style import save_figure
from abclust.foundations.errors import FileFormatError
from abclust.foundations.random_state import stream
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import write_text
from abclust.zoo.loading import load

NAME = NETWORK = "circles"
FOUR = "circles-4"
"""The weights for four clean circles alone: the general network misses the floor at 20 points."""
ORACLE = "oracle"
METHOD = PLAIN_METHOD
FLOORS = {20: 0.70, 40: 0.87, 100: 0.94}
"""What the network must score on four clean circles, the number unknown, by the number of points."""
_GRID_STREAM, _FLOOR_STREAM = 3, 4


@dataclass(frozen=True)
class Grid:
    """The cells of the table, and how many sets each of them has."""

    n_circles: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    n_points: tuple[int, ...] = (20, 40, 100, 200, 400, 1_000)
    noises: tuple[float, ...] = (0.0, 0.005, 0.01, 0.02)
    points_per_cell: int = 10_000
    """A cell has this many // n sets of n points, within `fewest_sets` and `most_sets`."""
    fewest_sets: int = 10
    most_sets: int = 200
    floor_sets: int = 1_000
    """Sets of each row of floors."""

    def n_sets(self, n_points: int) -> int:
        """Sets in a cell of sets of `n_points`: large sets cost more and vary less."""
        return min(max(self.points_per_cell // n_points, self.fewest_sets), self.most_sets)


FULL = Grid()
QUICK = Grid((1, 2, 4, 8), (20, 100, 300), (0.0, 0.01), 1_000, fewest_sets=4, most_sets=30, floor_sets=100)


def run(options: ReproduceOptions) -> list[Path]:
    """Score the network and the oracle, write the rows, the table and the heat map. Gives the three files."""
    stored, table, picture = (options.output / f"{NAME}.{ending}" for ending in ("json", "md", "png"))
    if not options.render:
        network = obtain_networks([NETWORK], options)[NETWORK]
        grid = QUICK if options.quick else FULL
        candidates = {NETWORK: network, FOUR: load(FOUR), **other_seeds(options)}
        rows = [
            row
            for system, each in candidates.items()
            for row in floor_rows(each, grid.floor_sets, options.seed, system)
        ]
        rows += grid_rows(network, grid, options.seed)
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, table, picture)
    return [stored, table, picture]


def floor_rows(network: ContextKernelNetwork, n_sets: int, seed: int, system: str = NETWORK) -> list[Row]:
    """Four clean circles at the sizes of :data:`FLOORS`: three methods, raw and, if it can be, calibrated."""
    rows = []
    calibration = _calibration(network)
    for size, floor in FLOORS.items():
        batch = circle_batch(n_sets, size, seed=stream(seed, _FLOOR_STREAM, size))
        score = partial(
            score_network,
            network,
            batch,
            (METHOD, "log-odds", "spectral"),
            system=system,
            protocol=_protocol(4, size, 0.0),
        )
        found = score() if calibration is None else [*score(), *score(calibration=calibration)]
        rows += [
            {**row, **_cell(4, 0.0), "floor": floor if row["method"] == METHOD else None} for row in found
        ]
    return rows


def other_seeds(options: ReproduceOptions) -> dict[str, ContextKernelNetwork]:
    """Networks of the same recipe from other seeds, if any were trained into the output folder."""
    files = sorted(network_file(NETWORK, options).parent.glob(f"{NETWORK}-seed-*.safetensors"))
    networks = [load(file) for file in files if file != network_file(NETWORK, options)]
    return {_seed_system(network): network for network in networks}


def grid_rows(network: ContextKernelNetwork, grid: Grid, seed: int) -> list[Row]:
    """The network's row and the oracle's for each cell of the grid."""
    rows = []
    for n_circles, n_points, noise in product(grid.n_circles, grid.n_points, grid.noises):
        cell_stream = stream(seed, _GRID_STREAM, n_circles, n_points, round(noise * 1e6))
        batch = circle_batch(grid.n_sets(n_points), n_points, n_circles, noise, seed=cell_stream)
        protocol = _protocol(n_circles, n_points, noise)
        found = score_network(
            network, batch, (METHOD,), system=NETWORK, protocol=protocol, calibration=_calibration(network)
        )
        rows += [{**row, **_cell(n_circles, noise)} for row in (*found, _oracle_row(batch, protocol))]
    return rows


def draw(rows: Sequence[Row], table: Path, picture: Path) -> None:
    """Render the table and the heat map from rows alone."""
    floors = [row for row in rows if "floor" in row]
    cells = [row for row in rows if "floor" not in row]
    try:
        axes = [sorted({row[name] for row in cells}) for name in ("noise", "n_circles", "n")]
        scores = {system: _score_array(cells, system, axes) for system in (NETWORK, ORACLE)}
        text = circles_markdown(floors, scores[NETWORK], scores[ORACLE], *axes)
    except KeyError as error:
        raise FileFormatError(f"{NAME}.json must hold a row for every cell. Got none for {error}.") from error
    write_text(table, text)
    maps = {f"{NETWORK}, k unknown": scores[NETWORK], "oracle: nearest true circle": scores[ORACLE]}
    save_figure(draw_score_maps(maps, *axes), picture)


def _score_array(rows: Sequence[Row], system: str, axes: list[list[Any]]) -> np.ndarray:
    """Adjusted Rand scores of a system by (noise, circles, points)."""
    by_cell: dict[tuple[Any, ...], float] = {
        (row["noise"], row["n_circles"], row["n"]): row["ari"] for row in rows if row["system"] == system
    }
    return np.array([by_cell[cell] for cell in product(*axes)]).reshape([len(axis) for axis in axes])


def _seed_system(network: ContextKernelNetwork) -> str:
    metadata = network.metadata
    return f"{NETWORK}, seed {metadata['seed']}, {metadata['steps']:,} steps"


def _oracle_row(batch: CircleBatch, protocol: str) -> Row:
    row = score_sets(
        list(batch.nearest_circle()), batch, system=ORACLE, protocol=protocol, k="known", seconds=0.0
    )
    return {**row, "method": "nearest circle"}


def _calibration(network: ContextKernelNetwork) -> CalibrationTable | None:
    """The calibration in the network's header, which :class:`abclust.AttentionClustering` uses too."""
    stored = network.metadata.get("calibration")
    return CalibrationTable.from_dict(stored) if stored else None


def _cell(n_circles: int, noise: float) -> Row:
    return {"n_circles": n_circles, "noise": noise}


def _protocol(n_circles: int, n_points: int, noise: float) -> str:
    plural = "circle" if n_circles == 1 else "circles"
    return f"{n_circles} {plural}, {n_points} points, noise {noise:g}"
