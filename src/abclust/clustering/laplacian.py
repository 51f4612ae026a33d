"""The normalised affinity and the normalised Laplacian of a kernel."""

import numpy as np
from jaxtyping import Float


def degrees(kernel: Float[np.ndarray, "*B n n"]) -> Float[np.ndarray, "*B n"]:
    r"""The degree of each item, :math:`d_i = \sum_j a_{ij}`, the diagonal as predicted included."""
    return kernel.sum(axis=-1)


def normalised_affinity(kernel: Float[np.ndarray, "*B n n"]) -> Float[np.ndarray, "*B n n"]:
    r"""The normalised affinity :math:`D^{-1/2} A D^{-1/2}` (paper Sec. 3.4), of one kernel or of a batch.

    The diagonal stays as predicted; scikit-learn's own Laplacian would set it to zero first. An item without
    any affinity, not even to itself, is treated as a cluster of its own: its diagonal entry is 1 (ours).

    Parameters
    ----------
    kernel : array of shape (n, n) or (B, n, n)
        Symmetric, in [0, 1].

    Examples
    --------
    >>> normalised_affinity(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])).round(3).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    degree = degrees(kernel)
    is_alone = degree == 0
    scale = 1.0 / np.sqrt(np.where(is_alone, 1.0, degree))
    affinity = kernel * scale[..., :, None] * scale[..., None, :]
    diagonal = np.arange(kernel.shape[-1])
    affinity[..., diagonal, diagonal] += is_alone
    return affinity


def normalised_laplacian(kernel: Float[np.ndarray, "*B n n"]) -> Float[np.ndarray, "*B n n"]:
    r"""The normalised Laplacian :math:`L = I - D^{-1/2} A D^{-1/2}` (paper Sec. 3.4).

    References
    ----------
    von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007). DOI
    10.1007/s11222-007-9033-z
    """
    return np.eye(kernel.shape[-1]) - normalised_affinity(kernel)
