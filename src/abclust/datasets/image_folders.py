"""Sets from a tree of folders: set/class/image, class/image, or images alone."""

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
from PIL import Image

from abclust.datasets.image_files import IMAGE_SUFFIXES, read_image
from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet
from abclust.datasets.set_source import AnySet, SetSource, SkippedFile
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.foundations.options import check_choice

logger = logging.getLogger(__name__)

LAYOUTS = ("classes", "sets")
Prepare = Callable[[Image.Image], np.ndarray]
"""One decoded image in, the array that the network shall see out, the same shape for all."""


def read_image_folder(
    folder: str | os.PathLike[str], prepare: Prepare, *, layout: str = "classes", strict: bool = False
) -> SetSource:
    """The sets of a folder of images, one set in memory at a time.

    ===================  ====================================================================
    images lie at        what they are
    ===================  ====================================================================
    image                one set without labels
    class/image          one labelled set; with ``layout="sets"``, one unlabelled set a folder
    set/class/image      one labelled set for each folder at the top
    ===================  ====================================================================

    Parameters
    ----------
    folder
        Its own name is the set's where it is one set.
    prepare
        Makes an array of each image as soon as it is read, so that large originals never gather in memory.
    layout
        What the folders at the top are if there is one level of them: ``"classes"`` or ``"sets"``.
    strict
        Raise at the first unreadable image instead of leaving it out.

    Raises
    ------
    DataNotFoundError
        If the folder is not there or holds no image.
    InvalidInputError
        If images lie at different depths.
    FileFormatError
        While reading: if `strict` and an image is unreadable, or if no image at all can be read.
    """
    root = Path(folder)
    check_choice("layout", layout, LAYOUTS)
    paths = _image_paths(root)
    depths = {len(path.parts): path for path in paths}
    if len(depths) > 1 or max(depths) > 3:
        examples = ", ".join(repr(path.as_posix()) for path in depths.values())
        raise InvalidInputError(
            "images must all lie at one depth: image, class/image or set/class/image. "
            f"Got {examples} in {str(root)!r}."
        )
    (depth,) = depths
    is_labelled = depth == 3 or (depth == 2 and layout == "classes")
    if depth == 3 or (depth == 2 and layout == "sets"):
        grouped = [
            (root / top, list(members)) for top, members in groupby(paths, key=lambda path: path.parts[0])
        ]
    else:
        grouped = [(root, paths)]
    folders = [
        FolderSet(folder, [root.joinpath(path).relative_to(folder) for path in members], is_labelled)
        for folder, members in grouped
    ]
    return SetSource(partial(_read, folders, prepare, strict))


@dataclass(frozen=True)
class FolderSet:
    """One set: its images as paths below its folder; if labelled, the first part of a path is the class."""

    folder: Path
    images: list[Path]
    is_labelled: bool


def _read(
    folders: list[FolderSet], prepare: Prepare, strict: bool, skipped: list[SkippedFile]
) -> Iterator[AnySet]:
    n_sets = 0
    for each in folders:
        arrays, kept = _read_images(each, prepare, strict, skipped)
        if not kept:
            continue
        n_sets += 1
        name, item_names = each.folder.resolve().name, tuple(path.as_posix() for path in kept)
        items = _stack(arrays, item_names)
        if each.is_labelled:
            yield LabelledSet(items, [path.parts[0] for path in kept], name=name, item_names=item_names)
        else:
            yield UnlabelledSet(items, name=name, item_names=item_names)
    if not n_sets:
        where = folders[0].folder if len(folders) == 1 else folders[0].folder.parent
        raise FileFormatError(
            f"at least one image must be readable. Got none of {len(skipped)} in {str(where)!r}."
        )


def _read_images(
    each: FolderSet, prepare: Prepare, strict: bool, skipped: list[SkippedFile]
) -> tuple[list[np.ndarray], list[Path]]:
    arrays, kept = [], []
    for path in each.images:
        try:
            arrays.append(prepare(read_image(each.folder / path)))
            kept.append(path)
        except InvalidInputError as error:
            if strict:
                raise
            logger.warning("left out %s: %s", each.folder / path, error)
            skipped.append(SkippedFile(str(each.folder / path), str(error)))
    return arrays, kept


def _stack(arrays: list[np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    odd = [name for array, name in zip(arrays, names) if array.shape != arrays[0].shape]
    if odd:
        raise InvalidInputError(
            f"images of a set must have one size once prepared. Got {arrays[0].shape} for {names[0]!r} and "
            f"another for {odd[0]!r}. Let frame_image prepare them."
        )
    return np.stack(arrays)


def _image_paths(root: Path) -> list[Path]:
    """Paths below the root of all that is named like an image, sorted; hidden ones are not seen."""
    if not root.is_dir():
        raise DataNotFoundError(f"the folder of images must exist. Got {str(root)!r}.")
    found = []
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        named = (name for name in sorted(files) if not name.startswith("."))
        found += [
            Path(folder, name).relative_to(root)
            for name in named
            if Path(name).suffix.lower() in IMAGE_SUFFIXES
        ]
    if not found:
        raise DataNotFoundError(
            f"the folder must hold images ({', '.join(sorted(IMAGE_SUFFIXES))}). Got none in {str(root)!r}."
        )
    return sorted(found)
