"""What a caller calls a set of items: a table of numbers, or images in one of their many forms."""

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from scipy.sparse import issparse
from sklearn.utils import check_array

from abclust.foundations.errors import InvalidInputError

Kind = Literal["table", "images"]


def kind_of(X: Any) -> Kind:
    """Whether `X` is a table (n, d) or a set of images.

    Images are arrays of three or four axes, and sequences of PIL images, of paths, or of arrays with two or
    three axes each. All else is taken for a table.

    Raises
    ------
    InvalidInputError
        If `X` is one image or one path instead of a set of them.

    Examples
    --------
    >>> kind_of(np.zeros((5, 3))), kind_of(np.zeros((5, 28, 28))), kind_of(["a.png", "b.png"])
    ('table', 'images', 'images')
    """
    if _is_one_image(X):
        raise InvalidInputError(
            f"X must be a set of items. Got a single {type(X).__name__}. "
            "Put it into a list; the images of a folder are sorted(pathlib.Path(folder).glob('*.png'))."
        )
    if issparse(X) or hasattr(X, "columns"):  # data frames name their columns, whoever made them
        return "table"
    n_axes = getattr(X, "ndim", None)
    if n_axes is not None and n_axes != 1:
        return "images" if n_axes > 2 else "table"
    if not isinstance(X, Sequence) and n_axes is None:
        return "table"
    first = next(iter(X), None)
    return "images" if _is_one_image(first) or _n_axes(first) > 1 else "table"


def as_table(X: Any, *, allow_nan: bool = False) -> Float[np.ndarray, "n d"]:
    """A table as an array of floats, checked as scikit-learn checks it.

    Parameters
    ----------
    X
        Array, data frame, tensor or nested lists. Shape (n, d).
    allow_nan
        Whether NaN, a missing value, is welcome. Infinite values never are.

    Raises
    ------
    InvalidInputError
        If it has no items, no features, another rank, text in it, or values that are not finite.
    TypeError
        If it is sparse or holds objects that are no numbers at all.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    if isinstance(X, torch.Tensor):
        X = X.detach().cpu().numpy()
    try:
        return check_array(
            X,
            dtype=[np.float64, np.float32],  # type: ignore[arg-type]
            ensure_all_finite="allow-nan" if allow_nan else True,  # type: ignore[arg-type]
            input_name="X",
        )
    except ValueError as error:
        text = _text_columns(X)
        hint = f" Leave out or encode: {', '.join(text)}." if text else ""
        raise InvalidInputError(f"{error}{hint}") from error


def _is_one_image(candidate: Any) -> bool:
    return isinstance(candidate, str | os.PathLike | Image.Image)


def _n_axes(candidate: Any) -> int:
    try:
        return np.ndim(candidate)
    except ValueError:  # ragged lists: no image
        return 1


def _text_columns(X: Any) -> list[str]:
    """Columns of a data frame that do not become numbers."""
    text = []
    for name in getattr(X, "columns", ()):
        try:
            np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError):
            text.append(repr(name))
    return text
