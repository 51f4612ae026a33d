"""Grouped images kept as one file of arrays, without pickle, with their fingerprint."""

import logging
import zipfile
import zlib
from pathlib import Path

import numpy as np

from abclust.datasets.grouped_images import GroupedImages
from abclust.foundations.errors import InvalidInputError
from abclust.storage.atomic_file import replacing

logger = logging.getLogger(__name__)


def read_cache(path: Path) -> GroupedImages | None:
    """What :func:`write_cache` kept, or None if there is nothing or it is damaged and must be made anew."""
    if not path.is_file():
        return None
    try:
        # Opened here, for numpy leaves a file open if it turns out to be damaged.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            names = tuple(map(str, kept["class_names"])), tuple(map(str, kept["group_names"]))
            data = GroupedImages(kept["images"], kept["labels"], kept["groups"], *names)
            if str(kept["fingerprint"]) == data.fingerprint:
                return data
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        logger.warning("the cache %s is damaged (%s) and is made anew", path, error)
    return None


def write_cache(path: Path, data: GroupedImages) -> None:
    """Keep `data` at `path`, whole or not at all; a place that cannot be written is only logged."""
    try:
        with replacing(path) as beside, beside.open("wb") as file:
            np.savez(
                file,
                images=data.images,
                labels=data.labels,
                groups=data.groups,
                class_names=np.array(data.class_names),
                group_names=np.array(data.group_names),
                fingerprint=np.array(data.fingerprint),
            )
    except (OSError, InvalidInputError) as error:
        logger.warning("the images could not be kept in the cache: %s", error)
