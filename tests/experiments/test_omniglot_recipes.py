"""Recipes keep to their limit of images, and steps are a function of seed and step alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.experiments.tiny_alphabets import tiny_alphabets, tiny_recipe

from abclust.datasets.image_augmentation import AugmentationConfig
from abclust.experiments.omniglot_recipes import LARGEST_IMAGE_PASSES, RECIPES, omniglot_recipe
from abclust.experiments.omniglot_source import MixedPoolSource, PhasedSource, StepKind
from abclust.experiments.omniglot_training import training_source
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.model.view_averaging import ViewConfig
from abclust.training.batch_source import BatchSource
from abclust.training.pool_drawing import PoolConfig


@pytest.mark.parametrize("name", list(RECIPES))
def test_image_passes_stay_below_the_limit(name: str) -> None:
    assert 1_000_000 < RECIPES[name].image_passes <= LARGEST_IMAGE_PASSES


@pytest.mark.parametrize("form", ["mul", "add"])
def test_paper_recipes_have_the_architecture_of_the_paper(form: str) -> None:
    network = RECIPES[f"omniglot-paper-{form}"].network
    assert (network.n_blocks, network.heads, network.width) == (2, 4, 128)
    assert (network.pre_norm, network.skip, network.similarity_bias) == (False, "plain", False)
    assert network.compatibility.startswith(form)


@pytest.mark.parametrize("name", list(RECIPES))
def test_views_survive_the_header_of_a_file(name: str) -> None:
    views = RECIPES[name].views
    assert from_dict(ViewConfig, to_dict(views)) == views


def test_an_unknown_recipe_lists_the_names() -> None:
    with pytest.raises(InvalidInputError, match=r"'omniglot-paper-add'.*Got 'mnist'"):
        omniglot_recipe("mnist")


def test_steps_repeat_themselves_and_are_of_both_kinds() -> None:
    recipe = tiny_recipe()
    first, second = (
        MixedPoolSource(tiny_alphabets("one", "two"), recipe.steps, recipe.augmentation, seed=3)
        for _ in range(2)
    )
    assert isinstance(first, BatchSource)
    sizes = [first.batch(step, 0, 1).n_items for step in range(30)]
    assert set(sizes) == {60, 97}
    assert 3 <= sizes.count(97) <= 17  # 9 expected
    assert torch.equal(first.batch(7, 0, 1).items, second.batch(7, 0, 1).items)
    assert not torch.equal(first.batch(7, 0, 1).items, first.batch(7, 1, 2).items)


def test_late_steps_are_varied_in_their_own_way() -> None:
    data = tiny_alphabets("one", "two")
    plain = AugmentationConfig(rotation=0.0, scale=0.0, shear=0.0, shift=0.0)
    bold = replace(plain, bold=2.0, bold_share=1.0)
    recipe = replace(tiny_recipe(steps=10), augmentation=plain, late_augmentation=bold)
    source = training_source(recipe, data, seed=3)
    early, late = (MixedPoolSource(data, recipe.steps, way, seed=3) for way in (plain, bold))
    assert recipe.first_late_step == 8
    for step in range(10):
        wanted = (early if step < 8 else late).batch(step, 0, 1).items
        assert torch.equal(source.batch(step, 0, 1).items, wanted)
    assert any(
        not torch.equal(early.batch(step, 0, 1).items, late.batch(step, 0, 1).items) for step in (8, 9)
    )


@pytest.mark.parametrize("starts", [(), (1,), (0, 5, 5), (0, 7, 3)])
def test_phases_that_leave_steps_open_are_refused(starts: tuple[int, ...]) -> None:
    source = MixedPoolSource(tiny_alphabets("one"), [StepKind(PoolConfig())], AugmentationConfig())
    with pytest.raises(InvalidInputError, match="begin with step 0"):
        PhasedSource([(start, source) for start in starts])


@pytest.mark.parametrize("shares", [(0.5, 0.4), (1.5, -0.5), ()])
def test_shares_that_are_none_are_refused(shares: tuple[float, ...]) -> None:
    kinds = [StepKind(PoolConfig(), share) for share in shares]
    with pytest.raises(InvalidInputError, match="add up to 1"):
        MixedPoolSource(tiny_alphabets("one"), kinds, AugmentationConfig())


def test_image_passes_are_steps_times_the_mean_size_of_a_step() -> None:
    recipe = tiny_recipe(steps=1000)
    assert recipe.image_passes == round(1000 * np.dot((0.7, 0.3), (60, 97)))
