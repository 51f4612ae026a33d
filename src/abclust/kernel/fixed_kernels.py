"""Kernels that nothing taught: what a learned one has to beat."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances, rbf_kernel

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class RBFKernel:
    """Gaussian of the distance.

    .. math:: K_{ij} = \\exp(-\\gamma \\, \\|x_i - x_j\\|^2)

    Parameters
    ----------
    gamma
        Positive; None takes 1/d for d features, as scikit-learn's ``rbf_kernel`` does.

    Examples
    --------
    >>> RBFKernel(gamma=1.0).kernel([[0.0], [1.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    gamma: float | None = None

    def __post_init__(self) -> None:
        if self.gamma is not None and not self.gamma > 0:
            raise InvalidInputError(f"gamma must be positive, or None for 1/d. Got {self.gamma}.")

    def kernel(self, X: ArrayLike) -> Float[np.ndarray, "n n"]:
        """Give the kernel (n, n) of items (n, ...); images are flattened."""
        return _symmetric(rbf_kernel(_flat_items(X), gamma=self.gamma))


@dataclass(frozen=True)
class CosineKernel:
    """Cosine of the angle between two items, brought to [0, 1].

    .. math:: K_{ij} = \\tfrac12 \\left(1 + \\frac{x_i \\cdot x_j}{\\|x_i\\| \\, \\|x_j\\|}\\right)

    An item of nothing but zeros has no direction and stands at 1/2 to all, itself included.

    Examples
    --------
    >>> CosineKernel().kernel([[1.0, 0.0], [0.0, 2.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    def kernel(self, X: ArrayLike) -> Float[np.ndarray, "n n"]:
        """Give the kernel (n, n) of items (n, ...); images are flattened."""
        return _symmetric((1 + cosine_similarity(_flat_items(X))) / 2)


@dataclass(frozen=True)
class LocalScalingKernel:
    """Gaussian of the distance in the scale of the two items' own neighbourhoods.

    .. math:: K_{ij} = \\exp\\!\\left(-\\frac{\\|x_i - x_j\\|^2}{\\sigma_i \\sigma_j}\\right)

    with :math:`\\sigma_i` the distance from i to its `n_neighbors`-th nearest neighbour. Unlike the other
    two it looks at the set, and it needs no gamma: the strongest kernel without training for spectral
    clustering.

    Parameters
    ----------
    n_neighbors
        At least 1; sets with fewer other items use the farthest one. The reference found 7 to work
        throughout.

    References
    ----------
    Zelnik-Manor, Perona, "Self-tuning spectral clustering", NIPS 2004.
    https://papers.nips.cc/paper/2619-self-tuning-spectral-clustering

    Examples
    --------
    >>> LocalScalingKernel(n_neighbors=1).kernel([[0.0], [1.0], [10.0]]).round(3)
    array([[1.   , 0.368, 0.   ],
           [0.368, 1.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    n_neighbors: int = 7

    def __post_init__(self) -> None:
        if self.n_neighbors < 1:
            raise InvalidInputError(f"n_neighbors must be at least 1. Got {self.n_neighbors}.")

    def kernel(self, X: ArrayLike) -> Float[np.ndarray, "n n"]:
        """Give the kernel (n, n) of items (n, ...); images are flattened."""
        squared = euclidean_distances(_flat_items(X), squared=True)
        # Row i sorted starts with the item itself, so entry `n_neighbors` is its neighbour of that rank.
        rank = min(self.n_neighbors, len(squared) - 1)
        scales = np.sqrt(np.partition(squared, rank, axis=1)[:, rank])
        products = np.outer(scales, scales)
        # Duplicates have a scale of 0: they belong with what is at distance 0, and with nothing else.
        exponents = np.divide(squared, products, out=np.where(squared > 0, np.inf, 0.0), where=products > 0)
        return _symmetric(np.exp(-exponents))


def _flat_items(X: ArrayLike) -> Float[np.ndarray, "n d"]:
    items = np.asarray(X, dtype=np.float64)
    if items.ndim < 2 or 0 in items.shape:
        raise InvalidInputError(
            f"X must hold at least one item of at least one feature. Got shape {items.shape}."
        )
    if not np.all(np.isfinite(items)):
        raise InvalidInputError("X must hold finite numbers. Got NaN or an infinity.")
    return items.reshape(len(items), -1)


def _symmetric(matrix: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """Take out the rounding that scikit-learn's matrix products leave."""
    return np.clip((matrix + matrix.T) / 2, 0.0, 1.0)
