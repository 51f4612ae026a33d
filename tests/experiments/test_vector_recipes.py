"""What the network for vectors is shown, what it is judged on, and that its file stays small."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vector_batch
from abclust.experiments.vector_held_out import SINGLE, held_out_settings
from abclust.experiments.vector_recipes import RECIPES, vector_recipe
from abclust.experiments.vector_sampler import VectorSampler
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
MIXED = VectorSampler(
    n_points=(11, 47), large_points=(53, 61), points_per_step=199, n_features=(1, 7), preparation=PREPARATION
)


@given(seed=st.integers(0, 2**32), step=st.integers(0, 10_000))
def test_a_step_holds_as_many_sets_as_its_items_allow(seed: int, step: int) -> None:
    items, labels = MIXED(np.random.default_rng(seed), step)
    n_sets, n_points, width = items.shape
    assert 11 <= n_points <= 61
    assert n_sets == 199 // n_points
    assert width == PREPARATION.width
    assert labels.shape == (n_sets, n_points)
    assert items.dtype == np.float32
    assert np.isfinite(items).all()


def test_the_same_stream_gives_the_same_sets() -> None:
    first, second = (MIXED(np.random.default_rng(5), 3) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_large_sets_have_their_share_of_the_steps() -> None:
    sampler = replace(MIXED, large_share=0.5, family=MixtureFamily(curve_share=0.0))
    sizes = np.array([sampler(np.random.default_rng(0), step)[0].shape[1] for step in range(200)])
    assert 0.4 < np.mean(sizes >= 53) < 0.6


def test_processes_of_a_step_have_sets_of_their_own_and_of_one_size() -> None:
    for step in range(7):
        (first, _), (second, _) = (MIXED(np.random.default_rng(rank), step) for rank in range(2))
        assert first.shape == second.shape
        assert not np.array_equal(first, second)


def test_groups_of_a_step_have_widths_of_their_own_and_signs_are_random() -> None:
    sampler = replace(
        MIXED,
        n_points=(17, 17),
        n_features=(3, 90),
        large_share=0.0,
        wide_share=0.0,
        planar_share=0.0,
        rotated_share=0.0,
    )
    items, _ = sampler(np.random.default_rng(2), 0)
    plain, _ = sampler.sets_of(11, 17, np.random.default_rng(2))
    np.testing.assert_array_equal(np.abs(items), np.abs(plain))
    assert 0.3 < np.mean(items[:, 0, :3] * plain[:, 0, :3] < 0) < 0.7
    assert len({float(one[0, -1]) for one in plain}) == sampler.groups_per_step


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_sets_of_the_plane_have_their_share_of_the_groups(share: float) -> None:
    family = replace(MIXED.family, table_share=0.0)  # categories that nobody is in leave no third component
    sampler = replace(MIXED, family=family, n_features=(5, 7), planar_share=share, groups_per_step=1)
    rng = np.random.default_rng(2)
    is_planar = [not sampler.sets_of(1, 23, rng)[0][..., 2].any() for _ in range(150)]  # no third component
    assert np.mean(is_planar) == pytest.approx(share, abs=0.12 * (0 < share < 1))


def test_a_plane_may_stand_among_a_few_columns_of_noise() -> None:
    sampler = replace(MIXED, planar_features=(2, 4), planar_share=1.0, groups_per_step=1)
    batches = [sampler._draw_group(1, 23, np.random.default_rng(seed)) for seed in range(40)]
    assert {batch.points.shape[2] for batch in batches} == {2, 3, 4}


def test_centres_of_orderly_groups_are_as_far_apart_as_the_sampler_says() -> None:
    near, far = (replace(MIXED, orderly_separation=range_) for range_ in ((3.0, 3.0), (30.0, 30.0)))
    assert near._orderly_family.separation == (3.0, 3.0)
    assert far._orderly_family.separation == (30.0, 30.0)


def test_nothing_is_wrong_with_a_set_of_an_orderly_group() -> None:
    sampler = replace(
        MIXED, orderly_features=(7, 7), planar_share=0.0, wide_share=0.0, orderly_share=1.0, groups_per_step=1
    )
    batches = [sampler._draw_group(9, 47, np.random.default_rng(seed)) for seed in range(30)]
    assert {batch.points.shape[2] for batch in batches} == {7}
    labels = np.concatenate([batch.labels for batch in batches])
    counts = labels.max(axis=1) + 1
    assert counts.max() <= 12
    sizes = [np.bincount(each) for each in labels[counts > 1]]
    assert 0.5 < np.mean([np.ptp(each) <= 1 for each in sizes]) < 0.75  # three of five of equal sizes
    ranks = [np.linalg.matrix_rank(points, tol=1e-3) for batch in batches for points in batch.points]
    assert 0.1 < np.mean(np.array(ranks) < 7) < 0.4  # half have sums among their columns, half of these exact


def test_where_no_group_is_orderly_the_sets_are_those_of_before() -> None:
    first, second = (
        replace(MIXED, orderly_share=share).sets_of(11, 17, np.random.default_rng(2))[0]
        for share in (0.0, 1e-9)
    )
    assert not np.array_equal(first, second)  # the question alone takes a random number
    default = MIXED.sets_of(11, 17, np.random.default_rng(2))[0]
    np.testing.assert_array_equal(first, default)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_points": (0, 5)},
        {"large_points": (5, 3)},
        {"n_features": (3, 2)},
        {"wide_share": 1.5},
        {"planar_share": -0.5},
        {"planar_features": (3, 2)},
        {"orderly_features": (0, 2)},
        {"planar_curve_share": 2.0},
        {"orderly_share": 1.2},
        {"large_share": -0.1},
        {"wide_few_clusters": 0.0},
        {"points_per_step": 0},
        {"groups_per_step": 0},
    ],
)
def test_a_sampler_refuses_what_cannot_be_drawn(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        replace(MIXED, **wrong)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_fits_its_file_and_its_preparation(name: str) -> None:
    recipe = vector_recipe(name)
    weights = sum(tensor.numel() * 4 for tensor in ContextKernelNetwork(recipe.network).state_dict().values())
    assert weights + 50_000 < recipe.largest_bytes <= 10_000_000
    assert recipe.network.n_features == recipe.sampler.preparation.width
    assert recipe.name == name
    pairs = (*recipe.network.pair_columns, recipe.network.pair_sums)
    assert pairs[0][0] == 0
    assert [last for _, last in pairs[:-1]] == [first for first, _ in pairs[1:]]
    assert pairs[-1][1] == recipe.sampler.preparation.width
    assert (recipe.training.target_weight > 0) == recipe.sampler.tells_centres
    for stage in recipe.earlier:
        assert stage.sampler.preparation.signed_groups == recipe.sampler.preparation.signed_groups


def test_centres_are_the_means_of_clusters_in_the_signed_columns() -> None:
    items, labels, centres = replace(MIXED, tells_centres=True)(np.random.default_rng(3), 0)
    assert centres.shape == (*labels.shape, PREPARATION.n_signed)
    for points, own, told in zip(items, labels, centres):
        for cluster in np.unique(own):
            expected = points[own == cluster, : PREPARATION.n_signed].mean(axis=0)
            np.testing.assert_allclose(
                told[own == cluster], np.tile(expected, (np.sum(own == cluster), 1)), atol=1e-5
            )


def test_the_network_is_shown_what_its_card_says() -> None:
    sampler = RECIPES["vectors"].sampler
    assert (sampler.n_points[0], sampler.large_points[1]) == (10, 2_000)
    assert (sampler.n_features[0], sampler.wide_features[1]) == (1, 384)
    assert sampler.family.n_clusters == (1, 50)


def test_held_out_settings_have_shapes_and_curves_that_training_never_shows() -> None:
    family = RECIPES["vectors"].sampler.family
    assert "laplace" not in family.shapes
    assert "waves" not in family.curves


def test_held_out_sets_repeat_themselves_and_single_sets_are_single() -> None:
    first, second = held_out_settings(8), held_out_settings(8)
    for one, other in zip(first, second, strict=True):
        assert sum(len(batch.labels) for batch in one.batches) == 8
        for batch, again in zip(one.batches, other.batches, strict=True):
            np.testing.assert_array_equal(batch.points, again.points)
            assert np.isfinite(prepare_vector_batch(batch.points, PREPARATION)).all()
            if one.name == SINGLE:
                assert not batch.labels.any()
            else:
                assert (batch.labels.max(axis=1) > 0).all()


def test_a_quarter_of_a_held_out_setting_as_it_is_met_is_one_cluster() -> None:
    *several, single = held_out_settings(48)
    assert single.name == SINGLE
    assert len(single.sets_as_met) == len(single.sets) == 48
    for setting in several:
        assert len(setting.sets_as_met) == 64
        assert sum(each.n_clusters == 1 for each in setting.sets_as_met) == 16
        for batch, of_one in zip(setting.batches, setting.batches_of_one, strict=True):
            assert of_one.points.shape[1:] == batch.points.shape[1:]
            assert np.isfinite(prepare_vector_batch(of_one.points, PREPARATION)).all()
            assert (np.ptp(of_one.points, axis=1) > 0).any(axis=1).all()


def test_an_unknown_recipe_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(InvalidInputError, match="vectors"):
        vector_recipe("tensors")
