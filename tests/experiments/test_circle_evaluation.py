"""Kernels in batches are the kernels one by one, and rows say what a results file promises."""

from pathlib import Path

import numpy as np
import pytest

from abclust.datasets.circle_sets import circle_batch
from abclust.experiments.circle_evaluation import batch_kernels, score_network, score_sets
from abclust.experiments.circle_networks import obtain_networks, training_command
from abclust.experiments.circle_recipes import RECIPES
from abclust.experiments.circle_training import train_recipe
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import check_shipped, network_file, trainer_on_generated_sets
from abclust.foundations.errors import DataNotFoundError
from abclust.model import ContextKernelConfig, ContextKernelNetwork

ROW = {"system", "protocol", "k", "n_sets", "nmi", "nmi_geometric", "ami", "ari", "accuracy", "k_error"}
ROW |= {"seconds_per_set", "interval", "n", "ari_interval"}


def tiny_network(compatibility: str = "multiplicative") -> ContextKernelNetwork:
    config = ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=1, compatibility=compatibility)
    return ContextKernelNetwork(config)


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
@pytest.mark.parametrize("pairs_at_once", [1, 2 * 11**2, 10**6])
def test_batched_kernels_are_those_of_the_sets_one_by_one(compatibility: str, pairs_at_once: int) -> None:
    network, points = tiny_network(compatibility), circle_batch(5, 11, 3, seed=0).points
    kernels = batch_kernels(network, points, pairs_at_once)

    assert len(kernels) == 5
    for kernel, each in zip(kernels, points, strict=True):
        np.testing.assert_allclose(kernel, network.kernel(each), atol=1e-6)


def test_batched_kernels_leave_the_network_in_its_mode() -> None:
    network = tiny_network()
    for mode in (True, False):
        network.train(mode)
        batch_kernels(network, circle_batch(2, 7, 3, seed=0).points)
        assert network.training is mode


def test_the_truth_scores_one_and_its_row_is_complete() -> None:
    batch = circle_batch(3, 17, 4, seed=1)
    row = score_sets(list(batch.labels), batch, system="truth", protocol="p", k="known", seconds=6.0)

    assert set(row) >= ROW
    assert (row["ari"], row["ari_interval"], row["n"], row["n_sets"]) == (1.0, [1.0, 1.0], 17, 3)
    assert row["seconds_per_set"] == 2.0


def test_a_network_gets_a_row_for_each_method() -> None:
    rows = score_network(
        tiny_network(), circle_batch(2, 13, 3, seed=2), ("spectral", "log-odds"), system="net", protocol="p"
    )
    assert [row["method"] for row in rows] == ["spectral", "log-odds"]
    assert {row["k"] for row in rows} == {"unknown"}


def test_a_network_that_is_not_shipped_is_an_error_that_names_the_training_command() -> None:
    with pytest.raises(DataNotFoundError, match="Train it first: abclust reproduce figure-2 --train"):
        check_shipped(["circles", "circles-paper-add"], ["circles"], training_command)
    with pytest.raises(DataNotFoundError, match="ships no weights"):
        check_shipped(["circles"], [], training_command)


def test_networks_of_other_seeds_and_of_quick_runs_lie_apart() -> None:
    options = [ReproduceOptions(quick=quick, seed=seed) for quick in (True, False) for seed in (0, 1, 2)]
    assert len({network_file("circles", each) for each in options}) == 6


def test_training_gives_the_networks_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = trainer_on_generated_sets(train_recipe, quick_steps=2, quick_sets=8)
    monkeypatch.setattr("abclust.experiments.circle_networks._train", train)
    options = ReproduceOptions(output=tmp_path, quick=True, train=True)
    networks = obtain_networks(["circles-pairwise-mul"], options)

    assert networks["circles-pairwise-mul"].config == RECIPES["circles-pairwise-mul"].network
    assert network_file("circles-pairwise-mul", options).is_file()
