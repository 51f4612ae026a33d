"""Other looks at prepared vectors that mean the same: signs and rotations are left open by them."""

import numpy as np
from jaxtyping import Float

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.foundations.errors import InvalidInputError


def vary_vectors(
    prepared: Float[np.ndarray, "B n w"],
    preparation: VectorPreparation,
    generator: np.random.Generator,
    rotated_share: float = 0.3,
) -> Float[np.ndarray, "B n w"]:
    """Random signs of all coordinates, and in some sets a random rotation of the principal components.

    Neither changes what is near to what. A network that is trained on such copies learns that signs mean
    nothing and that axes mean little; averaged over such copies it errs less.

    Parameters
    ----------
    prepared
        From :func:`~abclust.datasets.vector_preparation.prepare_vector_batch`.
    preparation
        What it was prepared by.
    generator
        Says which signs and rotations.
    rotated_share
        The probability that the principal components of a set are rotated among each other.

    Raises
    ------
    InvalidInputError
        If the width is not that of the preparation.
    """
    if prepared.shape[2] != preparation.width:
        raise InvalidInputError(
            f"prepared must have the {preparation.width} columns of its preparation. Got {prepared.shape[2]}."
        )
    n_sets = len(prepared)
    signs = generator.choice(np.array([-1.0, 1.0], np.float32), (n_sets, 1, preparation.n_signed))
    varied = prepared.copy()
    varied[..., : preparation.n_signed] *= signs
    turned = np.flatnonzero(generator.random(n_sets) < rotated_share)
    n_present = int(prepared[..., : preparation.n_components].any(axis=(0, 1)).sum())
    if len(turned) and n_present > 1:
        rotations = _rotations(len(turned), n_present, generator)
        varied[turned, :, :n_present] = varied[turned, :, :n_present] @ rotations
    return varied


def _rotations(count: int, size: int, generator: np.random.Generator) -> Float[np.ndarray, "B m m"]:
    """Orthogonal matrices, uniform up to signs, which are random already."""
    return np.linalg.qr(generator.standard_normal((count, size, size), dtype=np.float32))[0]
