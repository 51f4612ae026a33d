"""Images made smaller by averaging areas and larger by linear interpolation, as two matrix products.

A separable resampling is :math:`Y = R X C^T`; R and C depend only on the old and the new size, so they are
made once and thousands of images pass through two matrix products.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Shaped


@lru_cache(maxsize=1024)
def resampling_matrix(old: int, new: int) -> Float[np.ndarray, "new old"]:
    """Weights that turn `old` pixels into `new` along one axis: by area when shrinking, linear when growing.

    Shrinking: the weight of an old pixel is the share of the new pixel that it covers, as OpenCV's
    INTER_AREA, which the authors use. Growing: linear between pixel centres, the outermost values continued.

    Examples
    --------
    >>> resampling_matrix(3, 2).round(3).tolist()
    [[0.667, 0.333, 0.0], [0.0, 0.333, 0.667]]
    >>> resampling_matrix(2, 4).tolist()
    [[1.0, 0.0], [0.75, 0.25], [0.25, 0.75], [0.0, 1.0]]
    """
    if new <= old:
        edges = np.arange(new + 1) * (old / new)
        left = np.maximum(edges[:-1, None], np.arange(old))
        right = np.minimum(edges[1:, None], np.arange(1, old + 1))
        return np.clip(right - left, 0.0, None) * (new / old)
    centres = np.clip((np.arange(new) + 0.5) * (old / new) - 0.5, 0, old - 1)
    return np.clip(1.0 - np.abs(centres[:, None] - np.arange(old)), 0.0, None)


def resample(images: Shaped[np.ndarray, "*n H W"], height: int, width: int) -> Float[np.ndarray, "*n h w"]:
    """Images at another size, in their own range of values."""
    rows = resampling_matrix(images.shape[-2], height).astype(np.float32)
    columns = resampling_matrix(images.shape[-1], width).astype(np.float32)
    return rows @ images.astype(np.float32) @ columns.T
