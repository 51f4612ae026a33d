"""Points on circles: the generator's law, its vectorisation, and the oracle's scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from abclust.datasets import circle_batch, circles
from abclust.foundations.errors import InvalidInputError


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 3), st.integers(0, 31), st.integers(0, 99))
def test_every_point_lies_on_its_own_circle(n_sets, fewest, more, extra, seed):
    n_points = fewest + more + extra
    batch = circle_batch(n_sets, n_points, (fewest, fewest + more), seed=seed)
    for points, labels, centres, radii, k in zip(
        batch.points, batch.labels, batch.centres, batch.radii, batch.n_circles
    ):
        distances = np.linalg.norm(points - centres[labels], axis=1)
        np.testing.assert_allclose(distances, radii[labels], atol=1e-6)
        assert labels[0] == 0
        assert set(labels.tolist()) == set(range(int(k)))
        assert np.isfinite(radii[:k]).all()
        assert np.isnan(radii[k:]).all()


def test_labels_are_numbered_by_first_appearance():
    for labels in circle_batch(11, 23, 5, seed=0).labels:
        assert (np.diff(np.maximum.accumulate(labels)) <= 1).all()


def test_the_number_of_circles_takes_every_value_of_its_range():
    batch = circle_batch(400, 23, (1, 4), seed=3)
    values, counts = np.unique(batch.n_circles, return_counts=True)
    assert values.tolist() == [1, 2, 3, 4]
    assert abs(counts - 100).max() < 50


def test_centres_and_radii_follow_the_authors_law():
    batch = circle_batch(3000, 7, 4, seed=1)
    from_origin = np.linalg.norm(batch.centres, axis=2)
    assert from_origin.max() <= 0.5
    assert abs((from_origin < 0.25).mean() - 0.25) < 0.02  # uniform in the disc: a quarter of the area
    assert abs(batch.radii.mean() - 0.3) < 0.005
    # Phi(-1) = .1587 of the mass is clipped onto either end.
    assert abs((batch.radii == 0.2).mean() - 0.1587) < 0.02
    assert abs((batch.radii == 0.4).mean() - 0.1587) < 0.02


def test_sizes_are_multinomial_plus_one():
    batch = circle_batch(3000, 19, 3, seed=2)
    sizes = (batch.labels[:, :, None] == np.arange(3)).sum(axis=1)
    assert sizes.min() >= 1
    # One more on every circle changes the mean, not the variance: 16 * 1/3 * 2/3.
    assert abs(sizes.var() - 16 * 2 / 9) < 0.15


def test_each_of_m_equal_arcs_of_a_circle_holds_one_of_its_m_points():
    batch = circle_batch(13, 29, 3, seed=5)
    for points, labels, centres in zip(batch.points, batch.labels, batch.centres):
        for circle in range(3):
            x, y = (points[labels == circle] - centres[circle]).T
            arcs = np.floor(np.arctan2(y, x) % (2 * np.pi) / (2 * np.pi) * len(x) + 1e-6)
            assert len(set(arcs.tolist())) >= len(x) - 1  # one may sit on a border in float32


@pytest.mark.parametrize(("noise", "score"), [(0.0, 1.0), (0.005, 0.92), (0.01, 0.86), (0.02, 0.74)])
def test_the_oracle_scores_what_is_recoverable(noise, score):
    batch = circle_batch(200, 100, 4, noise=noise, seed=7)
    scores = [adjusted_rand_score(*pair) for pair in zip(batch.labels, batch.nearest_circle())]
    assert np.mean(scores) == pytest.approx(score, abs=0.01 if noise else 1e-12)


def test_noise_has_the_stated_deviation():
    batch = circle_batch(101, 50, 1, noise=0.01, seed=3)
    off_line = np.linalg.norm(batch.points - batch.centres, axis=2) - batch.radii
    assert off_line.std() == pytest.approx(0.01, rel=0.05)


def test_sets_are_the_rows_of_the_batch_and_a_seed_repeats_them():
    batch, sets = circle_batch(3, 17, 4, seed=11), circles(n_sets=3, n_points=17, n_circles=4, seed=11)
    assert [each.items.tolist() for each in sets] == batch.points.tolist()
    assert [each.labels.tolist() for each in sets] == batch.labels.tolist()


def test_the_number_of_points_may_vary():
    assert {each.n_items for each in circles(n_sets=50, n_points=(5, 8), seed=0)} == {5, 6, 7, 8}


@pytest.mark.parametrize(
    "options",
    [
        {"n_circles": 5, "n_points": 3},
        {"n_circles": 0},
        {"n_circles": (3, 2)},
        {"n_sets": 0},
        {"noise": -0.1},
        {"noise": float("nan")},
        {"n_points": (7, 5)},
    ],
)
def test_impossible_circles_are_refused(options):
    with pytest.raises(InvalidInputError):
        circles(**options)
