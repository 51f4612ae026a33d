"""From what a caller has to what a network was trained on, by the network's own header.

Two steps, because one looks at each item alone and the other at the whole set: :func:`read_items` turns data
frames into arrays and frames images; :func:`prepare_set` brings a table of any width to the network's. New
items that join a set are read alone and prepared together with it.
"""

from collections.abc import Mapping
from math import isqrt
from typing import Any

import numpy as np
from jaxtyping import Float

from abclust.datasets.vector_preparation import VectorPreparation, prepare_vectors
from abclust.estimator.image_input import read_images
from abclust.estimator.item_kinds import as_table, kind_of
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.model.context_kernel_network import ContextKernelNetwork


def prepare_items(network: ContextKernelNetwork, X: Any) -> Float[np.ndarray, "n *item"]:
    """A set as the network wants to see it.

    Parameters
    ----------
    network
        Its header says what is to be done: ``framing`` (images: grey, bright ink on black, cropped, centred),
        ``preparation`` (tables of any width); neither leaves items as they are.
    X
        A table (array, data frame, nested lists) or images (arrays (n, H, W) or (n, H, W, 3), PIL images,
        paths).

    Raises
    ------
    InvalidInputError
        If `X` is not what the network expects; the message says what that is and how to get there.

    Examples
    --------
    >>> from abclust.zoo.loading import load
    >>> prepare_items(load("circles"), [[0.0, 0.5], [0.5, 0.0]]).shape
    (2, 2)
    """
    return prepare_set(network, read_items(network, X))


def read_items(network: ContextKernelNetwork, X: Any) -> Float[np.ndarray, "n *item"]:
    """Each item alone as numbers: a checked table, or images in the network's frame.

    Raises
    ------
    InvalidInputError
        As :func:`prepare_items`.
    """
    kind, size = kind_of(X), network.config.image_size
    if size is None and kind == "table":
        return _read_table(network, X)
    if size is not None and kind == "images":
        return read_images(X, size, network.metadata.get("framing"))
    expected = f"X must be what the network expects: {expectation(network)}."
    if kind == "images":
        raise InvalidInputError(
            f"{expected} Got images. Take weights made for images, such as 'omniglot', or describe each "
            "image by numbers and give these as a table (n, d)."
        )
    raise InvalidInputError(
        f"{expected} Got a table.{_reshape_hint(X)} Rows of numbers are for weights made for tables, such as "
        "'vectors'."
    )


def prepare_set(
    network: ContextKernelNetwork, items: Float[np.ndarray, "n *item"]
) -> Float[np.ndarray, "n *prepared"]:
    """What is done with the set as a whole: a table of any width becomes one of the network's width."""
    if "preparation" not in network.metadata:
        return items
    return prepare_vectors(items, from_dict(VectorPreparation, network.metadata["preparation"]))


def allows_nan(header: Mapping[str, Any]) -> bool:
    """Whether a table may have missing values: where a network's header prepares tables, they are filled."""
    return "preparation" in header


def expectation(network: ContextKernelNetwork) -> str:
    """What an item is to a network, in the words of its card or else of its configuration."""
    told = network.metadata.get("card", {}).get("expects")
    if told:
        return str(told)
    size = network.config.image_size
    if size is None:
        return f"vectors of {network.config.n_features} numbers"
    return f"images of {size} x {size} pixels"


def _read_table(network: ContextKernelNetwork, X: Any) -> Float[np.ndarray, "n d"]:
    table = as_table(X, allow_nan=allows_nan(network.metadata))
    found, width = table.shape[1], network.config.n_features
    if "preparation" not in network.metadata and found != width:
        way = f"; or reduce these to {width} (sklearn.decomposition.PCA)" if found > (width or 0) else ""
        raise InvalidInputError(
            f"X must be what the network expects: {expectation(network)}. That is {width} feature(s) an "
            f"item. Got {found} feature(s). Take weights for tables of any width, such as 'vectors'; or "
            f"train a network on sets like this one (abclust.train){way}."
        )
    return table


def _reshape_hint(X: Any) -> str:
    """Images that came as rows of pixels are the likely case: say how to fold them back."""
    n_features = np.shape(X)[1] if np.ndim(X) == 2 else 0
    side = isqrt(n_features)
    if side < 5 or side * side != n_features:
        return ""
    return f" If its rows are the pixels of images, fold them back: X.reshape(-1, {side}, {side})."
