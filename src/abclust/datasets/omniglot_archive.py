"""Omniglot: 50 alphabets, 1,623 characters, 20 writers each, read straight from the published archives.

References
----------
Lake, Salakhutdinov, Tenenbaum. "Human-level concept learning through probabilistic program induction".
Science, 2015.
https://doi.org/10.1126/science.aab3050
"""

import hashlib
import io
import os
import re
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt8
from PIL import Image, UnidentifiedImageError

from abclust.datasets.archive_lookup import cache_folder, find_archive
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.image_cache import read_cache, write_cache
from abclust.datasets.image_framing import frame_images
from abclust.datasets.image_resampling import resample
from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.options import resolve

SOURCE_SIZE = 105
"""Omniglot's images are 105 x 105 pixels, black on white, one bit."""
LARGEST_MEMBER = 100_000
"""Bytes that an image may have unpacked; the real ones have at most a few hundred."""
CACHE_VERSION = 1
"""Counts up when what is made from an archive changes, so that old caches are not read."""


class Split(NamedTuple):
    """What is published under the name of a split."""

    folder: str
    md5: str
    n_alphabets: int
    n_characters: int

    @property
    def url(self) -> str:
        return f"https://raw.githubusercontent.com/brendenlake/omniglot/master/python/{self.folder}.zip"


SPLITS = {
    "background": Split("images_background", "68d2efa1b9178cc56df9314c21c6e718", 30, 964),
    "evaluation": Split("images_evaluation", "6b91aef0f799c5bb55b94e3f2daec811", 20, 659),
}
N_WRITERS = 20


def omniglot(
    split: str = "background",
    *,
    data: str | os.PathLike[str] | None = None,
    image_size: int = 28,
    ink_size: int | None = None,
    download: bool = True,
) -> GroupedImages:
    """The images of a split, ink = 255 on 0, with their characters (classes) and alphabets (groups).

    The archive is looked for at `data`, in ``ABCLUST_DATA``, at ``../shared/data/omniglot`` and in the user's
    cache; failing these it is downloaded and checked. What was read is kept in the cache as one array, under
    the archive's checksum.

    Parameters
    ----------
    split
        ``"background"`` (30 alphabets to learn from) or ``"evaluation"`` (20 to be judged by).
    data
        The archive or the folder that holds it.
    image_size
        S. Images are inverted and made S x S by area averaging, 28 as in the paper.
    ink_size
        None: the whole sheet is scaled, as in the paper. A number: the ink is cropped and its longer side
        scaled to so many pixels (:func:`abclust.datasets.frame_images`), as the shipped weights expect it.
    download
        Whether to fetch the archive if it is nowhere.

    Raises
    ------
    DataNotFoundError
        If the archive is not found and cannot be fetched.
    FileFormatError
        If it is not the published archive: truncated, damaged or something else.
    InvalidInputError
        If `split` or a size is out of range.
    """
    published = resolve("split", split, SPLITS)
    if not 1 <= image_size <= 4 * SOURCE_SIZE or not (ink_size is None or 1 <= ink_size <= image_size):
        raise InvalidInputError(
            f"image_size must lie in 1 to {4 * SOURCE_SIZE} and ink_size in 1 to image_size. "
            f"Got {image_size} and {ink_size}."
        )
    archive = find_archive(
        f"{published.folder}.zip",
        "omniglot",
        data=data,
        url=published.url,
        checksum=f"md5:{published.md5}",
        download=download,
    )
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    framing = "sheet" if ink_size is None else f"ink{ink_size}"
    kept = cache_folder() / "omniglot" / f"{split}-{image_size}-{framing}-{digest[:16]}-v{CACHE_VERSION}.npz"
    cached = read_cache(kept)
    if cached is None:
        cached = read_archive(archive, published, image_size, ink_size)
        write_cache(kept, cached)
    return cached


def read_archive(archive: Path, published: Split, image_size: int, ink_size: int | None) -> GroupedImages:
    """Read every image of a split's archive, in the order of alphabets, characters and writers.

    An archive on disk may be another packing of the same images, so it is judged by what it holds and by the
    checksums of its members; only a download is held against the published checksum of the file.
    """
    members = _members(archive, published.folder)
    alphabets = sorted({alphabet for alphabet, _, _ in members})
    characters = sorted({(alphabet, character) for alphabet, character, _ in members})
    found = (len(alphabets), len(characters), len(members))
    expected = (published.n_alphabets, published.n_characters, published.n_characters * N_WRITERS)
    if found != expected:
        raise FileFormatError(
            f"the archive of {published.folder} must hold {expected[0]} alphabets, {expected[1]} characters "
            f"and {expected[2]} images. Got {found[0]}, {found[1]} and {found[2]} in {str(archive)!r}. "
            "Fetch it anew."
        )
    order = sorted(members)
    images = np.empty((len(order), image_size, image_size), dtype=np.uint8)
    with zipfile.ZipFile(archive) as opened:
        for start in range(0, len(order), 1000):  # 1,000 sheets are 11 MB, all of them would be 210
            chunk = order[start : start + 1000]
            sheets = np.stack([_read_member(opened, members[key]) for key in chunk])
            images[start : start + len(chunk)] = _shrink(sheets, image_size, ink_size)
    place_of = {character: place for place, character in enumerate(characters)}
    return GroupedImages(
        images=images,
        labels=np.array([place_of[alphabet, character] for alphabet, character, _ in order]),
        groups=np.array([alphabets.index(alphabet) for alphabet, _, _ in order]),
        class_names=tuple("/".join(character) for character in characters),
        group_names=tuple(alphabets),
    )


def _members(archive: Path, folder: str) -> dict[tuple[str, str, str], zipfile.ZipInfo]:
    """Only members named like an image of Omniglot, by (alphabet, character, writer); no other is opened."""
    pattern = re.compile(rf"{folder}/([^/\\]+)/(character\d+)/\d+_(\d+)\.png")
    try:
        with zipfile.ZipFile(archive) as opened:
            named = [(pattern.fullmatch(info.filename), info) for info in opened.infolist()]
    except (zipfile.BadZipFile, OSError) as error:
        raise FileFormatError(
            f"the archive must be a whole zip file. Got {str(archive)!r}: {error}. "
            "It may be truncated: fetch it anew."
        ) from error
    members = {(match[1], match[2], match[3]): info for match, info in named if match}
    too_large = [info.filename for info in members.values() if info.file_size > LARGEST_MEMBER]
    if too_large:
        raise FileFormatError(
            f"images must have at most {LARGEST_MEMBER} bytes. Got more in {too_large[0]!r}."
        )
    return members


def _read_member(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> UInt8[np.ndarray, "105 105"]:
    try:
        # Pillow learns the size from the header; nothing of another size is ever decoded.
        with Image.open(io.BytesIO(opened.read(info)), formats=["PNG"]) as image:
            if image.size != (SOURCE_SIZE, SOURCE_SIZE):
                raise FileFormatError(
                    f"images must be {SOURCE_SIZE} x {SOURCE_SIZE} pixels. "
                    f"Got {image.size} in {info.filename!r}."
                )
            return 255 - np.asarray(image.convert("L"))
    except (zipfile.BadZipFile, zlib.error, UnidentifiedImageError, OSError, SyntaxError, EOFError) as error:
        raise FileFormatError(
            f"the archive must be undamaged. Got an unreadable {info.filename!r}: {error}."
        ) from error


def _shrink(
    sheets: UInt8[np.ndarray, "N H W"], image_size: int, ink_size: int | None
) -> UInt8[np.ndarray, "N S S"]:
    if ink_size is not None:
        framed = frame_images(sheets, size=image_size, ink_size=ink_size, ink="bright")
        return np.rint(255 * framed).astype(np.uint8)
    return np.rint(resample(sheets, image_size, image_size)).astype(np.uint8)
