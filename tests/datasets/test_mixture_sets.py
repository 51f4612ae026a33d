"""Generated sets of vectors: every set as its family says, the same for the same seed, made all at once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets import MixtureFamily, mixture_batch, mixtures
from abclust.datasets.mixture_tables import LARGEST_OWN_NOISE, measure_causes, with_sums
from abclust.foundations.errors import InvalidInputError

PLAIN = MixtureFamily(
    stretched_share=0.0,
    density_deviation=0.0,
    uninformative_share=0.0,
    curve_share=0.0,
    outlier_share=0.0,
    correlated_share=0.0,
    caused_share=0.0,
    clumped_share=0.0,
    bent_share=0.0,
    rotated_share=0.0,
    table_share=0.0,
    sphere_share=0.0,
    shapes=("gaussian",),
)


@given(
    n_sets=st.integers(1, 7),
    n_points=st.integers(1, 60),
    n_features=st.integers(1, 20),
    seed=st.integers(0, 999),
)
def test_every_set_is_finite_and_its_labels_are_canonical(n_sets, n_points, n_features, seed):
    batch = mixture_batch(n_sets, n_points, n_features, seed=seed)
    assert batch.points.shape == (n_sets, n_points, n_features)
    assert batch.points.dtype == np.float32
    assert np.isfinite(batch.points).all()
    for labels in batch.labels:
        assert labels[0] == 0
        assert (np.diff(np.maximum.accumulate(labels)) <= 1).all()
        assert labels.max() + 1 <= max(1, n_points // 3, 2)


def test_a_seed_repeats_the_sets_and_another_gives_others():
    first, again, other = (mixture_batch(5, 31, 7, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.points, again.points)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert not np.array_equal(first.points, other.points)


def test_the_number_of_clusters_covers_its_range_and_one_has_its_share():
    counts = mixture_batch(2000, 157, 1, replace(PLAIN, single_share=0.2), seed=0).labels.max(axis=1) + 1
    assert set(range(1, 40)) <= set(counts.tolist())
    assert counts.max() <= 50
    assert np.mean(counts == 1) == pytest.approx(0.2, abs=0.03)
    assert np.mean((counts > 1) & (counts <= 10)) > 0.4


def test_small_numbers_of_clusters_come_more_often_the_higher_their_power():
    usual, few = (replace(PLAIN, n_clusters=(2, 50), few_clusters=power) for power in (1.0, 2.0))
    counts = [mixture_batch(2000, 157, 1, each, seed=0).labels.max(axis=1) + 1 for each in (usual, few)]
    # Uniform on the logarithmic scale: the share below 5 is that of log(5 / 2) in log(51 / 2), or its root.
    share = np.log(5 / 2) / np.log(51 / 2)
    assert np.mean(counts[0] < 5) == pytest.approx(share, abs=0.03)
    assert np.mean(counts[1] < 5) == pytest.approx(np.sqrt(share), abs=0.03)


def test_sizes_range_from_a_single_item_to_most_of_the_set():
    batch = mixture_batch(500, 211, 1, replace(PLAIN, n_clusters=(2, 20)), seed=1)
    sizes = np.concatenate([np.bincount(labels) for labels in batch.labels])
    assert sizes.min() == 1
    assert sizes.max() > 180


def test_clusters_of_equal_sizes_differ_by_one_item_at_most():
    equal = mixture_batch(60, 53, 3, MixtureFamily(n_clusters=(2, 9), equal_share=1.0), seed=4)
    sizes = [np.bincount(labels) for labels in equal.labels]
    assert all(np.ptp(each) == (53 % len(each) > 0) for each in sizes)
    assert len({len(each) for each in sizes}) > 5


def test_equal_sizes_have_their_share_and_the_other_sets_the_sizes_of_before():
    family = MixtureFamily(n_clusters=(7, 7), evenness=(0.5, 0.5), curve_share=0.0)
    some, none = (mixture_batch(300, 97, 3, replace(family, equal_share=s), seed=4) for s in (0.4, 0.0))
    is_equal = np.array([np.ptp(np.bincount(labels)) <= 1 for labels in some.labels])
    assert 0.3 < is_equal.mean() < 0.5
    for one, other in zip(some.labels[~is_equal], none.labels[~is_equal]):
        assert sorted(np.bincount(one)) == sorted(np.bincount(other))


def test_centres_are_as_far_apart_as_the_family_says():
    batch = mixture_batch(200, 401, 3, replace(PLAIN, n_clusters=(2, 2), separation=(9.0, 9.0)), seed=2)
    for points, labels in zip(batch.points, batch.labels):
        first, second = (points[labels == cluster] for cluster in (0, 1))
        if min(len(first), len(second)) > 50:
            distance = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
            assert distance == pytest.approx(9.0 * (1 + 3 / 401) ** 0.25, abs=0.8)
            assert first.std(axis=0).mean() == pytest.approx(1.0, abs=0.25)


def test_uninformative_columns_know_nothing_of_the_clusters():
    family = replace(PLAIN, n_clusters=(2, 2), separation=(20.0, 20.0), uninformative_share=1.0)
    batch = mixture_batch(200, 101, 5, family, seed=3)
    last = np.array(
        [abs(np.corrcoef(points[:, -1], labels)[0, 1]) for points, labels in zip(batch.points, batch.labels)]
    )
    first = np.array(
        [abs(np.corrcoef(points[:, 0], labels)[0, 1]) for points, labels in zip(batch.points, batch.labels)]
    )
    assert np.median(last) < 0.15
    assert np.median(first) > 0.8


def test_sets_on_a_sphere_have_unit_length():
    points = mixture_batch(5, 29, 11, replace(PLAIN, sphere_share=1.0), seed=4).points
    np.testing.assert_allclose(np.linalg.norm(points, axis=2), 1, atol=1e-4)


def test_reflections_change_columns_and_no_distance():
    from abclust.datasets.mixture_tables import mix_columns

    points = mixture_batch(3, 17, 5, PLAIN, seed=5).points
    mixed = mix_columns(points.copy(), np.array([True, False, True]), np.random.default_rng(0))
    np.testing.assert_array_equal(mixed[1], points[1])
    for before, after in zip(points[[0, 2]], mixed[[0, 2]]):
        assert np.abs(before - after).max() > 0.1
        np.testing.assert_allclose(after @ after.T, before @ before.T, rtol=1e-3, atol=1e-2)


def test_tables_have_rounded_cut_and_categorical_columns():
    points = mixture_batch(300, 101, 9, replace(PLAIN, table_share=1.0), seed=6).points
    n_values = np.array([[len(np.unique(column)) for column in one.T] for one in points])
    assert np.mean(n_values == 2) > 0.1
    assert np.mean((n_values > 2) & (n_values < 25)) > 0.1
    assert np.mean(n_values > 90) > 0.3


def test_outliers_are_a_few_items_far_away():
    plain = mixture_batch(300, 101, 3, replace(PLAIN, n_clusters=(1, 1)), seed=7).points
    messy = mixture_batch(300, 101, 3, replace(PLAIN, n_clusters=(1, 1), outlier_share=1.0), seed=7).points
    moved = (plain != messy).any(axis=2)
    assert 0.02 < moved.mean() < 0.06
    assert np.abs(messy).max() > 2 * np.abs(plain).max()


def test_sets_are_the_rows_of_the_batch_and_sizes_may_vary():
    batch, sets = mixture_batch(3, 17, 4, seed=11), mixtures(3, 17, 4, seed=11)
    assert [each.items.tolist() for each in sets] == batch.points.tolist()
    assert [each.labels.tolist() for each in sets] == batch.labels.tolist()
    shapes = {each.items.shape for each in mixtures(99, (10, 12), (2, 3), seed=0)}
    assert shapes == {(n, d) for n in (10, 11, 12) for d in (2, 3)}


@pytest.mark.parametrize(
    "options",
    [
        {"n_sets": 0},
        {"n_points": 0},
        {"n_features": 0},
        {"n_points": (7, 5)},
        {"n_points": 3, "family": MixtureFamily(n_clusters=(4, 5))},
    ],
)
def test_impossible_sets_are_refused(options):
    with pytest.raises(InvalidInputError):
        mixtures(**options)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_clusters": (0, 3)},
        {"separation": (3.0, 2.0)},
        {"curve_share": 1.1},
        {"single_share": -0.1},
        {"density_deviation": -1.0},
        {"equal_share": 1.5},
        {"few_clusters": 0.0},
        {"shapes": ()},
        {"shapes": ("cube",)},
        {"curves": ("knots",)},
    ],
)
def test_a_family_refuses_what_cannot_be_drawn(wrong):
    with pytest.raises(InvalidInputError):
        MixtureFamily(**wrong)


def test_a_bent_space_is_no_linear_map_of_the_plain_one_and_keeps_its_size():
    plain = mixture_batch(7, 157, 5, PLAIN, seed=3)
    bent = mixture_batch(7, 157, 5, replace(PLAIN, bent_share=1.0), seed=3)
    np.testing.assert_array_equal(bent.labels, plain.labels)
    for before, after in zip(plain.points, bent.points):
        columns = np.column_stack([before, np.ones(len(before))])
        rest = after - columns @ np.linalg.lstsq(columns, after, rcond=None)[0]
        assert 0.01 < (rest.var(axis=0) / after.var(axis=0)).mean() < 0.9
        assert (after.std(axis=0) < 5 * before.std(axis=0)).all()


def test_columns_that_measure_few_causes_vary_in_few_directions():
    family = replace(PLAIN, caused_share=1.0, n_clusters=(2, 2), separation=(30.0, 30.0))
    shares = []
    for seed in range(60):
        points = mixture_batch(1, 89, 13, family, seed=seed).points[0].astype(np.float64)
        variances = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
        shares.append(variances[:2].sum() / variances.sum())
    assert max(shares) > 0.95  # two or three causes
    assert min(shares) < 0.9  # many


def test_measured_causes_are_those_causes_times_loadings_plus_noise():
    causes = np.random.default_rng(0).standard_normal((3, 211, 2)).astype(np.float32)
    measured = measure_causes(causes, 7, np.random.default_rng(1))
    assert measured.shape == (3, 211, 7)
    for x, y in zip(causes, measured):
        own = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        assert own.std() < LARGEST_OWN_NOISE
        # What is left over of any two columns has nothing to do with each other.
        assert np.abs(np.corrcoef(own.T) - np.eye(7)).max() < 0.3


def test_sets_without_causes_are_the_sets_of_before_there_were_any():
    narrow = mixture_batch(5, 31, 2, seed=3)
    np.testing.assert_array_equal(
        narrow.points, mixture_batch(5, 31, 2, MixtureFamily(caused_share=0.0), 3).points
    )


def test_sums_of_columns_add_no_direction_or_hardly_any():
    rng = np.random.default_rng(0)
    summed = with_sums(rng.standard_normal((200, 97, 3)).astype(np.float32), 5, rng)
    values = np.linalg.svd(summed - summed.mean(axis=1, keepdims=True), compute_uv=False)
    assert (values[:, 2] / values[:, 0]).min() > 1e-3
    ratios = values[:, 3] / values[:, 0]
    assert 0.35 < np.mean(ratios < 1e-5) < 0.65  # exact in half of the sets
    assert ratios.max() < 0.2


def test_sums_have_their_share_of_the_sets_and_none_of_those_of_two_columns():
    family = replace(PLAIN, redundant_share=0.4)
    batch = mixture_batch(400, 31, 5, family, seed=3)
    ranks = np.linalg.matrix_rank(batch.points - batch.points.mean(axis=1, keepdims=True), tol=1e-3)
    assert 0.12 < np.mean(ranks < 5) < 0.28  # half of .4 are exact
    np.testing.assert_array_equal(
        mixture_batch(7, 31, 2, family, seed=3).points, mixture_batch(7, 31, 2, PLAIN, seed=3).points
    )
