"""Every variant is the recipe but for one thing, within the same budget; a killed run goes on."""

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.experiments.test_omniglot_split import archive, needs_omniglot
from tests.experiments.tiny_alphabets import TINY_NETWORK, tiny_alphabets

from abclust.evaluation.results_file import read_results
from abclust.experiments import omniglot_ablation
from abclust.experiments.omniglot_ablation import KINDS, ONE_CHARACTER, score_one_character, score_pairs
from abclust.experiments.omniglot_look_alikes import look_alike_sets
from abclust.experiments.omniglot_recipes import omniglot_recipe
from abclust.experiments.omniglot_split import EVALUATION_ALPHABETS, HELD_OUT
from abclust.experiments.omniglot_variants import VARIANTS, variant_recipe
from abclust.experiments.registry import ReproduceOptions
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import encode_views, view_kernels

N_HELD_OUT_CHARACTERS = 29 + 46 + 26 + 40 + 23


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_keeps_the_budget_and_can_be_built(name: str) -> None:
    recipe = variant_recipe(name, 40_000)
    assert recipe.image_passes <= 40_000 * 1.1
    ContextKernelNetwork(recipe.network)


def test_variants_differ_from_their_recipe_and_from_each_other() -> None:
    recipes = {name: variant_recipe(name, 40_000) for name in VARIANTS}
    assert len({repr(recipe) for recipe in recipes.values()}) == len(VARIANTS)
    unchanged = [
        name
        for name, (start, change) in VARIANTS.items()
        if change(omniglot_recipe(start)) == omniglot_recipe(start)
    ]
    assert unchanged == ["the recipe", "the paper's architecture"]


def test_the_large_batch_is_the_papers() -> None:
    (kind,) = variant_recipe("the paper's architecture, 128 sets a step", 400_000).steps
    assert kind.pools.pools_per_step * kind.pools.sets_per_pool == 128


def test_look_alikes_are_characters_of_one_alphabet_that_resemble_each_other() -> None:
    data = tiny_alphabets("Greek", "Futurama", n_characters=14)
    # The second half of each alphabet's characters are the first half again, but for a few pixels.
    twins = data.images.copy().reshape(2, 2, 7, 20, 16, 16)
    twins[:, 1] = twins[:, 0]
    twins[:, 1, ..., :3, :3] = 255
    data = type(data)(
        twins.reshape(data.images.shape), data.labels, data.groups, data.class_names, data.group_names
    )
    sets = look_alike_sets(data, 5)
    assert len(sets) == 10
    for places in sets:
        characters = np.unique(data.labels[places])
        assert len(np.unique(data.groups[places])) == 1
        assert len(np.unique(places)) == len(places) <= 100
        assert 5 <= len(characters) <= 12
        originals = characters % 7
        assert len(np.unique(originals)) < len(characters), "a character comes with its twin"
    again = look_alike_sets(data, 5)
    assert all(np.array_equal(one, other) for one, other in zip(sets, again, strict=True))


def test_look_alikes_never_come_from_evaluation_alphabets() -> None:
    with pytest.raises(InvalidInputError, match="evaluation"):
        look_alike_sets(tiny_alphabets(EVALUATION_ALPHABETS[0]), 1)


def test_scores_of_a_network_that_knows_everything_and_of_one_that_knows_nothing() -> None:
    data = tiny_alphabets("Greek")
    sets = {kind: [np.arange(60), np.arange(40, 100)] for kind in KINDS}
    torch.manual_seed(0)
    (usual, alike) = score_pairs(ContextKernelNetwork(TINY_NETWORK), data, sets)
    assert usual["nmi"] == alike["nmi"] < 0.99
    perfect = [
        (data.labels[each][:, None] == data.labels[each]).astype(np.float64) for each in sets[KINDS[0]]
    ]
    labels = [data.labels[each] for each in sets[KINDS[0]]]
    scores = omniglot_ablation._scores(perfect, labels)
    assert scores["nmi"] == scores["average_precision"] == pytest.approx(1.0)
    assert scores["cross_entropy"] == pytest.approx(0.0)


def test_drawings_that_are_one_and_the_same_are_split_where_the_network_doubts_them() -> None:
    data = tiny_alphabets("Greek")
    firsts = np.array([np.flatnonzero(data.labels == label)[0] for label in range(len(data.class_names))])
    data = replace(data, images=data.images[firsts[data.labels]])
    torch.manual_seed(0)
    network = ContextKernelNetwork(TINY_NETWORK)
    row = score_one_character(network, data)
    encoded = encode_views(network, data.images)
    members = [np.flatnonzero(data.labels == label) for label in range(len(firsts))]
    chances = np.array([kernel[0, 1] for kernel in view_kernels(network, encoded, members)])
    assert row["n_sets"] == len(firsts)
    assert row["mean_probability"] == pytest.approx(chances.mean(), abs=1e-6)
    assert row["share_split"] == pytest.approx((chances < 0.5).mean())


@needs_omniglot
def test_the_experiment_runs_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = ("28 pixels in the place of 56", "the paper's architecture")
    monkeypatch.setattr(omniglot_ablation, "VARIANTS", {name: VARIANTS[name] for name in chosen[:1]})
    monkeypatch.setattr(omniglot_ablation, "QUICK_IMAGES", 800)
    monkeypatch.setattr(omniglot_ablation, "QUICK_SETS", 1)
    options = ReproduceOptions(output=tmp_path, quick=True, data=archive("background").parent)
    omniglot_ablation.run(options)
    first = read_results(tmp_path / "ablation.json").rows
    assert [row["sets"] for row in first] == [*KINDS, ONE_CHARACTER]
    assert {row["n_sets"] for row in first[:2]} == {len(HELD_OUT)}
    assert first[2]["n_sets"] == N_HELD_OUT_CHARACTERS

    monkeypatch.setattr(omniglot_ablation, "VARIANTS", {name: VARIANTS[name] for name in chosen})
    with caplog.at_level(logging.INFO):
        stored, table = omniglot_ablation.run(options)
    assert f"{chosen[0]}: done before" in caplog.text
    rows = read_results(stored).rows
    assert rows[:3] == first
    assert [row["variant"] for row in rows[3:]] == [chosen[1]] * 3
    assert all(name in table.read_text() for name in chosen)
