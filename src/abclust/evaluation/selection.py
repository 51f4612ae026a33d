"""Choose among candidates by their mean adjusted mutual information."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from abclust.evaluation.intervals import Interval, interval
from abclust.evaluation.labelled_inputs import as_labelled_inputs
from abclust.evaluation.protocol import Clusterer
from abclust.evaluation.scores import ami
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class CandidateRecord:
    """How one candidate did."""

    name: str
    ami: Interval
    """Its mean AMI over the sets."""
    behind: Interval
    """The winner's AMI minus its own, set by set: an interval that holds 0 is no proof that it is worse."""


@dataclass(frozen=True)
class Selection:
    """The winner, and everything that was weighed."""

    winner: str
    candidates: tuple[CandidateRecord, ...]
    """In the order given."""

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready values."""
        return {
            "winner": self.winner,
            "candidates": [
                {
                    "name": record.name,
                    "ami": record.ami.mean,
                    "interval": record.ami.bounds(),
                    "n_sets": record.ami.count,
                    "behind": record.behind.mean,
                    "behind_interval": record.behind.bounds(),
                }
                for record in self.candidates
            ],
        }


def select(candidates: Mapping[str, Clusterer], sets: Iterable[Any]) -> Selection:
    """Pick the candidate with the highest mean AMI over labelled sets.

    AMI, because it is adjusted for chance: NMI would favour whoever makes more clusters. Of equals the
    first wins. Hand in validation sets: evaluation data never chooses.

    Parameters
    ----------
    candidates
        Name to callable; each takes one set's items or kernel and gives its labels.
    sets
        Labelled sets, or (kernel, labels) pairs.

    Raises
    ------
    InvalidInputError
        If there is no candidate or no set, or if labels do not fit their set.

    Examples
    --------
    >>> blocks = np.kron(np.eye(2), np.ones((2, 2)))
    >>> candidates = {"one": lambda kernel: [0] * len(kernel), "first row": lambda kernel: kernel[0] < 0.5}
    >>> select(candidates, [(blocks, [0, 0, 1, 1])]).winner
    'first row'
    """
    if not candidates:
        raise InvalidInputError("candidates must hold at least one clusterer. Got none.")
    inputs = as_labelled_inputs(sets)
    scores = {
        name: np.array([ami(entry.labels, candidate(entry.values)) for entry in inputs])
        for name, candidate in candidates.items()
    }
    winner = max(scores, key=lambda name: scores[name].mean())
    records = tuple(
        CandidateRecord(name, interval(found), interval(scores[winner] - found))
        for name, found in scores.items()
    )
    return Selection(winner, records)
