"""Single images from files and objects: read safely, turned grey."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from PIL import Image, ImageOps, UnidentifiedImageError

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.storage.memory_file import MemoryFile

IMAGE_SUFFIXES = frozenset(
    {".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"}
)
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
LARGEST_IMAGE = 64_000_000
"""Pixels that an image may have: a quarter of a gigabyte in memory as floats."""
LUMINANCE = np.array([0.299, 0.587, 0.114], dtype=np.float32)
"""The weights of red, green and blue in grey (ITU-R BT.601), as Pillow's."""


def read_image(source: str | os.PathLike[str] | MemoryFile) -> Image.Image:
    """Open and decode an image file, upright, no larger than :data:`LARGEST_IMAGE`.

    Raises
    ------
    FileFormatError
        If it is no image, is damaged, or has too many pixels: a few kilobytes can unpack to gigabytes, so the
        size in the header is judged before anything is decoded.
    """
    path = source if isinstance(source, MemoryFile) else Path(source)
    try:
        with warnings.catch_warnings():
            # Of bombs, where ours is the stricter check, and of damage that Pillow could read past.
            warnings.simplefilter("ignore")
            with path.open("rb") as file, Image.open(file, formats=FORMATS) as image:
                if image.width * image.height > LARGEST_IMAGE:
                    raise FileFormatError(
                        f"an image must have at most {LARGEST_IMAGE:,} pixels. "
                        f"Got {image.width} x {image.height} in {str(path)!r}. Make it smaller."
                    )
                image.load()
                return ImageOps.exif_transpose(image)
    except Image.DecompressionBombError as error:
        raise FileFormatError(
            f"an image must have at most {LARGEST_IMAGE:,} pixels. Got {str(path)!r}: {error}"
        ) from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        if isinstance(error, FileFormatError):
            raise
        # Pillow's own words would name an object in memory, not the file.
        reason = "no image of a known kind" if isinstance(error, UnidentifiedImageError) else error
        raise FileFormatError(f"an image must be readable. Got {str(path)!r}: {reason}.") from error


def grey_pixels(image: Any) -> Float[np.ndarray, "H W"]:
    """One image as grey float32 in [0, 1]; what is transparent becomes white paper.

    Parameters
    ----------
    image
        A PIL image of any mode, or an array of shape (H, W), (H, W, 1) or (H, W, 3), uint8 (0-255), bool or
        float (0-1).

    Raises
    ------
    InvalidInputError
        If an array has another shape, type or range of values.
    """
    if isinstance(image, Image.Image):
        image = _pixels(image)
    if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] not in (1, 3)) or image.size == 0:
        raise InvalidInputError(f"an image must have the shape (H, W) or (H, W, 3). Got {image.shape}.")
    if image.dtype == np.uint8:
        pixels = image.astype(np.float32) / 255
    elif image.dtype == bool or image.dtype.kind == "f":
        pixels = image.astype(np.float32)
    else:
        raise InvalidInputError(f"an image must be of uint8 (0-255) or float (0-1). Got {image.dtype}.")
    if not (pixels.min() >= 0 and pixels.max() <= 1):  # NaN fails both
        raise InvalidInputError(
            f"float images must lie in 0 to 1. Got {pixels.min():.3g} to {pixels.max():.3g}. "
            "Divide them by their largest possible value."
        )
    if pixels.ndim == 2:
        return pixels
    return pixels[..., 0] if pixels.shape[2] == 1 else pixels @ LUMINANCE


def _pixels(image: Image.Image) -> np.ndarray:
    if image.mode.startswith("I"):  # 16 bits a pixel: Pillow's own conversion would clip, not scale
        return np.asarray(image, dtype=np.float32) / 65535
    if image.mode == "F":
        return np.asarray(image, dtype=np.float32)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image.convert("RGBA"))
    return np.asarray(image.convert("L"))
