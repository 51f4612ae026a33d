"""Columns of a table on one scale, whatever their units, tails and outliers."""

import numpy as np
from jaxtyping import Float

TAIL = 0.05
"""Share of the values at either end that do not say where the fences stand."""


def scale_columns(
    points: Float[np.ndarray, "B n d"], values_of_full_weight: int = 1
) -> Float[np.ndarray, "B n d"]:
    r"""Columns with their tails drawn in, mean 0 and range 1; constant columns become 0.

    With :math:`r = q_{95} - q_5` of a column, values beyond the fences :math:`q_5 - r` and :math:`q_{95} + r`
    (five standard deviations of a Gaussian) keep their order and come closer,

    .. math:: x \mapsto q_{95} + r + r \log(1 + (x - q_{95} - r) / r),

    so that one absurd value cannot squeeze all others into a point. What is left is divided by its range, not
    by its standard deviation: a column that separates clusters has a large deviation for its range, and would
    be shrunk for that very reason (ours, after Milligan & Cooper). A column of few values, a yes or no, has a
    large deviation for its range too, and separates nothing: with m different values it is multiplied by

    .. math:: \min(1, \sqrt{(m - 1) / (v - 1)}).

    Parameters
    ----------
    points
        Sets of equally many items, finite.
    values_of_full_weight
        v, at most the number of items; 1 leaves all columns as they are.

    References
    ----------
    Milligan, Cooper, "A study of standardization of variables in cluster analysis", Journal of Classification
    5, 1988. https://doi.org/10.1007/BF01897163

    Examples
    --------
    >>> scaled = scale_columns(np.array([[[0.0, 5.0], [1.0, 5.0], [4.0, 5.0]]]))
    >>> np.ptp(scaled, axis=1).tolist(), bool(abs(scaled.mean()) < 1e-9)
    ([[1.0, 0.0]], True)
    """
    columns = np.ascontiguousarray(points.swapaxes(1, 2))  # (B, d, n): each column in one piece
    low, high = _bulk(columns)
    columns = _with_tails_drawn_in(columns, low, high)
    columns -= columns.mean(axis=2, keepdims=True)
    ranges = np.ptp(columns, axis=2)[..., None]
    # What varies by less than rounding does not vary.
    magnitude = np.maximum(np.abs(low), np.abs(high))
    is_constant = ranges <= 4 * np.finfo(columns.dtype).eps * magnitude
    factors = np.where(is_constant, 0.0, 1.0 / np.where(is_constant, 1.0, ranges))
    factors *= _weights(columns, min(values_of_full_weight, columns.shape[2]))
    columns *= factors.astype(columns.dtype)
    return columns.swapaxes(1, 2)


def _weights(columns: Float[np.ndarray, "B d n"], full: int) -> Float[np.ndarray, "B d 1"] | float:
    """What columns of few different values weigh; `full` of them and more weigh 1."""
    if full <= 1:
        return 1.0
    steps = np.count_nonzero(np.diff(np.sort(columns, axis=2), axis=2), axis=2)[..., None]
    return np.sqrt(np.minimum(steps / (full - 1), 1.0))


def _bulk(
    columns: Float[np.ndarray, "B d n"],
) -> tuple[Float[np.ndarray, "B d 1"], Float[np.ndarray, "B d 1"]]:
    """Where the middle 90 % of each column begins and ends."""
    last = columns.shape[2] - 1
    lower = int(TAIL * last)
    ordered = np.partition(columns, (lower, last - lower), axis=2)
    return ordered[..., lower, None], ordered[..., last - lower, None]


def _with_tails_drawn_in(
    columns: Float[np.ndarray, "B d n"], low: Float[np.ndarray, "B d 1"], high: Float[np.ndarray, "B d 1"]
) -> Float[np.ndarray, "B d n"]:
    reach = high - low
    # With 90 % of the values equal there is no scale to measure a tail by: it stays as it is.
    reach = np.where(reach > 0, reach, np.inf)
    centre = (low + high) / 2
    beyond = np.abs(columns - centre) - 1.5 * reach
    is_beyond = beyond > 0
    if not is_beyond.any():
        return columns
    excess = beyond[is_beyond]
    scale = np.broadcast_to(reach, columns.shape)[is_beyond]
    columns[is_beyond] -= np.sign(columns - centre)[is_beyond] * (excess - scale * np.log1p(excess / scale))
    return columns
