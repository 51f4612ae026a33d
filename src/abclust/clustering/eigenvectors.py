"""Leading eigenvectors: many small matrices at once, or a few vectors of one large matrix."""

from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

# Twenty vectors of 500 items take 17 ms densely and 10 ms by Lanczos, of 1,000 items 83 and 17, of 2,000
# items 650 and 73; fifty of 1,000 items 95 and 61, so the wanted vectors have to be few.
_DENSE_UP_TO = 500
_FEW = 0.05
_TOLERANCE: Any = 1e-6  # relative; scipy's stubs take it for an int


def leading_eigenpairs(
    matrix: Float[np.ndarray, "n n"], n_vectors: int
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, "n k"]]:
    """The `n_vectors` largest eigenvalues of a symmetric matrix, falling, and their eigenvectors as columns.

    Dense for small matrices, Lanczos (ARPACK) for few vectors of large ones; a Lanczos run that does not
    converge is done again densely.
    """
    n_items = len(matrix)
    if _is_for_lanczos(n_items, n_vectors):
        try:
            values, vectors = eigsh(matrix, k=n_vectors, which="LA", v0=_start(n_items), tol=_TOLERANCE)
            order = np.argsort(-values, kind="stable")
            return values[order], vectors[:, order]
        except ArpackNoConvergence:
            pass
    values, vectors = eigh(matrix, subset_by_index=(n_items - n_vectors, n_items - 1))
    return values[::-1], vectors[:, ::-1]


def extreme_eigenvalues(
    matrix: Float[np.ndarray, "n n"], n_values: int
) -> tuple[Float[np.ndarray, " k"], float] | None:
    """The largest eigenvalues, falling, and the smallest one; None where computing all of them costs less."""
    n_items = len(matrix)
    if not _is_for_lanczos(n_items, n_values):
        return None
    try:
        largest = _lanczos_values(matrix, n_values, "LA")
        smallest = _lanczos_values(matrix, 1, "SA")
    except ArpackNoConvergence:
        return None
    return -np.sort(-largest), float(smallest[0])


def _lanczos_values(matrix: Float[np.ndarray, "n n"], n_values: int, which: str) -> Float[np.ndarray, " k"]:
    values: Any = eigsh(
        matrix, k=n_values, which=which, v0=_start(len(matrix)), tol=_TOLERANCE, return_eigenvectors=False
    )
    return values


def _is_for_lanczos(n_items: int, n_wanted: int) -> bool:
    return n_items > _DENSE_UP_TO and n_wanted < _FEW * n_items


def _start(n_items: int) -> Float[np.ndarray, " n"]:
    """Where Lanczos begins; fixed, so that the same input gives the same vectors."""
    return 1.0 + 0.5 * np.cos(np.arange(n_items))
