"""Run a clusterer over many labelled sets and give the rows of a results file."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abclust.evaluation.intervals import interval
from abclust.evaluation.labelled_inputs import LabelledInput, as_labelled_inputs
from abclust.evaluation.scores import SCORE_NAMES, Scores, mean_scores, score_partition
from abclust.evaluation.trivial_baselines import trivial_partitions
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator

# (values, n_clusters) -> labels, or with a batch size (list of values, list of n_clusters or None) -> list
# of labels.
Clusterer = Callable[..., Any]


@dataclass(frozen=True)
class Evaluation:
    """The scores of one system on many sets."""

    system: str
    """Who clustered."""
    protocol: str
    """Which sets, in a few words."""
    k: str
    """``"known"`` or ``"unknown"``: whether the true number of clusters was handed over."""
    scores: tuple[Scores, ...]
    """One entry a set."""
    groups: tuple[str, ...]
    """The group of each set, in the same order."""
    seconds_per_set: float
    """Time spent in the clusterer alone."""
    calibrated: bool = False
    """Whether the kernels were calibrated: a table that uses calibration says so."""

    def row(self, *, over_groups: bool = False, per_set: bool = False) -> dict[str, Any]:
        """Means, intervals and counts as one row of a results file.

        Parameters
        ----------
        over_groups
            Intervals for the mean on other groups (alphabets) rather than on other sets of the same groups.
        per_set
            Add the scores of every set under ``"per_set"``.

        Returns
        -------
        dict
            ``interval`` is that of `nmi`; ``intervals`` holds those of all scores. JSON-ready.
        """
        groups = self.groups if over_groups else None
        values = {name: [getattr(entry, name) for entry in self.scores] for name in SCORE_NAMES}
        intervals = {name: interval(values[name], groups=groups).bounds() for name in SCORE_NAMES}
        row = {
            "system": self.system,
            "protocol": self.protocol,
            "k": self.k,
            "n_sets": len(self.scores),
            **mean_scores(self.scores).as_dict(),
            "seconds_per_set": self.seconds_per_set,
            "calibrated": self.calibrated,
            "interval": intervals["nmi"],
            "intervals": intervals,
        }
        if per_set:
            row["per_set"] = {name: np.round(column, 5).tolist() for name, column in values.items()}
        return row

    def rows_by_group(self) -> list[dict[str, Any]]:
        """One row for each group in order of name, with the field ``"group"`` added."""
        rows = []
        for group in sorted(set(self.groups)):
            scores = tuple(entry for entry, home in zip(self.scores, self.groups) if home == group)
            part = Evaluation(
                self.system,
                self.protocol,
                self.k,
                scores,
                (group,) * len(scores),
                self.seconds_per_set,
                self.calibrated,
            )
            rows.append({**part.row(), "group": group})
        return rows


def evaluate(
    clusterer: Clusterer,
    sets: Iterable[Any],
    *,
    system: str,
    protocol: str = "",
    n_clusters_known: bool = False,
    batch_size: int | None = None,
    calibrated: bool = False,
) -> Evaluation:
    """Cluster every set and score it against its labels.

    Parameters
    ----------
    clusterer
        Called as ``clusterer(values, n_clusters)`` with one set's items or kernel, `n_clusters` being the
        true number or None. With a `batch_size` it gets a list of values and a list of numbers (or None)
        and gives a list.
    sets
        Labelled sets, or (kernel, labels) pairs.
    system, protocol
        Names for the row.
    n_clusters_known
        Hand over the true number of clusters.
    batch_size
        How many sets to hand over at once; None hands them over one by one.
    calibrated
        Whether the kernels were calibrated; recorded, not acted upon.

    Raises
    ------
    InvalidInputError
        If there are no sets, or if the clusterer's labels do not fit them.

    Examples
    --------
    >>> cut = lambda kernel, n_clusters: (kernel[0] < 0.5).astype(int)
    >>> sets = [(np.kron(np.eye(2), np.ones((3, 3))), [0, 0, 0, 1, 1, 1])]
    >>> evaluate(cut, sets, system="first row").row()["ari"]
    1.0
    """
    inputs = as_labelled_inputs(sets)
    started = time.perf_counter()
    predicted = run_clusterer(clusterer, inputs, n_clusters_known=n_clusters_known, batch_size=batch_size)
    seconds = time.perf_counter() - started
    return Evaluation(
        system=system,
        protocol=protocol,
        k="known" if n_clusters_known else "unknown",
        scores=tuple(score_partition(entry.labels, labels) for entry, labels in zip(inputs, predicted)),
        groups=tuple(entry.group for entry in inputs),
        seconds_per_set=seconds / len(inputs),
        calibrated=calibrated,
    )


def run_clusterer(
    clusterer: Clusterer,
    inputs: Sequence[LabelledInput],
    *,
    n_clusters_known: bool = False,
    batch_size: int | None = None,
) -> list[np.ndarray]:
    """The labels a clusterer gives to each input; see :func:`evaluate` for how it is called."""
    if batch_size is not None and batch_size < 1:
        raise InvalidInputError(f"batch_size must be at least 1, or None. Got {batch_size}.")
    if batch_size is None:
        return [
            np.asarray(clusterer(entry.values, entry.n_clusters if n_clusters_known else None))
            for entry in inputs
        ]
    predicted: list[np.ndarray] = []
    for start in range(0, len(inputs), batch_size):
        batch = inputs[start : start + batch_size]
        n_clusters = [entry.n_clusters for entry in batch] if n_clusters_known else None
        labels = list(clusterer([entry.values for entry in batch], n_clusters))
        if len(labels) != len(batch):
            raise InvalidInputError(
                f"clusterer must give labels for every set. Got {len(labels)} for {len(batch)}."
            )
        predicted.extend(map(np.asarray, labels))
    return predicted


def trivial_rows(sets: Iterable[Any], *, protocol: str = "", seed: Seed = 0) -> list[dict[str, Any]]:
    """The rows of the trivial partitions on these sets, to stand beside every table.

    Examples
    --------
    >>> [row["system"] for row in trivial_rows([(np.eye(3), [0, 1, 1])])]
    ['all singletons', 'one cluster', 'random, true k']
    """
    inputs = as_labelled_inputs(sets)
    generator = as_generator(seed)
    partitions = [trivial_partitions(entry.labels, generator) for entry in inputs]
    groups = tuple(entry.group for entry in inputs)
    rows = []
    for name in partitions[0]:
        scores = tuple(score_partition(entry.labels, found[name]) for entry, found in zip(inputs, partitions))
        k = "known" if name.endswith("true k") else "unknown"
        rows.append(Evaluation(name, protocol, k, scores, groups, 0.0).row())
    return rows
