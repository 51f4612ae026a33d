"""A tree of folders, one for each cluster, with copies of the images in it or links to them."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from jaxtyping import Int

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import resolve
from abclust.storage.atomic_file import check_writable_folder

MARK = ".abclust-tree"
"""A file in every tree: ``--force`` replaces a folder that has it, and no other."""


def _symlink(original: Path, place: Path) -> None:
    place.symlink_to(original.resolve())


LINKS: dict[str, Callable[[Path, Path], object]] = {"copy": shutil.copy2, "symlink": _symlink}


class ClusterTree:
    """The tree while it grows; see :func:`growing_tree`."""

    def __init__(self, folder: Path, link: str) -> None:
        self._folder = folder
        self._put = resolve("link", link, LINKS)

    def add(self, set_name: str, files: Sequence[Path], labels: Int[np.ndarray, " n"]) -> None:
        """Put the images of one set into ``[set/]cluster-<number>/``; images of one name get a number.

        Raises
        ------
        InvalidInputError
            If an image cannot be copied or linked.
        """
        digits = len(str(int(labels.max())))
        taken: dict[int, set[str]] = {}
        for original, label in zip(files, labels.tolist()):
            folder = self._folder / set_name / f"cluster-{label:0{digits}d}"
            folder.mkdir(parents=True, exist_ok=True)
            place = folder / _free_name(original, taken.setdefault(label, set()))
            try:
                self._put(original, place)
            except OSError as error:
                raise InvalidInputError(
                    f"an image must be one that can be copied or linked. Got {str(original)!r}: "
                    f"{error.strerror}."
                ) from error


@contextmanager
def growing_tree(folder: Path, link: str, *, force: bool) -> Iterator[ClusterTree]:
    """Let a tree grow beside its place; it is moved there when it is whole, or removed.

    Parameters
    ----------
    folder
        Where the tree shall stand.
    link
        ``"copy"`` or ``"symlink"``.
    force
        Replace an older tree.

    Raises
    ------
    InvalidInputError
        As :func:`check_tree`.
    """
    check_tree(folder, force=force)
    check_writable_folder(folder.parent)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        tree = ClusterTree(beside, link)
        yield tree
        (beside / MARK).touch()
        beside.chmod(0o777 & ~_umask())
        _move(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def check_tree(folder: Path, *, force: bool) -> None:
    """Raise if a tree cannot take its place.

    Raises
    ------
    InvalidInputError
        If something is there already, unless it is an empty folder, or an older tree and `force`.
    """
    if not folder.exists() and not folder.is_symlink():
        return
    is_tree = folder.is_dir() and not folder.is_symlink() and (folder / MARK).is_file()
    if is_tree and not force:
        raise InvalidInputError(
            f"the tree must not be there already. Got {str(folder)!r}. Name another one, or add --force."
        )
    is_empty = folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())
    if not is_tree and not is_empty:
        raise InvalidInputError(
            f"the tree must be a new folder or one that abclust made. Got {str(folder)!r}, which is neither: "
            "not even --force replaces that. Name another one."
        )


def _move(beside: Path, folder: Path) -> None:
    """The old tree steps aside first: a folder cannot be renamed onto a full one."""
    if not folder.exists():
        os.rename(beside, folder)
        return
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", suffix=".old", dir=folder.parent) as aside:
        os.rename(folder, Path(aside, "tree"))
        os.rename(beside, folder)


def _free_name(original: Path, taken: set[str]) -> str:
    """The image's own name, with a number if that is taken; some file systems do not tell A from a."""
    name, number = original.name, 1
    while name.lower() in taken:
        number += 1
        name = f"{original.stem}-{number}{original.suffix}"
    taken.add(name.lower())
    return name


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
