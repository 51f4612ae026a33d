"""Labelled sets of one's own improve a network for tables of any width."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import abclust
from abclust.clustering.backends import cluster_kernel
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vectors
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.evaluation.scores import ari
from abclust.experiments.vector_recipes import RECIPES
from abclust.experiments.vector_sampler import VectorSampler
from abclust.experiments.vector_training import train_recipe
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.learn import learn
from abclust.training.config import TrainingConfig
from abclust.training.going_on import suitable_training

SMALL = VectorPreparation(n_components=4, n_projected=6, n_diffusion=4)
QUICK = TrainingConfig(steps=3, sets_per_step=2, warmup_steps=1, accelerator="cpu")


def pairs_of_blobs(rng: np.random.Generator, n_items: int = 47) -> LabelledSet:
    """A kind that no family here has: each cluster is two blobs beside each other."""
    n_clusters, width = rng.integers(2, 5), rng.integers(2, 7)
    centres = 8 * rng.normal(size=(n_clusters, width))
    apart = rng.normal(size=(n_clusters, width))
    apart *= 3 / np.linalg.norm(apart, axis=1, keepdims=True)
    labels = rng.integers(n_clusters, size=n_items)
    sides = rng.choice([-1, 1], size=(n_items, 1))
    noise = 0.5 * rng.normal(size=(n_items, width))
    return LabelledSet(centres[labels] + sides * apart[labels] + noise, labels)


def mean_ari(network: abclust.ContextKernelNetwork, sets: Sequence[LabelledSet]) -> float:
    """By log-odds on raw kernels: a better calibration alone does not count."""
    preparation = from_dict(VectorPreparation, network.metadata["preparation"])
    kernels = [network.kernel(prepare_vectors(each.items, preparation)) for each in sets]
    found = cluster_kernel(kernels)
    return float(np.mean([ari(each.labels, labels) for each, labels in zip(sets, found, strict=True)]))


@pytest.fixture
def untrained() -> abclust.ContextKernelNetwork:
    config = abclust.ContextKernelConfig(n_features=SMALL.width, width=8, heads=2, n_blocks=1)
    header = {
        "recipe": "vectors",
        "preparation": to_dict(SMALL),
        "vector_views": {"count": 2},
        "groups": ["earlier"],
        "card": {"expects": "rows of a table", "trained_on": "mixtures", "command": "some command"},
    }
    return abclust.ContextKernelNetwork(config, header)


@pytest.fixture
def sets() -> list[LabelledSet]:
    rng = np.random.default_rng(3)
    return [replace(pairs_of_blobs(rng, 17), group=f"group {number % 7}") for number in range(13)]


def test_sets_of_many_widths_are_learnt_from(untrained, sets, tmp_path: Path):
    assert len({each.items.shape[1] for each in sets}) > 2
    learned = learn(sets, config=QUICK, network=untrained, folder=tmp_path)
    assert learned.result.step == 3
    learned.network.save(tmp_path / "mine.safetensors")
    clusterer = AttentionClustering(str(tmp_path / "mine.safetensors"))
    labels = clusterer.fit_predict(sets[0].items)
    assert labels.shape == (17,)


def test_the_header_keeps_how_to_prepare_and_tells_the_history(untrained, sets):
    metadata = abclust.train(sets, config=QUICK, network=untrained).metadata
    assert from_dict(VectorPreparation, metadata["preparation"]) == SMALL
    assert metadata["vector_views"] == {"count": 2}
    assert metadata["started_from"] == "vectors"
    assert metadata["card"]["trained_on"] == f"mixtures; then {metadata['n_sets']} sets of the user's own"
    assert "command" not in metadata["card"]
    assert "earlier" in metadata["groups"]
    assert len(metadata["groups"]) == 1 + 6  # one of seven groups is held out


def test_missing_values_and_constant_columns_are_learnt_from(untrained, sets):
    gappy = [replace(each, items=np.column_stack([each.items, np.ones(17)])) for each in sets]
    gappy[0].items[3, 0] = np.nan
    assert abclust.train(gappy, config=QUICK, network=untrained).metadata["steps"] == 3


def test_images_are_refused_with_a_word_on_what_would_do(untrained):
    with pytest.raises(InvalidInputError, match="omniglot"):
        abclust.train([(np.zeros((7, 5, 5)), np.arange(7) % 2)], config=QUICK, network=untrained)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> abclust.ContextKernelNetwork:
    """A small network of the recipe's family, after a minute of training."""
    recipe = RECIPES["vectors"]
    small = replace(
        recipe,
        network=replace(
            recipe.network,
            n_features=SMALL.width,
            pair_columns=SMALL.signed_groups,
            pair_sums=(SMALL.n_signed, SMALL.width),
            width=32,
            n_blocks=2,
            feed_forward_width=64,
        ),
        training=replace(
            recipe.training, minutes=None, steps=300, warmup_steps=30, ema_decay=0.97, target_weight=0.0
        ),
        sampler=VectorSampler(
            n_points=(30, 60),
            large_share=0.0,
            points_per_step=800,
            n_features=(2, 6),
            wide_share=0.0,
            preparation=SMALL,
        ),
        calibration_sizes=(),
    )
    file = tmp_path_factory.mktemp("small") / "small.safetensors"
    return abclust.load(train_recipe(small, file, validation_sets=4))


@pytest.mark.slow
def test_fifty_labelled_sets_of_a_new_kind_improve_a_network(trained):
    _check_improvement(trained, steps=120, learning_rate=1e-3)


@pytest.mark.slow
def test_fifty_labelled_sets_of_a_new_kind_improve_the_shipped_weights():
    _check_improvement(abclust.load("vectors"), steps=100)


def _check_improvement(network: abclust.ContextKernelNetwork, **changes: float) -> None:
    rng = np.random.default_rng(11)
    fifty, others = ([pairs_of_blobs(rng) for _ in range(count)] for count in (50, 41))
    config = replace(suitable_training(fifty, network), accelerator="cpu", **changes)
    improved = abclust.train(fifty, config=config, network=copy.deepcopy(network))
    assert mean_ari(improved, others) > mean_ari(network, others) + 0.05
