"""Spectral clustering of many kernels at once, with the number of clusters given or by the eigengap."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.checks import Bounds
from abclust.clustering.eigengap import gaps_of_eigenvalues, largest_gap, leading_gaps
from abclust.clustering.eigenvectors import leading_eigenpairs
from abclust.clustering.label_assignment import ASSIGNMENTS
from abclust.clustering.laplacian import normalised_affinity
from abclust.foundations.options import resolve
from abclust.foundations.random_state import Seed, as_generator

_STACK_UP_TO = (
    300  # items; above, a matrix keeps the cores busy alone and only the wanted vectors are computed
)
_STACK_ELEMENTS = 2**19


def spectral_labels(
    kernels: Sequence[Float[np.ndarray, "_ _"]],
    bounds: Sequence[Bounds | None],
    *,
    assign_labels: str = "cluster_qr",
    random_state: Seed = None,
) -> list[Int[np.ndarray, " _"]]:
    """Cluster by the leading eigenvectors of the normalised affinity, as the paper (paper Sec. 3.4).

    Kernels of one size are decomposed in one stack. Without a given number of clusters the eigengap decides
    from the same decomposition.

    Parameters
    ----------
    kernels : sequence of arrays of shape (n, n)
    bounds : sequence of Bounds or None
        The number of clusters allowed; where it leaves a choice, the largest eigengap within it decides.
    assign_labels : {"cluster_qr", "discretize", "kmeans"}
    random_state : int, generator or None
        Used by k-means and discretisation only.

    Returns
    -------
    list of integer arrays of shape (n,), in canonical order
        A method of assignment may leave a cluster empty, as scikit-learn's may.

    References
    ----------
    von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007). DOI
    10.1007/s11222-007-9033-z
    """
    assign = resolve("assign_labels", assign_labels, ASSIGNMENTS)
    # One seed for every kernel: what a set gets does not depend on its company.
    seed = int(as_generator(random_state).integers(2**31 - 1))
    found: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * len(kernels)
    for positions in _same_size(kernels):
        stack = normalised_affinity(np.stack([kernels[position] for position in positions]))
        if stack.shape[1] <= _STACK_UP_TO:
            values, vectors = np.linalg.eigh(stack)
            gaps = gaps_of_eigenvalues(values)
            for row, position in enumerate(positions):
                n_clusters = largest_gap(gaps[row], bounds[position])
                leading = vectors[row, :, : -n_clusters - 1 : -1]
                found[position] = canonical_labels(assign(leading, seed))
        else:
            found[positions[0]] = canonical_labels(
                assign(_leading_vectors(stack[0], bounds[positions[0]]), seed)
            )
    return found


def _leading_vectors(affinity: Float[np.ndarray, "n n"], bounds: Bounds | None) -> Float[np.ndarray, "n k"]:
    """The leading eigenvectors of one large matrix, as many as there are clusters."""
    if bounds is None or not bounds.exact:
        n_clusters = largest_gap(leading_gaps(affinity, bounds), bounds)
    else:
        n_clusters = bounds.lower
    return leading_eigenpairs(affinity, n_clusters)[1]


def _same_size(kernels: Sequence[np.ndarray]) -> Iterator[list[int]]:
    """Positions of kernels of one size, in stacks that fit the cache; large kernels alone."""
    sizes = np.array([len(kernel) for kernel in kernels], dtype=np.int64)
    for size in np.unique(sizes):
        positions = np.flatnonzero(sizes == size).tolist()
        width = max(1, _STACK_ELEMENTS // int(size) ** 2) if size <= _STACK_UP_TO else 1
        for start in range(0, len(positions), width):
            yield positions[start : start + width]
