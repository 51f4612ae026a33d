"""What the networks on circles are shown, and that their files stay as small as promised."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.circle_sets import circle_batch
from abclust.experiments.circle_recipes import PAPER_NETWORK, RECIPES, circle_recipe
from abclust.experiments.circle_sampler import CircleSampler
from abclust.experiments.registry import EXPERIMENTS
from abclust.foundations.errors import InvalidInputError
from abclust.model.config import PAPER_CIRCLES
from abclust.model.context_kernel_network import ContextKernelNetwork

MIXED = CircleSampler(n_points=(11, 83), n_circles=(1, 7), points_per_step=311, noise=0.02)


@given(seed=st.integers(0, 2**32), step=st.integers(0, 10_000))
def test_a_step_holds_as_many_sets_as_its_points_allow(seed: int, step: int) -> None:
    points, labels = MIXED(np.random.default_rng(seed), step)

    n_sets, n_points, _ = points.shape
    assert 11 <= n_points <= 83
    assert n_sets == 311 // n_points
    assert labels.shape == (n_sets, n_points)
    assert labels.max() < 7
    assert points.dtype == np.float32


def test_small_and_large_sets_come_equally_often_on_a_logarithmic_scale() -> None:
    sizes = np.array([MIXED(np.random.default_rng(seed), 0)[0].shape[1] for seed in range(400)])

    assert {int(sizes.min()), int(sizes.max())} <= {11, 12, 81, 82, 83}
    assert 0.4 < np.mean(sizes < np.sqrt(11 * 84)) < 0.6


def test_the_same_stream_gives_the_same_sets() -> None:
    first, second = (MIXED(np.random.default_rng(5), 3) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_paper_sets_are_128_sets_of_20_points_on_four_circles_as_the_generator_makes_them() -> None:
    points, labels = RECIPES["circles-paper-mul"].sampler(np.random.default_rng(7), 0)

    assert points.shape == (128, 20, 2)
    assert set(labels.max(axis=1)) == {3}
    rng = np.random.default_rng(7)
    rng.random()  # the draw of the size
    np.testing.assert_array_equal(points, circle_batch(128, 20, 4, seed=rng).points)


def test_the_clean_share_of_the_sets_lies_on_its_circles_and_the_others_do_not() -> None:
    noisy = CircleSampler(
        n_points=(13, 13), n_circles=(2, 2), points_per_step=13 * 500, noise=0.02, clean_share=0.3
    )
    points, _ = noisy(np.random.default_rng(1), 0)
    rng = np.random.default_rng(1)
    rng.random()
    clean = circle_batch(500, 13, (2, 2), seed=rng).points
    off_the_line = np.abs(points - clean).max(axis=(1, 2))

    assert 0.2 < np.mean(off_the_line == 0) < 0.4
    assert 0 < np.std(points - clean) < 0.02


def test_a_sampler_that_tells_circles_gives_the_circle_of_every_point() -> None:
    telling = replace(MIXED, noise=0.0, tells_circles=True)
    points, labels, circles = telling(np.random.default_rng(3), 0)
    plain_points, plain_labels = replace(telling, tells_circles=False)(np.random.default_rng(3), 0)

    np.testing.assert_array_equal(points, plain_points)
    np.testing.assert_array_equal(labels, plain_labels)
    assert circles.shape == (*labels.shape, telling.n_targets)
    distances = np.hypot(*np.moveaxis(points - circles[..., :2], -1, 0))
    np.testing.assert_allclose(distances, circles[..., 2], atol=1e-6)


def test_a_curriculum_starts_with_the_smallest_sets_and_ends_with_all() -> None:
    growing = replace(MIXED, curriculum_steps=1_000, large_points=211, large_share=1.0)

    assert {growing(np.random.default_rng(seed), 0)[0].shape[1] for seed in range(9)} == {11}
    assert max(growing(np.random.default_rng(seed), 500)[0].shape[1] for seed in range(99)) <= 31
    assert growing(np.random.default_rng(0), 1_000)[0].shape[:2] == (1, 211)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_points": (0, 5)},
        {"n_points": (29, 23)},
        {"n_circles": (3, 2)},
        {"n_circles": (1, 12)},
        {"clean_share": 1.5},
        {"large_share": -0.1},
        {"points_per_step": 0},
        {"noise": -0.01},
        {"curriculum_steps": -1},
    ],
)
def test_a_sampler_refuses_what_cannot_be_drawn(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        replace(MIXED, **wrong)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_fits_its_file_and_is_trained_by_an_experiment_that_exists(name: str) -> None:
    recipe = circle_recipe(name)
    weights = sum(tensor.numel() * 4 for tensor in ContextKernelNetwork(recipe.network).state_dict().values())

    assert weights + 20_000 < recipe.largest_bytes  # with room for the header
    assert recipe.name == name
    assert recipe.experiment in EXPERIMENTS
    if recipe.starts_from is None:
        assert recipe.command == f"abclust reproduce {recipe.experiment} --train"
    else:
        assert recipe.command.startswith(f"python -m abclust.experiments.circle_training {name} ")
        assert RECIPES[recipe.starts_from].network == recipe.network


def test_the_paper_networks_are_the_papers_but_for_the_feed_forward_width() -> None:
    assert replace(PAPER_NETWORK, feed_forward_width=PAPER_CIRCLES.feed_forward_width) == PAPER_CIRCLES
    assert RECIPES["circles-paper-add"].network.compatibility == "additive"
    assert RECIPES["circles-pairwise-mul"].network.n_blocks == 0
    assert RECIPES["circles-paper-mul"].training.learning_rate == 1e-3


def test_the_general_network_is_shown_what_its_table_asks_of_it() -> None:
    sampler = RECIPES["circles"].sampler
    assert sampler.n_circles == (1, 8)
    assert (sampler.n_points[0], sampler.large_points, sampler.noise) == (20, 1_000, 0.02)


def test_an_unknown_recipe_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(InvalidInputError, match="circles-paper-mul"):
        circle_recipe("squares")
