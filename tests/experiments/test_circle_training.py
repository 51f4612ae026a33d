"""A recipe becomes a network file, survives a kill, and says what it is."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abclust.experiments.circle_calibration import calibrate_on_circles
from abclust.experiments.circle_recipes import RECIPES
from abclust.experiments.circle_training import circle_validation, main, train_recipe
from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.zoo.shipping import ship_network

PAIRWISE = "circles-pairwise-mul"
POINTS = np.random.default_rng(0).normal(size=(13, 2))


def test_a_trained_file_holds_the_network_of_the_recipe_and_its_history(tmp_path: Path) -> None:
    file = train_recipe(PAIRWISE, tmp_path / "net.safetensors", seed=3, steps=2, validation_sets=3)

    network = ContextKernelNetwork.from_file(file)
    assert network.config == RECIPES[PAIRWISE].network
    assert {"ari_k_unknown", "nmi_k_unknown", "ari_20", "ari_100"} == set(network.metadata["scores"])
    assert (network.metadata["seed"], network.metadata["steps"]) == (3, 2)
    assert network.metadata["calibration"] == {}  # as in the paper
    assert network.metadata["card"]["command"] == "abclust reproduce figure-2 --train"
    assert file.stat().st_size < RECIPES[PAIRWISE].largest_bytes
    assert (tmp_path / "net.safetensors.run" / "curve.csv").is_file()


def test_a_trained_file_can_be_shipped_without_further_words(tmp_path: Path) -> None:
    file = train_recipe(PAIRWISE, tmp_path / "net.safetensors", steps=1, validation_sets=2)
    entry = ship_network(PAIRWISE, file, weights=tmp_path / "weights", largest_bytes=1_000_000)

    assert entry.command == "abclust reproduce figure-2 --train"
    assert "1 steps instead of the recipe's" in entry.trained_on


def test_a_run_in_two_parts_ends_where_one_in_one_part_ends(tmp_path: Path) -> None:
    for steps in (2, 5):
        train_recipe(PAIRWISE, tmp_path / "parts.safetensors", steps=steps, validation_sets=2)
    train_recipe(PAIRWISE, tmp_path / "whole.safetensors", steps=5, validation_sets=2)

    parts, whole = (
        ContextKernelNetwork.from_file(tmp_path / f"{name}.safetensors") for name in ("parts", "whole")
    )
    np.testing.assert_array_equal(parts.kernel(POINTS), whole.kernel(POINTS))


def test_another_seed_gives_another_network(tmp_path: Path) -> None:
    files = [
        train_recipe(PAIRWISE, tmp_path / f"{seed}.safetensors", seed=seed, steps=1, validation_sets=2)
        for seed in (0, 1)
    ]
    first, second = (ContextKernelNetwork.from_file(file).kernel(POINTS) for file in files)
    assert np.abs(first - second).max() > 1e-3


def test_the_command_trains_as_the_function_does_and_refuses_to_overwrite_a_run(tmp_path: Path) -> None:
    arguments = [PAIRWISE, "--output", str(tmp_path / "net.safetensors"), "--steps", "1", "--seed", "2"]
    main(arguments)
    assert ContextKernelNetwork.from_file(tmp_path / "net.safetensors").metadata["seed"] == 2
    with pytest.raises(InvalidInputError, match="no checkpoints of another run"):
        main([*arguments, "--fresh"])


def test_an_unknown_recipe_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="must be one of"):
        train_recipe("squares", tmp_path / "deep" / "net.safetensors")
    assert not (tmp_path / "deep").exists()


def test_validation_is_the_same_for_the_same_network_and_averages_its_sizes() -> None:
    network = ContextKernelNetwork(RECIPES[PAIRWISE].network)
    validate = circle_validation((13, 23), 5)
    scores = validate(network)

    assert scores == validate(network)
    assert scores["ari_k_unknown"] == pytest.approx((scores["ari_13"] + scores["ari_23"]) / 2)


def test_a_calibration_has_a_point_for_each_size_and_method_and_repeats_itself() -> None:
    recipe = replace(RECIPES["circles"], calibration_sizes=(11, 23))
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=1))
    table = calibrate_on_circles(network, recipe, n_sets=5)

    assert set(table.points) == {"likelihood", "expected-rand", "log-odds", "spectral"}
    for points in table.points.values():
        assert [round(point.n_items) for point in points] == [11, 23]
    assert calibrate_on_circles(network, recipe, n_sets=5).to_dict() == table.to_dict()


@pytest.mark.slow
def test_two_hundred_steps_teach_the_paper_network_something_about_circles(tmp_path: Path) -> None:
    file = train_recipe("circles-paper-mul", tmp_path / "net.safetensors", steps=200)
    untrained = circle_validation((20, 100), 48)(ContextKernelNetwork(RECIPES["circles-paper-mul"].network))

    # Measured: .19 after 200 steps.
    assert ContextKernelNetwork.from_file(file).metadata["scores"]["ari_k_unknown"] > 0.15
    assert untrained["ari_k_unknown"] < 0.05
