"""Images in any of their forms as one array in a network's frame."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from abclust.datasets.image_files import grey_pixels, read_image
from abclust.datasets.image_framing import frame_images, sheet_image
from abclust.foundations.errors import InvalidInputError


def read_images(X: Any, size: int, framing: Mapping[str, Any] | None) -> Float[np.ndarray, "n S S"]:
    """Images as a network wants them.

    Parameters
    ----------
    X
        An array (n, H, W) or (n, H, W, 3), or a sequence of PIL images, paths or arrays of any size each.
    size
        S, the side of the network's images.
    framing
        From the network's header. With an ``ink_size`` images are cropped to their ink and centred
        (:func:`abclust.datasets.frame_images`); with an ``ink_size`` of None the whole sheet is scaled,
        bright ink on black (paper), and what was cut to its ink is given the margin of a sheet if there is a
        ``cut_ink_size`` (:func:`abclust.datasets.sheet_image`). Without a framing images must have the right
        size and are only turned grey.

    Raises
    ------
    InvalidInputError
        If there is no image, or one is unreadable or not of the size that is asked for.

    Examples
    --------
    >>> read_images(np.eye(5, dtype=np.float32)[None], 16, {"image_size": 16, "ink_size": None}).shape
    (1, 16, 16)
    """
    images = X.detach().cpu().numpy() if isinstance(X, torch.Tensor) else X
    if len(images) == 0:
        raise InvalidInputError("X must hold at least one image. Got none.")
    if framing is None:
        return _unframed(images, size)
    if framing["ink_size"] is not None:
        return frame_images(images, size=size, ink_size=framing["ink_size"])
    cut_ink_size = framing.get("cut_ink_size")
    return np.stack(
        [sheet_image(_grey(image, place), size, cut_ink_size) for place, image in enumerate(images)]
    )


def _unframed(images: Any, size: int) -> Float[np.ndarray, "n S S"]:
    # A network trained on grey arrays knows them in their own range, which need not be 0 to 1.
    is_grey_array = isinstance(images, np.ndarray) and images.ndim == 3 and images.dtype.kind == "f"
    pixels = list(images) if is_grey_array else [_grey(image, place) for place, image in enumerate(images)]
    shapes = sorted({image.shape for image in pixels})
    if shapes != [(size, size)]:
        found = ", ".join(f"{height} x {width}" for height, width in shapes[:3])
        raise InvalidInputError(
            f"images must be of {size} x {size} pixels for this network, which states no framing. "
            f"Got {found}. Bring them to that size as its training images were, for example with "
            f"abclust.datasets.frame_images(X, size={size})."
        )
    return np.stack(pixels).astype(np.float32)


def _grey(image: Any, place: int) -> Float[np.ndarray, "H W"]:
    try:
        is_path = isinstance(image, str | os.PathLike)
        pixels = read_image(image) if is_path else image
        return grey_pixels(np.asarray(pixels) if isinstance(pixels, list | tuple) else pixels)
    except InvalidInputError as error:
        raise InvalidInputError(f"image {place}: {error}") from error
