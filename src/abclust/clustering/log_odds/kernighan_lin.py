"""Kernighan-Lin: improve a split of a cluster by a chain of flips that may first make it worse."""

import numpy as np
from jaxtyping import Float, Int


def refine_splits(
    weights: Float[np.ndarray, "C m m"], sides: Int[np.ndarray, "C m"]
) -> tuple[Int[np.ndarray, "C m"], Float[np.ndarray, " C"]]:
    r"""Improve C splits of C clusters at once, and say what each split gains over leaving the cluster whole.

    The gain of a split into A and B is :math:`-\sum_{i \in A, j \in B} w_{ij}`. A pass flips every item
    once, the one that costs least first, and keeps the best split on the way; passes go on while they
    improve, which was five times at most on noise of 64 items.

    Parameters
    ----------
    weights : array of shape (C, m, m)
        Symmetric log-odds within each cluster, zero on the diagonal and on padding.
    sides : integer array of shape (C, m)
        1 or -1 for each item, 0 on padding. One side may be empty.

    Returns
    -------
    sides : integer array of shape (C, m)
        Both sides of every split hold an item. Every cluster must hold at least two.
    gains : array of shape (C,)

    References
    ----------
    Kernighan and Lin, "An efficient heuristic procedure for partitioning graphs", Bell System Technical
    Journal 49 (1970). DOI 10.1002/j.1538-7305.1970.tb01770.x
    """
    best_sides = sides.copy()
    best_gains = np.full(len(sides), -np.inf)
    active = np.arange(len(sides))
    while len(active):
        new_sides, new_gains = _pass(weights[active], best_sides[active])
        improved = new_gains > best_gains[active] + 1e-9 * (1 + np.abs(new_gains))
        active, new_sides, new_gains = active[improved], new_sides[improved], new_gains[improved]
        best_sides[active], best_gains[active] = new_sides, new_gains
    return best_sides, best_gains


def _pass(
    weights: Float[np.ndarray, "C m m"], sides: Int[np.ndarray, "C m"]
) -> tuple[Int[np.ndarray, "C m"], Float[np.ndarray, " C"]]:
    clusters = np.arange(len(sides))
    sides = sides.astype(np.float64)
    sizes = np.abs(sides).sum(axis=1)
    fields = np.einsum("cij,cj->ci", weights, sides)
    gains = (np.einsum("ci,ci->c", fields, sides) - weights.sum(axis=(1, 2))) / 4
    best_sides, best_gains = sides.copy(), np.where(np.abs(sides.sum(axis=1)) < sizes, gains, -np.inf)
    locked = sides == 0
    for _ in range(int(sizes.max())):
        flip_gains = np.where(locked, -np.inf, -sides * fields)
        flipped = flip_gains.argmax(axis=1)
        # A cluster whose items are all flipped adds -inf from here on and so keeps its best.
        gains = gains + flip_gains[clusters, flipped]
        old = sides[clusters, flipped]
        fields -= 2 * old[:, None] * weights[clusters, flipped]
        sides[clusters, flipped] = -old
        locked[clusters, flipped] = True
        better = (gains > best_gains) & (np.abs(sides.sum(axis=1)) < sizes)
        best_gains[better] = gains[better]
        best_sides[better] = sides[better]
    return best_sides.astype(np.int64), best_gains
