"""A results file: the rows of one experiment, and what is needed to get them again."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from abclust.evaluation.provenance import current_commit, machine_description, package_versions
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.storage.atomic_file import write_text


@dataclass(frozen=True)
class Results:
    """What ``results/<name>.json`` holds."""

    command: str
    """The command that gives these rows."""
    seed: int
    rows: list[dict[str, Any]]
    commit: str = field(default_factory=current_commit)
    versions: dict[str, str] = field(default_factory=package_versions)
    machine: dict[str, Any] = field(default_factory=machine_description)


def write_results(path: str | Path, rows: Iterable[Mapping[str, Any]], *, command: str, seed: int) -> Results:
    """Write rows with their command, seed, commit, versions and machine to a JSON file, whole or not at all.

    Parameters
    ----------
    path
        Usually ``results/<name>.json``; its folder is made if it is not there.
    rows
        Dictionaries of plain values; numpy numbers and arrays become plain ones.
    command, seed
        What gives these rows again.

    Raises
    ------
    InvalidInputError
        If a row holds NaN, an infinity or something JSON has no word for.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table-2.json"
    >>> _ = write_results(path, [{"nmi": 0.874}], command="abclust reproduce table-2", seed=0)
    >>> read_results(path).rows
    [{'nmi': 0.874}]
    """
    results = Results(command=command, seed=seed, rows=[dict(row) for row in rows])
    try:
        text = json.dumps(to_dict(results), indent=1, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"rows must hold finite, plain values. Got something else: {error}."
        ) from error
    write_text(path, text + "\n")
    return results


def read_results(path: str | Path) -> Results:
    """Read a file written by :func:`write_results`.

    Raises
    ------
    DataNotFoundError
        If there is no such file.
    FileFormatError
        If it is not one of ours.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataNotFoundError(f"results file must exist. Got {str(path)!r}.") from error
    except ValueError as error:
        raise FileFormatError(f"results file must hold JSON. Got {str(path)!r}: {error}.") from error
    names = sorted(Results.__dataclass_fields__)
    if not isinstance(content, dict) or sorted(content) != names:
        raise FileFormatError(f"results file must hold exactly {', '.join(names)}. Got {str(path)!r}.")
    return Results(**content)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in JSON")
