"""Directions to look at a set of vectors from: of most variance, and of closest neighbours."""

import numpy as np
from jaxtyping import Float

from abclust.datasets.vector_denoising import signal_shares

SMALLEST_DEVIATION = 1e-3
"""Directions whose deviation is below this share of the largest one hold rounding, not data; unless another
share is asked for."""


def principal_components(
    points: Float[np.ndarray, "B n d"], n_components: int, *, denoised: bool = False
) -> Float[np.ndarray, "B n m"]:
    """Coordinates along the directions of most variance, m = min(d, n - 1, `n_components`) of them.

    The sign of a direction, which the definition leaves open, is the one with a positive third moment, so
    that the coordinates depend neither on the order of the items nor on the sign of a column.

    Parameters
    ----------
    points
        Sets with columns of mean 0.
    n_components
        The most that are wanted.
    denoised
        Leave of each what noise in every column would not bring about by itself, see
        :func:`~abclust.datasets.vector_denoising.signal_shares`.

    Examples
    --------
    >>> principal_components(np.array([[[-1.0, -1.0], [-1.0, -1.0], [2.0, 2.0]]]), 1).round(3).tolist()
    [[[-1.414], [-1.414], [2.828]]]
    """
    n_items, n_features = points.shape[1:]
    kept = max(0, min(n_features, n_items - 1, n_components))
    if kept == 0:
        return points[..., :0]
    if n_features <= n_items:
        squares, directions = np.linalg.eigh(points.swapaxes(1, 2) @ points)
        scores = points @ directions[..., : -kept - 1 : -1]
    else:  # the same coordinates from the smaller of the two matrices
        squares, items = np.linalg.eigh(points @ points.swapaxes(1, 2))
        scores = items[..., : -kept - 1 : -1] * np.sqrt(np.maximum(squares[:, None, : -kept - 1 : -1], 0.0))
    if denoised:
        shares = signal_shares(squares[:, ::-1], n_items, points.any(axis=1).sum(axis=1))
        scores = scores * shares[:, None, :kept].astype(scores.dtype)
    return with_positive_skew(scores)


def whitened(
    scores: Float[np.ndarray, "B n m"], smallest_deviation: float = SMALLEST_DEVIATION
) -> Float[np.ndarray, "B n m"]:
    """Uncorrelated columns of mean 0, divided by their deviation; columns of rounding become 0.

    Parameters
    ----------
    scores
        From :func:`principal_components`.
    smallest_deviation
        What is below this share of the largest deviation is rounding.
    """
    deviations = np.sqrt(np.mean(scores**2, axis=1, keepdims=True))
    largest = deviations.max(axis=2, keepdims=True, initial=0.0)
    is_data = deviations > np.maximum(smallest_deviation * largest, np.finfo(scores.dtype).tiny)
    return scores * np.where(is_data, 1.0 / np.where(is_data, deviations, 1.0), 0.0).astype(scores.dtype)


def local_directions(
    white: Float[np.ndarray, "B n m"], affinity: Float[np.ndarray, "B n n"], n_components: int
) -> Float[np.ndarray, "B n c"]:
    r"""Whitened coordinates along the directions in which neighbours are closest, closest first.

    Directions v that minimise :math:`\sum_{ij} a_{ij} (v \cdot w_i - v \cdot w_j)^2` under
    :math:`\sum_i (v \cdot w_i)^2 = n`: however little a direction varies, it comes first if neighbours agree
    in it, as they do in a direction that separates clusters. (Locality preserving projections, He & Niyogi;
    the same idea, affine invariance and all, is invariant coordinate selection, Tyler et al.)

    Parameters
    ----------
    white
        From :func:`whitened`.
    affinity
        Symmetric weights of pairs, large for neighbours.
    n_components
        c is this many, or m if that is less.

    References
    ----------
    He, Niyogi, "Locality preserving projections", NIPS 2003.
    Tyler, Critchley, Dumbgen, Oja, "Invariant coordinate selection", JRSS B 71, 2009.
    https://doi.org/10.1111/j.1467-9868.2009.00706.x
    """
    degrees = affinity.sum(axis=2)[..., None]
    scatter = white.swapaxes(1, 2) @ (degrees * white - affinity @ white)
    # A column of zeros has no scatter, and would come first: it is pushed behind all others.
    is_empty = ~white.any(axis=1)
    scatter += np.eye(white.shape[2], dtype=white.dtype) * (is_empty * 4 * degrees.sum(axis=1))[:, None]
    _, directions = np.linalg.eigh(scatter)
    return with_positive_skew(white @ directions[..., :n_components])


def with_positive_skew(scores: Float[np.ndarray, "B n m"]) -> Float[np.ndarray, "B n m"]:
    """The same columns, turned over where their third moment is negative."""
    signs = np.where(np.sum(scores**3, axis=1, keepdims=True) < 0, -1.0, 1.0)
    return scores * signs.astype(scores.dtype)
