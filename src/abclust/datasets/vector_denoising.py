"""What the noise of many columns adds to principal components, and how much of each is left without it."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

_GRID = 4001
_ROUNDING = 1e-6
"""Of the largest variance: directions below hold nothing."""


def signal_shares(
    squares: Float[np.ndarray, "B r"], n_items: int, n_columns: Int[np.ndarray, " B"]
) -> Float[np.ndarray, "B r"]:
    r"""Factors for principal components that leave the most probable signal of a noisy table.

    Noise of many columns has directions of large variance by chance alone: with n items and d columns,
    singular values up to :math:`1 + \sqrt\beta`, :math:`\beta = \min(n, d) / \max(n, d)`, in units of the
    noise. A direction of singular value y is multiplied by

    .. math:: \frac{\sqrt{(y^2 - \beta - 1)^2 - 4 \beta}}{y^2} \text{ if } y > 1 + \sqrt\beta,
        \text{ else } 0,

    which comes nearest to the table without noise (Gavish & Donoho). The size of the noise is what makes the
    median of the singular values that of noise alone. Where no direction stands out, all stay as they are.

    Parameters
    ----------
    squares
        Squared singular values of centred tables, largest first, all that there are.
    n_items
        Rows of each table.
    n_columns
        Columns of each table that vary.

    References
    ----------
    M. Gavish and D. L. Donoho, "Optimal shrinkage of singular values", IEEE Transactions on Information
    Theory 63, 2017. https://doi.org/10.1109/TIT.2017.2653801

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = rng.standard_normal((200, 50)) + 3 * rng.standard_normal((200, 1))
    >>> squares = np.linalg.svd(table - table.mean(axis=0), compute_uv=False)[None] ** 2
    >>> signal_shares(squares, 200, np.array([50]))[0, :3].round(2).tolist()
    [1.0, 0.0, 0.0]
    """
    shares = np.ones_like(squares)
    for own, given, width in zip(shares, squares, n_columns):
        rank = int(np.count_nonzero(given > _ROUNDING * given[0]))
        few, many = sorted((n_items - 1, int(width)))
        if rank < 2 or few < 2:
            continue
        ratio = few / many
        in_noise = given / (np.median(given[:rank]) / _median_of_noise(ratio))
        is_signal = in_noise > (1 + np.sqrt(ratio)) ** 2
        if is_signal.any():
            left = np.sqrt(np.maximum((in_noise - ratio - 1) ** 2 - 4 * ratio, 0))
            own[:] = np.where(is_signal, left / np.maximum(in_noise, 1.0), 0.0)
    return shares


@lru_cache(maxsize=256)
def _median_of_noise(ratio: float) -> float:
    r"""The median of the Marchenko-Pastur law, of squared singular values of noise of variance 1 / many."""
    low, high = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2
    # Equally spaced in the angle: the density is infinite at 0 where the table is square.
    angles = (np.arange(_GRID) + 0.5) * np.pi / _GRID
    values = (low + high) / 2 - (high - low) / 2 * np.cos(angles)
    mass = np.cumsum(np.sin(angles) ** 2 / values)
    return float(values[np.searchsorted(mass, mass[-1] / 2)])
