"""Put a trained network among the shipped weights: for maintainers, before a release.

Command
    ``python -m abclust.zoo.shipping NAME FILE``, with ``--expects``, ``--trained-on``, ``--command`` and
    ``--licence`` for the texts of the catalogue.

The file goes to ``zoo/weights/NAME.safetensors`` and its line, with its sha256, into
``zoo/weights/catalogue.json``; weights of the same name are replaced. What is not given on the command line
is taken from ``metadata["card"]`` in the file's header, where the training wrote it. Nothing else of the file
is changed.
"""

import argparse
import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import replacing, write_text
from abclust.zoo.catalogue import CATALOGUE, WEIGHTS, Entry, catalogue

LARGEST_BYTES = 10_000_000
"""Shipped weights stay below: they are downloaded by everybody who installs the package."""
_CARD = ("expects", "trained_on", "command", "licence")
_logger = logging.getLogger(__name__)


def ship_network(
    name: str,
    file: str | Path,
    *,
    expects: str | None = None,
    trained_on: str | None = None,
    command: str | None = None,
    licence: str | None = None,
    weights: str | Path = WEIGHTS,
    largest_bytes: int = LARGEST_BYTES,
) -> Entry:
    """Copy a network file among the shipped weights and write its line of the catalogue.

    Parameters
    ----------
    name
        What ``abclust.load`` shall take: small letters, digits and hyphens.
    file
        A file written by ``network.save``.
    expects, trained_on, command, licence
        The line's texts; from ``metadata["card"]`` of the file unless given.
    weights
        The folder of shipped weights, with its ``catalogue.json``.
    largest_bytes
        The file must be smaller.

    Returns
    -------
    Entry
        The line that was written.

    Raises
    ------
    InvalidInputError
        If the name is not one, the file is too large, or a text is neither given nor in the file.
    FileFormatError
        If the file is not a network.
    """
    source, folder = Path(file), Path(weights)
    if not name or not set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"):
        raise InvalidInputError(f"name must be of small letters, digits and hyphens. Got {name!r}.")
    card = ContextKernelNetwork.from_file(source).metadata.get("card", {})
    content = source.read_bytes()
    if len(content) >= largest_bytes:
        raise InvalidInputError(f"file must be smaller than {largest_bytes:,} bytes. Got {len(content):,}.")
    texts = _texts(
        {"expects": expects, "trained_on": trained_on, "command": command, "licence": licence}, card
    )
    entry = Entry(name=name, sha256=hashlib.sha256(content).hexdigest(), **texts)
    entries = {**_read_entries(folder / CATALOGUE.name), name: entry}
    # The weights first: a catalogue never names a file that is not there.
    with replacing(folder / f"{name}.safetensors") as beside:
        beside.write_bytes(content)
    _write_entries(folder / CATALOGUE.name, entries)
    catalogue.cache_clear()
    _logger.info("shipped %s: %s bytes, sha256 %s", name, f"{len(content):,}", entry.sha256)
    return entry


def _texts(given: dict[str, str | None], card: dict[str, str]) -> dict[str, str]:
    texts = {name: given[name] or card[name] for name in _CARD if given[name] or card.get(name)}
    missing = [name for name in _CARD if name not in texts and name != "licence"]
    if missing:
        raise InvalidInputError(
            f"{', '.join(missing)} must be given, or stand in metadata['card'] of the file. Got neither."
        )
    return texts


def _read_entries(path: Path) -> dict[str, Entry]:
    if not path.is_file():
        return {}
    try:
        entries = [from_dict(Entry, line) for line in json.loads(path.read_text(encoding="utf-8"))]
    except (TypeError, ValueError) as error:
        raise FileFormatError(
            f"catalogue must be a JSON list of entries. Got {str(path)!r}: {error}."
        ) from error
    return {entry.name: entry for entry in entries}


def _write_entries(path: Path, entries: dict[str, Entry]) -> None:
    """One line an entry, in order of name, so that a change of one is a change of one line."""
    lines = [json.dumps(to_dict(entries[name]), ensure_ascii=False) for name in sorted(entries)]
    write_text(path, "[\n" + ",\n".join(lines) + "\n]\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.zoo.shipping", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("name", help="what abclust.load shall take")
    parser.add_argument("file", type=Path, help="network file")
    for option, text in (
        ("--expects", "what an item is"),
        ("--trained-on", "the data"),
        ("--command", "the one command that trains these weights"),
        ("--licence", "MIT unless given"),
    ):
        parser.add_argument(option, help=f"{text}; from the file unless given")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the shipped weights")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    ship_network(
        given.name,
        given.file,
        expects=given.expects,
        trained_on=given.trained_on,
        command=given.command,
        licence=given.licence,
        weights=given.weights,
    )


if __name__ == "__main__":
    main()
