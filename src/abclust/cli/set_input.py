"""INPUT as a command line names it: a folder, a file or standard input, read as the network wants it."""

import os
import select
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from abclust.datasets.set_reading import read_sets
from abclust.datasets.set_source import MEMORY_BYTES, AnySet, SetSource, SkippedFile
from abclust.estimator.item_kinds import Kind, kind_of
from abclust.estimator.item_preparation import allows_nan, expectation, read_items
from abclust.estimator.network_source import WeightsReference, resolve_network
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork

STANDARD_INPUT = "-"
BLOCK_BYTES = 2**16
SIGNAL_SECONDS = 0.5
"""How long a signal may go unnoticed while nothing arrives."""


@dataclass(frozen=True)
class InputOptions:
    """How to read what INPUT names."""

    set_column: str | None = None
    label_column: str | None = None
    ignore_columns: tuple[str, ...] = ()
    layout: str = "sets"
    """What one level of folders means: ``"sets"`` or ``"classes"``."""
    strict: bool = False
    """An unreadable image is an error."""
    memory_bytes: int = MEMORY_BYTES
    """A larger table is read as a stream, one set in memory at a time."""


@dataclass(frozen=True, eq=False)
class SetInput:
    """Sets to be read one after the other, and the network that is to see them."""

    sets: Iterator[AnySet]
    network: ContextKernelNetwork
    weights: WeightsReference
    is_framed: bool
    """Whether images are brought into the network's frame as they are read."""
    names_sets: bool
    """Whether the input is many sets, by name, rather than one."""
    folder: Path | None
    source: SetSource

    @property
    def skipped(self) -> list[SkippedFile]:
        """What could not be read so far."""
        return self.source.skipped

    def files(self, each: AnySet) -> list[Path] | None:
        """The files that the items of a set were read from; None for tables."""
        if self.folder is None:
            return None
        is_nested = not (self.folder / each.item_names[0]).is_file()
        folder = self.folder / each.name if is_nested else self.folder
        return [folder / name for name in each.item_names]


@contextmanager
def opened_input(
    name: str, model: str, options: InputOptions, image_read: Callable[[], None]
) -> Iterator[SetInput]:
    """Open INPUT for a model.

    Parameters
    ----------
    name
        A folder of images, a table file, or ``-`` for a CSV table on standard input, which is spooled to a
        temporary file.
    model
        A shipped name, a path, or ``"auto"``.
    options
        How to read.
    image_read
        Called after each image.

    Raises
    ------
    InvalidInputError
        If there is no such input or model, or they do not fit each other.
    """
    with TemporaryDirectory(prefix="abclust-") as scratch:
        path = _spooled(Path(scratch, "stdin.csv")) if name == STANDARD_INPUT else Path(name)
        yield _images(path, model, options, image_read) if path.is_dir() else _table(path, model, options)


def _images(path: Path, model: str, options: InputOptions, image_read: Callable[[], None]) -> SetInput:
    network, weights = resolve_network(model, "images")
    if network.config.image_size is None:
        raise InvalidInputError(
            f"model must be one for images. Got {model!r}, which expects {expectation(network)}. "
            "Take weights made for images, such as 'omniglot'."
        )
    source = read_sets(
        path,
        set_column=options.set_column,
        label_column=options.label_column,
        ignore_columns=options.ignore_columns,
        layout=options.layout,
        strict=options.strict,
        prepare=partial(_framed, network, image_read),
    )
    sets, first = _begun(source)
    names_sets = len(first) > 1 or first[0].name != path.resolve().name
    return SetInput(sets, network, _known(weights), True, names_sets, path, source)


def _table(path: Path, model: str, options: InputOptions) -> SetInput:
    network, weights = resolve_network(model, _kind(path))
    source = read_sets(
        path,
        set_column=options.set_column,
        label_column=options.label_column,
        ignore_columns=options.ignore_columns,
        skip_bad_sets=True,
        allow_missing=allows_nan(network.metadata),
        memory_bytes=options.memory_bytes,
    )
    sets, first = _begun(source)
    names_sets = options.set_column is not None or len(first) > 1 or first[0].name != path.stem
    return SetInput(sets, network, _known(weights), False, names_sets, None, source)


def _kind(path: Path) -> Kind:
    """What a file holds: only arrays can be images."""
    if path.suffix.lower() not in (".npy", ".npz"):
        return "table"
    return kind_of(next(iter(read_sets(path, allow_missing=True))).items)


def _begun(source: SetSource) -> tuple[Iterator[AnySet], list[AnySet]]:
    """All sets of a source, and the first two of them, which tell what kind of input it is."""
    stream = iter(source)
    first = list(islice(stream, 2))
    return chain(first, stream), first


def _known(weights: WeightsReference | None) -> WeightsReference:
    assert weights is not None  # a model that is named has a reference
    return weights


def _framed(network: ContextKernelNetwork, image_read: Callable[[], None], image: Image.Image) -> np.ndarray:
    """One image in the network's frame, so that large originals never gather in memory."""
    framed = read_items(network, [image])[0]
    image_read()
    return framed


def _spooled(path: Path, stream: Any = None) -> Path:
    """Standard input as a file, which can be looked at twice."""
    source = stream or sys.stdin.buffer
    number = _descriptor(source)
    with path.open("wb") as file:
        if number is None:
            shutil.copyfileobj(source, file)
        else:
            file.writelines(iter(partial(_next_block, number), b""))
    return path


def _descriptor(stream: Any) -> int | None:
    """The number of a stream that can be waited for; None where there is none, and on Windows."""
    try:
        return stream.fileno() if os.name == "posix" else None
    except OSError:
        return None


def _next_block(number: int) -> bytes:
    """What has arrived. Waits in turns: a signal that comes just before a read would wait with it."""
    while not select.select([number], [], [], SIGNAL_SECONDS)[0]:
        pass
    return os.read(number, BLOCK_BYTES)
