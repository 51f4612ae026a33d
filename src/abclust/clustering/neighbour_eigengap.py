"""The number of clusters by the eigengap of a binarised neighbour graph whose width tunes itself (NME)."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from abclust.clustering.checks import Bounds
from abclust.clustering.eigengap import eigengaps, gaps_of_eigenvalues, largest_gap
from abclust.clustering.laplacian import normalised_affinity

_FEWEST_ITEMS = (
    4  # among fewer, the two nearest are everybody or nearly so; the plain eigengap answers for them
)
_WIDEST_SHARE = 0.25  # of the set, as published; wider neighbourhoods reach across clusters
_MAX_WIDTHS = 24  # widths tried, spread evenly over the range when it has more


class NeighbourGaps(NamedTuple):
    """The gaps that speak for 1, 2, ... clusters, and the width p of the graph that shows them."""

    gaps: Float[np.ndarray, " m"]
    width: int


def neighbour_eigengaps(kernel: Float[np.ndarray, "n n"], bounds: Bounds | None = None) -> NeighbourGaps:
    r"""The eigengaps of the p-neighbour graph of the best p, by the normalised maximum eigengap (NME).

    For each width p every item keeps its p largest affinities (itself included, ties kept, zeros not), as
    ones; the graph is averaged with its transpose. With :math:`g_p` its largest gap, the p of least
    :math:`\sqrt{p} / g_p` wins.

    Three things are ours. The gaps are those of the normalised affinity, because the published unnormalised
    Laplacian finds gaps between clusters of unequal size as well. A graph of width p speaks for at most n / p
    clusters, or as many as it has components; without that limit the narrowest graphs always win. The penalty
    is the root of p, not p, for the same reason: on planted kernels of 2 to 5 clusters in 100 items the error
    fell from 4 to 0.

    References
    ----------
    Park, Han, Kumar and Narayanan, "Auto-tuning spectral clustering for speaker diarization using normalized
    maximum eigengap", IEEE Signal Processing Letters 27 (2020). DOI 10.1109/LSP.2019.2961071

    Examples
    --------
    >>> found = neighbour_eigengaps(np.kron(np.eye(3), np.ones((5, 5))))
    >>> int(found.gaps.argmax()) + 1
    3
    """
    n_items = len(kernel)
    if n_items < _FEWEST_ITEMS:
        return NeighbourGaps(eigengaps(kernel), n_items)
    best, least_ratio = None, np.inf
    for width in _widths(n_items):
        graph = neighbour_graph(kernel, int(width))
        limit = max(n_items // int(width), connected_components(csr_array(graph), directed=False)[0])
        if bounds is not None and bounds.lower > limit:
            limit = bounds.lower
        gaps = gaps_of_eigenvalues(np.linalg.eigvalsh(normalised_affinity(graph)))[:limit]
        allowed = None if bounds is None else Bounds(bounds.lower, min(bounds.upper, limit))
        largest = gaps[largest_gap(gaps, allowed) - 1]
        ratio = np.sqrt(width) / max(largest, np.finfo(float).eps)
        if best is None or ratio < least_ratio:
            best, least_ratio = NeighbourGaps(gaps, int(width)), ratio
    assert best is not None  # there is always a width
    return best


def neighbour_graph(kernel: Float[np.ndarray, "n n"], width: int) -> Float[np.ndarray, "n n"]:
    """Ones where two items are among the `width` nearest of each other, halves where only one is."""
    threshold = np.partition(kernel, len(kernel) - width, axis=1)[:, len(kernel) - width]
    is_near = (kernel >= threshold[:, None]) & (kernel > 0)
    return (is_near.astype(np.float64) + is_near.T) / 2


def _widths(n_items: int) -> Int[np.ndarray, " w"]:
    """From 2, where an item sees one other, to a quarter of the set."""
    widest = max(2, int(n_items * _WIDEST_SHARE))
    return np.unique(np.linspace(2, widest, min(_MAX_WIDTHS, widest - 1)).round().astype(np.int64))
