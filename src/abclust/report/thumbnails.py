"""Small pictures inside the page: images of any kind as PNG data URIs of a few hundred bytes."""

import base64
import logging
import os
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from abclust.datasets.image_files import read_image
from abclust.foundations.errors import FileFormatError, InvalidInputError

# Sixteen greys are four bits a pixel, and 32 colours leave a photograph of this size recognisable.
_GREYS = 16
_COLOURS = 32

_log = logging.getLogger(__name__)

Thumbnailer = Callable[[int], str | None]
"""Gives the data URI of the item of a number, or None if its file can no longer be read."""


def thumbnailer(items: Any, side: int) -> Thumbnailer:
    """Make a function that gives the thumbnail of one item, its longer side at most `side` pixels.

    Arrays of floats outside 0 to 1 are stretched, all by the range of the whole set.
    """
    value_range = _value_range(items)

    def thumbnail(item: int) -> str | None:
        try:
            image = _flat_image(items[item], value_range)
        except FileFormatError as error:
            # The set is clustered; a file that has gone since must not cost the whole report.
            _log.warning("no thumbnail of item %d: %s", item, error)
            return None
        return png_data_uri(_few_colours(_at_most(image, side)))

    return thumbnail


def png_data_uri(image: Image.Image) -> str:
    """An image as the address of itself, so that a page needs no other file.

    Examples
    --------
    >>> png_data_uri(Image.new("L", (2, 3)))[:26]
    'data:image/png;base64,iVBO'
    """
    buffer = BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _value_range(items: Any) -> tuple[float, float]:
    """What is black and what is white in the arrays of a set."""
    arrays = [np.asarray(item) for item in items if not isinstance(item, str | os.PathLike | Image.Image)]
    if not arrays or all(array.dtype == bool for array in arrays):
        return 0.0, 1.0
    if all(array.dtype == np.uint8 for array in arrays):
        return 0.0, 255.0
    finite = [array[np.isfinite(array)] for array in arrays]
    lowest = min((float(values.min()) for values in finite if values.size), default=0.0)
    highest = max((float(values.max()) for values in finite if values.size), default=1.0)
    return (0.0, 1.0) if lowest >= 0 and highest <= 1 else (min(lowest, 0.0), highest)


def _flat_image(item: Any, value_range: tuple[float, float]) -> Image.Image:
    """An item as a PIL image in grey (L) or colour (RGB), what is transparent on white paper."""
    if isinstance(item, str | os.PathLike):
        item = read_image(item)
    if not isinstance(item, Image.Image):
        return _image_of_array(np.asarray(item), value_range)
    if item.mode.startswith("I") or item.mode == "F":  # Pillow's own conversion would clip, not scale
        pixels = np.asarray(item, dtype=np.float32)
        return _image_of_array(pixels, (0.0, 65535.0) if item.mode != "F" else _value_range([pixels]))
    if item.mode in ("RGBA", "LA", "PA") or "transparency" in item.info:
        paper = Image.new("RGBA", item.size, "white")
        item = Image.alpha_composite(paper, item.convert("RGBA"))
    return item.convert("L" if item.mode in ("1", "L") else "RGB")


def _image_of_array(pixels: np.ndarray, value_range: tuple[float, float]) -> Image.Image:
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    if pixels.size == 0 or not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)):
        raise InvalidInputError(f"an image must have the shape (H, W) or (H, W, 3). Got {pixels.shape}.")
    lowest, highest = value_range
    levels = (np.nan_to_num(pixels.astype(np.float64)) - lowest) / max(highest - lowest, 1e-12)
    return Image.fromarray(np.round(255 * np.clip(levels, 0, 1)).astype(np.uint8))


def _at_most(image: Image.Image, side: int) -> Image.Image:
    """Shrunk to `side` pixels; an image that is smaller stays as it is, the page enlarges it."""
    scale = side / max(image.size)
    if scale >= 1:
        return image
    width, height = (max(1, round(length * scale)) for length in image.size)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def _few_colours(image: Image.Image) -> Image.Image:
    if image.mode == "RGB" and np.ptp(np.asarray(image), axis=2).max() == 0:
        image = image.convert("L")
    if image.mode == "RGB":
        return image.quantize(_COLOURS, dither=Image.Dither.NONE)
    step = 255 // (_GREYS - 1)
    levels = np.round(np.asarray(image) / step).astype(np.uint8)
    grey = Image.fromarray(levels).convert("P")
    grey.putpalette([value for level in range(_GREYS) for value in [level * step] * 3])
    return grey
