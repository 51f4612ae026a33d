"""Scores are kept as soon as they are there, a file a system and pool, so that a killed run goes on."""

import hashlib
import json
import re
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abclust.baselines.staged_system import StagedSystem
from abclust.evaluation.scores import SCORE_NAMES, Scores
from abclust.storage.atomic_file import write_text

_DIGITS = 6


@dataclass(frozen=True)
class Scored:
    """One system on one task over the sets of one pool."""

    system: str
    domain: str
    protocol: str
    pool: str
    task: str
    scores: tuple[Scores, ...]
    """One entry a set."""
    seconds_per_set: float
    """One core's time for a set that comes alone: encoding, describing, labelling."""
    image_passes: int
    """Images that learning encoded."""


class ScoreStore:
    """A folder of scores.

    Parameters
    ----------
    folder
        Made when the first scores are kept.

    Examples
    --------
    >>> import tempfile
    >>> store = ScoreStore(Path(tempfile.mkdtemp()))
    >>> store.read("k-means", "omniglot", "Greek", "as today") is None
    True
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, system: str, domain: str, pool: str, identity: str) -> list[Scored] | None:
        """What was kept, or None where nothing was, or other weights, settings or sets were scored."""
        path = self._path(system, domain, pool)
        if not path.is_file():
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["identity"] != identity:
            return None
        return [_from_json(part) for part in content["scored"]]

    def write(self, identity: str, scored: list[Scored]) -> list[Scored]:
        """Keep the scores of one system on all tasks of one pool, whole or not at all.

        Gives them back as they will be read, to six digits: a run in parts ends as a run in one.
        """
        first = scored[0]
        content = {"identity": identity, "scored": [_to_json(part) for part in scored]}
        write_text(self._path(first.system, first.domain, first.pool), json.dumps(content))
        return [_from_json(part) for part in content["scored"]]

    def _path(self, system: str, domain: str, pool: str) -> Path:
        return self.folder / domain / system / f"{re.sub('[^A-Za-z0-9_-]', '_', pool)}.json"


def identity(system: StagedSystem, **conditions: Any) -> str:
    """A sha256 of what decides a system's scores: its settings, its weights and their header, its judgement.

    Parameters
    ----------
    system
        After learning.
    conditions
        JSON-ready values: numbers of instances, seeds, a fingerprint of the items.
    """
    plain = (str, int, float, type(None))
    settings = {
        name: repr(value)
        for name, value in sorted(vars(system).items())
        if not name.startswith("_") and (isinstance(value, plain) or is_dataclass(value))
    }
    digest = hashlib.sha256(json.dumps([system.card.name, settings, conditions], sort_keys=True).encode())
    for module in system.learned_modules():
        for name, tensor in sorted(module.state_dict().items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(tensor.cpu().numpy()).tobytes())
        # The header says how the weights are used: other calibrations or looks are other scores.
        digest.update(json.dumps(getattr(module, "metadata", {}), sort_keys=True).encode())
    return digest.hexdigest()


def _to_json(scored: Scored) -> dict[str, Any]:
    columns = {name: [round(getattr(each, name), _DIGITS) for each in scored.scores] for name in SCORE_NAMES}
    return {**{field.name: getattr(scored, field.name) for field in fields(scored)}, "scores": columns}


def _from_json(content: dict[str, Any]) -> Scored:
    columns = [content["scores"][name] for name in SCORE_NAMES]
    return Scored(**{**content, "scores": tuple(Scores(*row) for row in zip(*columns))})
