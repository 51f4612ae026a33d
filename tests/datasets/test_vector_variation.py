"""Signs and rotations keep every distance, and leave alone what is no coordinate."""

import numpy as np
import pytest

from abclust.datasets.vector_neighbourhood import squared_distances
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vector_batch
from abclust.datasets.vector_variation import vary_vectors
from abclust.foundations.errors import InvalidInputError

PREPARATION = VectorPreparation(n_components=5, n_projected=7, n_diffusion=3)
PREPARED = prepare_vector_batch(np.random.default_rng(0).standard_normal((11, 23, 4)), PREPARATION)


@pytest.mark.parametrize("rotated_share", [0.0, 1.0])
def test_distances_within_each_group_of_columns_stay(rotated_share: float) -> None:
    varied = vary_vectors(PREPARED, PREPARATION, np.random.default_rng(1), rotated_share)
    for columns in (slice(0, 5), slice(5, 10), slice(10, 13)):
        np.testing.assert_allclose(
            squared_distances(varied[..., columns]), squared_distances(PREPARED[..., columns]), atol=1e-4
        )
    np.testing.assert_array_equal(varied[..., 13:], PREPARED[..., 13:])


def test_without_rotation_only_signs_change_and_both_come_equally_often() -> None:
    varied = vary_vectors(PREPARED, PREPARATION, np.random.default_rng(1), 0.0)
    np.testing.assert_array_equal(np.abs(varied), np.abs(PREPARED))
    flipped = np.sum(varied * PREPARED, axis=1)[:, [0, 1, 2, 3, 5, 6, 7, 8]] < 0
    assert 0.3 < flipped.mean() < 0.7


def test_the_stated_share_is_rotated_among_the_components_that_there_are() -> None:
    prepared = np.repeat(PREPARED, 50, axis=0)
    varied = vary_vectors(prepared, PREPARATION, np.random.default_rng(2), 0.3)
    is_rotated = np.abs(np.abs(varied) - np.abs(prepared)).max(axis=(1, 2)) > 1e-3
    assert 0.25 < is_rotated.mean() < 0.35
    assert not varied[..., 4].any()


def test_another_width_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="18 columns"):
        vary_vectors(PREPARED[..., 1:], PREPARATION, np.random.default_rng(0))
