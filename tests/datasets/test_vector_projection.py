"""Principal components against scikit-learn's, whitening, and directions of close neighbours."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from abclust.datasets.vector_neighbourhood import local_affinity, squared_distances
from abclust.datasets.vector_projection import local_directions, principal_components, whitened


def _centred(shape: tuple[int, int, int], seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).gamma(1.0, 1.0, shape) * np.arange(1, shape[2] + 1)
    return points - points.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("shape", [(3, 31, 7), (3, 11, 29)])
def test_components_are_those_of_scikit_learn_up_to_sign(shape: tuple[int, int, int]) -> None:
    points = _centred(shape)
    for found, one in zip(principal_components(points, 5), points, strict=True):
        expected = PCA(5).fit_transform(one)
        np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-6, atol=1e-8)
        assert (np.sum(found**3, axis=0) >= 0).all()


def test_there_are_never_more_components_than_the_data_allow() -> None:
    assert principal_components(_centred((2, 5, 17)), 11).shape == (2, 5, 4)
    assert principal_components(_centred((2, 17, 3)), 11).shape == (2, 17, 3)
    assert principal_components(np.zeros((2, 1, 3)), 11).shape == (2, 1, 0)


def test_components_follow_the_items_and_ignore_the_order_and_sign_of_columns() -> None:
    points = _centred((1, 23, 5))
    order = np.random.default_rng(1).permutation(23)
    found = principal_components(points, 3)
    np.testing.assert_allclose(principal_components(points[:, order], 3), found[:, order], atol=1e-9)
    np.testing.assert_allclose(principal_components(-points[..., ::-1], 3), found, atol=1e-9)


def test_whitened_columns_have_the_identity_as_covariance_and_rounding_is_dropped() -> None:
    scores = principal_components(_centred((2, 43, 5)), 5)
    scores = np.concatenate([scores, 1e-6 * scores[..., :1]], axis=2)
    white = whitened(scores)
    np.testing.assert_allclose(white[0, :, :5].T @ white[0, :, :5] / 43, np.eye(5), atol=1e-9)
    assert not white[..., 5].any()


def test_the_first_direction_is_the_one_in_which_neighbours_agree_however_little_it_varies() -> None:
    rng = np.random.default_rng(3)
    labels = np.arange(300) % 2
    points = np.column_stack([rng.standard_normal((300, 5)), 0.8 * labels + rng.normal(0, 0.05, 300)])[None]
    points -= points.mean(axis=1, keepdims=True)
    scores = principal_components(points, 6)
    assert abs(np.corrcoef(scores[0, :, 5], labels)[0, 1]) > 0.95
    white = whitened(scores)
    squares = squared_distances(white)
    affinity = local_affinity(squares, np.sort(squares, axis=2)[:, :, 17])
    found = local_directions(white, affinity, 1)
    assert abs(np.corrcoef(found[0, :, 0], labels)[0, 1]) > 0.95


def test_local_directions_minimise_the_scatter_of_neighbours() -> None:
    white = whitened(principal_components(_centred((1, 19, 3)), 3))
    affinity = np.random.default_rng(5).random((1, 19, 19))
    affinity += affinity.swapaxes(1, 2)

    def scatter(column: np.ndarray) -> float:
        return sum(
            float(affinity[0, i, j] * (column[i] - column[j]) ** 2) for i in range(19) for j in range(19)
        )

    found = local_directions(white, affinity, 3)[0]
    scatters = [scatter(column) for column in found.T]
    assert scatters == sorted(scatters)
    for angle in np.linspace(0, np.pi, 7):
        other = white[0] @ np.array([np.cos(angle), np.sin(angle) * 0.6, np.sin(angle) * 0.8])
        assert scatters[0] <= scatter(other) + 1e-6 <= scatters[-1] + 2e-6
