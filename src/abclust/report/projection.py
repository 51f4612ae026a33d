"""Where vectors stand on paper: their own two coordinates, or the two directions in which they vary most."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped


@dataclass(frozen=True)
class Projection:
    """Points of the plane and what their axes mean.

    Attributes
    ----------
    points : array of shape (n, 2)
    x_label, y_label : str
    keeps_shape : bool
        Whether both axes have one unit, so that a circle must look like a circle.
    """

    points: Float[np.ndarray, "n 2"]
    x_label: str
    y_label: str
    keeps_shape: bool = True


def project(
    items: Any, prepared: Shaped[np.ndarray, "n ..."], cluster_ranks: Int[np.ndarray, " n"]
) -> Projection:
    """Put vectors on paper.

    Two columns are drawn as they are. One column is drawn along x, its clusters one above the other. More
    columns are projected on the first two principal components of what the network saw.

    Parameters
    ----------
    items
        An array (n, d) or a data frame.
    prepared
        The same items as the network saw them.
    cluster_ranks
        The rank of each item's cluster.

    Examples
    --------
    >>> points = np.array([[0.0, 1.0], [2.0, 3.0]])
    >>> project(points, points, np.array([0, 1])).x_label
    'first coordinate'
    """
    own = _two_columns(items)
    if own is not None:
        names = [str(name) for name in getattr(items, "columns", ("first coordinate", "second coordinate"))]
        return Projection(own, names[0], names[1])
    vectors = prepared.reshape(len(prepared), -1).astype(np.float64)
    vectors = vectors[:, np.ptp(vectors, axis=0) > 0]  # padding with zeros and constants say nothing
    if vectors.shape[1] <= 1:
        along = vectors[:, 0] if vectors.shape[1] else np.zeros(len(vectors))
        rows = -cluster_ranks.astype(np.float64)
        return Projection(np.stack([along, rows], axis=1), "value", "cluster by cluster", keeps_shape=False)
    return _principal_components(vectors)


def _two_columns(items: Any) -> Float[np.ndarray, "n 2"] | None:
    try:
        values = np.asarray(items, dtype=np.float64)
    except (TypeError, ValueError):
        return None  # a data frame with words in it
    return values if values.ndim == 2 and values.shape[1] == 2 and np.isfinite(values).all() else None


def _principal_components(vectors: Float[np.ndarray, "n d"]) -> Projection:
    centred = vectors - vectors.mean(axis=0)
    _, singular_values, directions = np.linalg.svd(centred, full_matrices=False)
    # The sign of a component is arbitrary; the largest entry of its direction positive makes it repeatable.
    largest = np.abs(directions[:2]).argmax(axis=1)
    signs = np.sign(directions[[0, 1], largest])
    shares = singular_values**2 / (singular_values**2).sum()
    first, second = (f"{share:.0%} of the variance" for share in shares[:2])
    return Projection(
        centred @ (directions[:2] * signs[:, None]).T,
        f"first principal component ({first})",
        f"second principal component ({second})",
    )
