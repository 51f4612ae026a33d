"""One frame for every image: grey, bright ink on black, cropped to the ink or as a whole sheet.

Handwriting from another source differs first of all in framing: margin, size, polarity. A network that saw
Omniglot sheets scores digits far lower when they fill the frame than when their ink is as large as it was in
training, so training and use pass through this module (ours; the paper scales the whole sheet).
"""

import os
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from PIL import Image

from abclust.datasets.image_files import grey_pixels, read_image
from abclust.datasets.image_resampling import resample
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

DEFAULT_FRAMING = {"image_size": 28, "ink_size": 20}
"""What images pass through unless something else is asked for, as a network's header states it."""
INK_CHOICES = ("auto", "bright", "dark")
INK_THRESHOLD = 0.2
"""The share of the strongest ink that counts for the crop: above scanning noise, below a blurred stroke."""


def frame_images(
    images: Any, size: int = 28, ink_size: int = 20, ink: str = "auto"
) -> Float[np.ndarray, "n S S"]:
    """Bring images of any size and polarity into one frame, ink = 1 on 0.

    Each image is turned grey; its background is the median of its border; its values are stretched so that
    the background is 0 and the strongest ink 1; it is cropped to the ink, scaled so that the longer side of
    the crop has `ink_size` pixels (by area when shrinking, linear when growing) and put into the middle of a
    `size` x `size` frame. A blank image stays blank.

    Parameters
    ----------
    images
        An array of uint8 (0-255) or floats (0-1) of shape (n, H, W) or (n, H, W, 3), or a sequence of single
        images of any size each: arrays, PIL images or paths.
    size
        S, the side of the frame.
    ink_size
        The longer side of the ink, at most `size`.
    ink
        ``"dark"``, ``"bright"``, or ``"auto"``: dark if the border is brighter than the middle of the image's
        range.

    Raises
    ------
    InvalidInputError
        If a size is out of range or an image has another shape, type or range of values.

    Examples
    --------
    >>> sheet = np.full((1, 105, 90), 255, dtype=np.uint8)
    >>> sheet[0, 10:50, 20:30] = 0  # a dark stroke, 40 high and 10 wide
    >>> framed = frame_images(sheet)
    >>> framed.shape, np.flatnonzero(framed[0].any(axis=1))[[0, -1]].tolist(), round(float(framed.sum()))
    ((1, 28, 28), [4, 23], 100)
    """
    if isinstance(images, str | os.PathLike | Image.Image):
        raise InvalidInputError(f"images must be a sequence of images. Got a single {type(images).__name__}.")
    framed = []
    for place, image in enumerate(images):
        try:
            framed.append(frame_image(image, size, ink_size, ink))
        except InvalidInputError as error:
            raise InvalidInputError(f"image {place}: {error}") from error
    if not framed:
        raise InvalidInputError("images must hold at least one image. Got none.")
    return np.stack(framed)


def frame_image(
    image: Any, size: int = 28, ink_size: int = 20, ink: str = "auto"
) -> Float[np.ndarray, "S S"]:
    """Bring one image, a path, a PIL image or an array, into the frame; see :func:`frame_images`."""
    check_choice("ink", ink, INK_CHOICES)
    if not 1 <= ink_size <= size:
        raise InvalidInputError(f"ink_size must lie in 1 to size = {size}. Got {ink_size}.")
    return _place_in_frame(_ink_strength(_grey(image), ink), size, ink_size)


def sheet_image(
    image: Any, size: int = 28, cut_ink_size: int | None = None, ink: str = "auto"
) -> Float[np.ndarray, "S S"]:
    """Bring one image into the frame as a whole sheet: its ink stays as large, and where, as it was written.

    Background and ink become 0 and 1 as in :func:`frame_images`; a sheet that is not square gets as much
    margin as it needs on both sides.

    Parameters
    ----------
    image
        A path, a PIL image or an array.
    size
        S, the side of the frame.
    cut_ink_size
        If the ink reaches two borders that face each other, somebody has cut the image to its ink, and how
        large it was on its sheet is not known. Its longer side then gets so many pixels, in the middle of the
        frame: what is usual on whole sheets. None takes such an image for a sheet as well.
    ink
        As in :func:`frame_images`.

    Examples
    --------
    >>> stroke = np.zeros((9, 3), dtype=np.uint8)
    >>> stroke[:, 1] = 255
    >>> np.flatnonzero(sheet_image(stroke, size=27).any(axis=1))[[0, -1]].tolist()
    [0, 26]
    >>> np.flatnonzero(sheet_image(stroke, size=27, cut_ink_size=9).any(axis=1))[[0, -1]].tolist()
    [9, 17]
    """
    check_choice("ink", ink, INK_CHOICES)
    if not (cut_ink_size is None or 1 <= cut_ink_size <= size):
        raise InvalidInputError(
            f"cut_ink_size must be None or lie in 1 to size = {size}. Got {cut_ink_size}."
        )
    strength = _ink_strength(_grey(image), ink)
    if cut_ink_size is not None and _is_cut(strength > INK_THRESHOLD):
        return _place_in_frame(strength, size, cut_ink_size)
    side = max(strength.shape)
    margins = [((side - length) // 2, (side - length + 1) // 2) for length in strength.shape]
    return resample(np.pad(strength, margins), size, size)


def _is_cut(is_ink: Bool[np.ndarray, "H W"]) -> bool:
    """Whether ink reaches two borders that face each other."""
    top, bottom, left, right = (edge.any() for edge in (is_ink[0], is_ink[-1], is_ink[:, 0], is_ink[:, -1]))
    return bool((top and bottom) or (left and right))


def _place_in_frame(strength: Float[np.ndarray, "H W"], size: int, ink_size: int) -> Float[np.ndarray, "S S"]:
    frame = np.zeros((size, size), dtype=np.float32)
    is_ink = strength > INK_THRESHOLD
    if not is_ink.any():
        return frame
    rows, columns = np.flatnonzero(is_ink.any(axis=1)), np.flatnonzero(is_ink.any(axis=0))
    crop = strength[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = ink_size / max(crop.shape)
    height, width = (max(1, round(side * scale)) for side in crop.shape)
    top, left = (size - height) // 2, (size - width) // 2
    frame[top : top + height, left : left + width] = resample(crop, height, width)
    return frame


def _grey(image: Any) -> Float[np.ndarray, "H W"]:
    if isinstance(image, str | os.PathLike):
        image = read_image(image)
    return grey_pixels(image if isinstance(image, Image.Image) else np.asarray(image))


def _ink_strength(grey: Float[np.ndarray, "H W"], ink: str) -> Float[np.ndarray, "H W"]:
    """Background 0, strongest ink 1; all 0 if there is no contrast at all."""
    background = float(np.median(np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])))
    is_dark = ink == "dark" or (ink == "auto" and background > (float(grey.min()) + float(grey.max())) / 2)
    strength = background - grey if is_dark else grey - background
    strongest = float(strength.max())
    if strongest < 1 / 64:  # four grey levels of 256: compression noise on an empty sheet, not a stroke
        return np.zeros_like(grey)
    return np.clip(strength / strongest, 0.0, 1.0)
