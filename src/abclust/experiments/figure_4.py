"""The paper's Figure 4: the three tasks over the course of training, from the snapshots of a finished run.

Command
    ``abclust reproduce figure-4``
Cost
    About ten minutes on two cores, 50 sets of each alphabet and task at each of twelve snapshots; ``--quick``
    takes two minutes. ``--train`` adds an hour and a half.
Expected
    As the network improves, the number of clusters is found better, and the curve with k unknown comes up to
    the curve with k known (paper Sec. 5.2).

The run is the one in ``<output>/networks/omniglot-paper-mul.safetensors.run/``. Its snapshots are scored now,
when nothing is left to choose: on the evaluation alphabets and, beside them, on the five held-out ones, as in
the paper by eigengap and spectral clustering of raw kernels, and with k unknown by log-odds besides (ours).
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from abclust.datasets.grouped_images import GroupedImages
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.omniglot_networks import framing_of, obtain_networks
from abclust.experiments.omniglot_protocol import PAPER_APPROACH, UNKNOWN, Approach
from abclust.experiments.omniglot_recipes import omniglot_recipe
from abclust.experiments.omniglot_rows import ProtocolConfig, Row, mean_rows, score_network
from abclust.experiments.omniglot_snapshots import snapshot_files
from abclust.experiments.omniglot_split import background_images, check_no_evaluation_alphabet
from abclust.experiments.omniglot_tables import evaluation_images
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import network_file
from abclust.figures.omniglot_figures import CourseCurve, draw_course
from abclust.figures.style import save_figure
from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.model.context_kernel_network import ContextKernelNetwork

NAME = "figure-4"
NETWORK = "omniglot-paper-mul"
LOG_ODDS = Approach("log-odds", calibrated=False)
N_INSTANCES, QUICK_INSTANCES = 50, 4
EVALUATION, HELD_OUT, SEEN = "evaluation alphabets", "held-out alphabets", "alphabets seen in training"
_logger = logging.getLogger(__name__)


def run(options: ReproduceOptions) -> list[Path]:
    """Score the snapshots, write the rows, draw the figure. Gives the two files."""
    stored, picture = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        if options.train:
            obtain_networks([NETWORK], options)
        file = network_file(NETWORK, options)
        snapshots = find_snapshots(file.with_name(f"{file.name}.run"), file)
        rows = [row for path in snapshots for row in snapshot_rows(path, options)]
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, picture)
    return [stored, picture]


def find_snapshots(folder: Path, network: Path) -> list[Path]:
    """The snapshots of a finished run.

    Raises
    ------
    DataNotFoundError
        If there are none, or the network file that a finished run leaves is missing; the message names the
        command that trains it.
    """
    found = snapshot_files(folder)
    if not found or not network.is_file():
        command = omniglot_recipe(NETWORK).command.replace(f"{NETWORK}.safetensors", str(network))
        raise DataNotFoundError(
            f"the run must be finished and have left snapshots in {str(folder)!r}. Got {len(found)} of them "
            f"and {'a' if network.is_file() else 'no'} network file. Train it first: {command}"
        )
    return found


def snapshot_rows(path: Path, options: ReproduceOptions) -> list[Row]:
    """One row for each split, task and method of one snapshot."""
    _logger.info("scoring %s", path.name)
    network = ContextKernelNetwork.from_file(path)
    groups = network.metadata["groups"]
    check_no_evaluation_alphabet(groups)
    held_out = background_images("held-out", data=options.data, **framing_of(network))
    is_seen = bool(set(groups) & set(held_out.group_names))
    splits = {
        EVALUATION: evaluation_images(options, network),
        SEEN if is_seen else HELD_OUT: held_out,
    }
    n_instances = QUICK_INSTANCES if options.quick else N_INSTANCES
    return [
        row
        for split, data in splits.items()
        for row in course_rows(network, data, split, n_instances, options.seed)
    ]


def course_rows(
    network: ContextKernelNetwork,
    data: GroupedImages,
    split: str,
    n_instances: int,
    seed: int,
    workers: int | None = None,
) -> list[Row]:
    """The tasks of one snapshot on one split."""
    approaches = (PAPER_APPROACH, LOG_ODDS)
    config = ProtocolConfig(n_instances, whole=False, approaches=approaches, workers=workers)
    rows = mean_rows(score_network(network, data, seed, config), NETWORK, NETWORK)
    course = {name: network.metadata[name] for name in ("step", "total_steps", "image_passes")}
    return [
        {**row, **course, "alphabets": split}
        for row in rows
        if row["method"] == PAPER_APPROACH.method or row["task"] == UNKNOWN
    ]


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the figure from rows alone."""
    curves: dict[tuple[str, str], list[tuple[float, float]]] = {}
    try:
        for row in rows:
            ours = ", log-odds" if row["method"] != PAPER_APPROACH.method else ""
            key = (row["task"] + ours, row["alphabets"])
            curves.setdefault(key, []).append((float(row["image_passes"]), float(row["nmi"])))
    except KeyError as error:
        raise FileFormatError(
            f"{NAME}.json must hold rows of snapshots. Got a row without {error}."
        ) from error
    save_figure(draw_course([_curve(*key, points) for key, points in curves.items()]), path)


def _curve(task: str, alphabets: str, points: list[tuple[float, float]]) -> CourseCurve:
    ordered: Any = np.array(sorted(points), dtype=float)
    return CourseCurve(task, alphabets, ordered[:, 0], ordered[:, 1])
