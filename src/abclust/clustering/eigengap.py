"""The number of clusters by the largest gap between eigenvalues."""

import numpy as np
from jaxtyping import Float

from abclust.clustering.checks import Bounds
from abclust.clustering.eigenvectors import extreme_eigenvalues
from abclust.clustering.laplacian import normalised_affinity


def eigengaps(kernel: Float[np.ndarray, "*B n n"]) -> Float[np.ndarray, "*B n"]:
    r"""The gaps :math:`\lambda_i - \lambda_{i+1}` of the normalised affinity's eigenvalues, falling.

    Gap i speaks for i clusters. The paper prints the i-th largest eigenvalue of L = I - D^{-1/2} A D^{-1/2};
    on a perfect block matrix of k clusters that reading answers n - k. The reading that works, which is also
    the one of the authors' code, takes D^{-1/2} A D^{-1/2} itself (authors' code). The printed argmax runs to
    i = n, where :math:`\lambda_{n+1}` does not exist; it is 0 here, so that a kernel of n separate items
    answers n (ours).

    Parameters
    ----------
    kernel : array of shape (n, n) or (B, n, n)

    References
    ----------
    von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007). DOI
    10.1007/s11222-007-9033-z

    Examples
    --------
    >>> eigengaps(np.kron(np.eye(2), np.ones((2, 2)))).round(9).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    return gaps_of_eigenvalues(np.linalg.eigvalsh(normalised_affinity(kernel)))


def gaps_of_eigenvalues(ascending: Float[np.ndarray, "*B n"]) -> Float[np.ndarray, "*B n"]:
    """The gaps between falling eigenvalues, the last one to 0."""
    falling = ascending[..., ::-1]
    return falling - np.concatenate([falling[..., 1:], np.zeros_like(falling[..., :1])], axis=-1)


def largest_gap(gaps: Float[np.ndarray, " m"], bounds: Bounds | None = None) -> int:
    """The number of clusters with the largest gap, within the bounds.

    Gaps that differ by rounding only are equal, and the smallest number wins.
    """
    lower, upper = bounds or Bounds(1, len(gaps))
    allowed = gaps[lower - 1 : upper]
    return lower + int(np.argmax(allowed >= allowed.max() - 1e-12))


def leading_gaps(affinity: Float[np.ndarray, "n n"], bounds: Bounds | None = None) -> Float[np.ndarray, " m"]:
    """The first gaps of one normalised affinity: all of a small one, of a large one as many as settle k.

    The gaps after the m-th add up to the m-th eigenvalue minus the smallest. As soon as that is less than the
    largest gap so far, no later gap can win, and the rest of the spectrum need not be known. A given upper
    bound settles it as well.
    """
    n_items = len(affinity)
    n_wanted = 64 if bounds is None else min(bounds.upper + 1, n_items)
    while (extremes := extreme_eigenvalues(affinity, n_wanted)) is not None:
        falling, smallest = extremes
        gaps = falling[:-1] - falling[1:]
        if bounds is not None or falling[-1] - min(smallest, 0.0) < gaps.max():
            return gaps
        n_wanted *= 2
    return gaps_of_eigenvalues(np.linalg.eigvalsh(affinity))
