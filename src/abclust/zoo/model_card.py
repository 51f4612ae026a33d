"""A model card: everything that is known about weights, from the catalogue and their header."""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from abclust.foundations.errors import DataNotFoundError
from abclust.kernel.calibration_table import CalibrationTable
from abclust.storage.tensor_file import read_header
from abclust.zoo.card_texts import card_text
from abclust.zoo.catalogue import catalogue, find_weights, shipped_names

NOT_STATED = "not stated"
# How scores are named in a header: a measure, then what it was measured under.
_MEASURES = {"nmi": "NMI", "ami": "AMI", "ari": "ARI", "accuracy": "accuracy"}


@dataclass(frozen=True)
class ModelCard:
    """What one should know before using weights."""

    name: str
    """A shipped name, or the path of a file."""
    expects: str
    """What an item is."""
    intended_use: str
    limits: str
    trained_on: str
    groups: list[str]
    """What the sets were drawn from (alphabets); ``abclust evaluate`` refuses these."""
    command: str
    """What trains these weights again."""
    cost: str
    """What that takes on a machine with nothing else to do; empty where nobody said."""
    steps: int | None
    seconds: float | None
    """Time that the training took, on the machine that did it."""
    seed: int | None
    commit: str
    versions: dict[str, str]
    scores: dict[str, float]
    scored_on: str
    """Where the scores come from."""
    calibrated_for: dict[str, list[int]]
    """Set sizes that the calibration of each method was fitted at; empty where kernels stay raw."""
    network: dict[str, Any]
    """The configuration."""
    licence: str
    n_bytes: int
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def model_card(path_or_name: str | Path) -> ModelCard:
    """The card of shipped weights, or of a network file of one's own. Reads the header, no tensor.

    Raises
    ------
    DataNotFoundError
        If there is neither such a name nor such a file; the message lists the names.
    FileFormatError
        If the file is damaged or no network.

    Examples
    --------
    >>> card = model_card("circles")
    >>> card.expects, card.licence
    ('points of the plane, two coordinates of about -1 to 1', 'MIT')
    """
    name = str(path_or_name)
    path = find_weights(name) or Path(path_or_name)
    if not path.is_file():
        raise DataNotFoundError(
            f"name must be one of {', '.join(shipped_names())}, or the path of a network file. Got {name!r}."
        )
    header = read_header(path)
    metadata, entry = header.get("metadata", {}), catalogue().get(name)
    told = {**metadata.get("card", {}), **(asdict(entry) if entry else {})}
    texts = card_text(name, told)
    return ModelCard(
        name=name,
        expects=told.get("expects") or _item(header.get("config", {})),
        intended_use=texts.intended_use,
        limits=texts.limits,
        trained_on=told.get("trained_on") or _sets(metadata),
        groups=list(metadata.get("groups", [])),
        command=told.get("command", NOT_STATED),
        cost=told.get("cost", ""),
        steps=metadata.get("steps"),
        seconds=metadata.get("seconds"),
        seed=metadata.get("seed"),
        commit=metadata.get("commit", NOT_STATED),
        versions=dict(metadata.get("versions", {})),
        scores=dict(metadata.get("scores", {})),
        scored_on=metadata.get(
            "scored_on", "validation sets of the training run, by which its weights were chosen"
        ),
        calibrated_for=_calibrated_sizes(metadata.get("calibration", {})),
        network=dict(header.get("config", {})),
        licence=entry.licence if entry else told.get("licence", NOT_STATED),
        n_bytes=path.stat().st_size,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def shipped_cards() -> list[ModelCard]:
    """The cards of all shipped weights, in order of name."""
    return [model_card(name) for name in shipped_names()]


def score_words(name: str) -> str:
    """The name of a score in a header, in words.

    Examples
    --------
    >>> score_words("nmi_spectral_k_unknown"), score_words("ari_100")
    ('NMI, spectral, k unknown', 'ARI, sets of 100')
    """
    parts = name.removeprefix("seen_").replace("_k_", "_k ").split("_")
    words = [_MEASURES.get(parts[0], parts[0])]
    words += [f"sets of {part}" if part.isdigit() else part for part in parts[1:]]
    if name.startswith("seen_"):
        words.append("on groups seen in training")
    return ", ".join(words)


def _item(config: dict[str, Any]) -> str:
    size = config.get("image_size")
    return f"images of {size} x {size}" if size else f"vectors of {config.get('n_features')} numbers"


def _sets(metadata: dict[str, Any]) -> str:
    n_sets = metadata.get("n_sets")
    return NOT_STATED if n_sets is None else f"{n_sets:,} sets of the user's own"


def _calibrated_sizes(table: dict[str, Any]) -> dict[str, list[int]]:
    found = CalibrationTable.from_dict(table).points
    return {method: [round(point.n_items) for point in points] for method, points in sorted(found.items())}
