"""A tiny training of a network for vectors: what it writes, that it goes on, and that it learns."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.experiments.vector_calibration import (
    calibrate_on_vectors,
    kernels_of_a_part,
    sets_of_many_widths,
)
from abclust.experiments.vector_held_out import held_out_settings
from abclust.experiments.vector_recipes import RECIPES, VectorStage
from abclust.experiments.vector_sampler import VectorSampler
from abclust.experiments.vector_training import main, train_recipe
from abclust.experiments.vector_validation import vector_validation
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.kernel.calibration import Calibration
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.vector_views import VectorViewConfig, vector_view_kernel

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
TINY = replace(
    RECIPES["vectors"],
    network=replace(
        RECIPES["vectors"].network,
        n_features=PREPARATION.width,
        width=8,
        heads=2,
        n_blocks=1,
        pair_columns=PREPARATION.signed_groups,
        pair_sums=(8, 13),
    ),
    training=replace(
        RECIPES["vectors"].training,
        minutes=None,
        steps=4,
        validate_every=2,
        warmup_steps=1,
        devices=1,
        strategy="auto",
    ),
    sampler=VectorSampler(
        n_points=(11, 17),
        large_share=0.0,
        points_per_step=51,
        n_features=(1, 5),
        preparation=PREPARATION,
        tells_centres=True,
    ),
    earlier=(),
    set_calibration_sets=0,
    views=VectorViewConfig(count=2),
    calibration_sizes=(7, 13),
)
FEW = {"validation_sets": 4, "calibration_sets": 3}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_recipe(TINY, tmp_path_factory.mktemp("vectors") / "tiny.safetensors", **FEW)


def test_sets_of_a_calibration_have_many_widths_where_those_of_a_step_have_few() -> None:
    sampler = VectorSampler(n_features=(1, 48), planar_share=0.0, preparation=PREPARATION)
    widths = {}
    for name, (items, labels) in {
        "step": sampler.sets_of(20, 11, np.random.default_rng(0)),
        "calibration": sets_of_many_widths(sampler, 20, 11),
    }.items():
        assert len(items) == len(labels) == 20
        widths[name] = len(np.unique(items[:, 0, -1]))  # the last column tells how many there were
    assert widths["step"] <= sampler.groups_per_step
    assert widths["calibration"] > 2 * sampler.groups_per_step


def test_the_header_says_how_to_prepare_look_and_calibrate(trained: Path) -> None:
    metadata = ContextKernelNetwork.from_file(trained).metadata
    assert from_dict(VectorPreparation, metadata["preparation"]) == PREPARATION
    assert from_dict(VectorViewConfig, metadata["vector_views"]).count == 2
    table = CalibrationTable.from_dict(metadata["calibration"])
    assert [round(point.n_items) for point in table.points["log-odds"]] == [7, 13]
    assert metadata["groups"] == []
    assert set(metadata["card"]) == {"expects", "trained_on", "command", "cost"}
    assert {"ari_k_unknown", "single_recognised", "ari_plane"} <= set(metadata["scores"])


def test_a_longer_run_goes_on_from_the_checkpoint_and_ends_with_the_same_bits(tmp_path: Path) -> None:
    training = replace(TINY.training, schedule="constant", validate_every=5)
    steady = replace(TINY, training=training, calibration_sizes=())
    whole = train_recipe(steady, tmp_path / "whole.safetensors", steps=5, **FEW)
    halves = tmp_path / "halves.safetensors"
    for steps in (3, 5):
        train_recipe(steady, halves, steps=steps, **FEW)
    first, second = (ContextKernelNetwork.from_file(file).state_dict() for file in (whole, halves))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_second_stage_goes_on_from_the_weights_of_the_first_with_sets_of_its_own(tmp_path: Path) -> None:
    steady = replace(TINY, training=replace(TINY.training, ema_decay=0.0), calibration_sizes=())
    first = VectorStage(steady.sampler, replace(steady.training, steps=3))
    # A rate of next to nothing: what comes out is what the first stage left behind.
    still = replace(steady, earlier=(first,), training=replace(steady.training, steps=2, learning_rate=1e-12))
    alone = replace(steady, training=first.training)
    files = {name: tmp_path / f"{name}.safetensors" for name in ("staged", "alone")}
    for name, recipe in (("staged", still), ("alone", alone)):
        train_recipe(recipe, files[name], **FEW)
    staged, before = (ContextKernelNetwork.from_file(files[name]) for name in ("staged", "alone"))
    for name, tensor in before.state_dict().items():
        torch.testing.assert_close(staged.state_dict()[name], tensor, rtol=0, atol=1e-6)
    assert staged.metadata["steps"] == 3 + 2
    assert [each["steps"] for each in staged.metadata["earlier_trainings"]] == [3]
    assert {path.name for path in tmp_path.glob("staged*.run")} == {
        "staged.safetensors.run",
        "staged.safetensors.stage-1.run",
    }
    again = ContextKernelNetwork.from_file(
        train_recipe(still, files["staged"], **FEW)
    )  # nothing is left to do
    assert all(torch.equal(staged.state_dict()[name], tensor) for name, tensor in again.state_dict().items())


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_two_processes_train_one_network_as_the_recipe_does(tmp_path: Path) -> None:
    how = RECIPES["vectors"].training
    assert (how.devices, how.strategy) == (2, "ddp_fork")
    training = replace(TINY.training, devices=how.devices, strategy=how.strategy)
    twice = replace(TINY, training=training, calibration_sizes=())
    network = ContextKernelNetwork.from_file(train_recipe(twice, tmp_path / "two.safetensors", **FEW))
    alone = ContextKernelNetwork.from_file(
        train_recipe(replace(TINY, calibration_sizes=()), tmp_path / "one.safetensors", **FEW)
    )
    assert network.metadata["steps"] == TINY.training.steps
    assert not torch.equal(network.head.bias, alone.head.bias)  # the second process had sets of its own


def test_sizes_are_calibrated_each_by_itself_in_ascending_order() -> None:
    network = ContextKernelNetwork(TINY.network, {"preparation": to_dict(PREPARATION)})
    both = calibrate_on_vectors(network, replace(TINY, calibration_sizes=(13, 7)), 6, n_jobs=2)
    alone = calibrate_on_vectors(network, replace(TINY, calibration_sizes=(13,)), 6, n_jobs=1)
    assert [round(point.n_items) for point in both.points["spectral"]] == [7, 13]
    assert both.points["spectral"][1] == alone.points["spectral"][0]
    assert both.points["expected-rand"] == both.points["likelihood"]
    assert calibrate_on_vectors(network, replace(TINY, calibration_sizes=()), 6).points == {}


def test_a_calibration_by_set_comes_first_and_the_search_starts_from_what_it_gives() -> None:
    network = ContextKernelNetwork(TINY.network, {"preparation": to_dict(PREPARATION)})
    recipe = replace(TINY, set_calibration_sets=40, calibration_sizes=(13,), trust=Calibration(0.5, 1.0))
    table = calibrate_on_vectors(network, recipe, 6, n_jobs=2)
    assert table.by_set is not None
    assert table.by_set.n_items[0] >= 11
    assert table.by_set.n_items[1] <= 17
    assert table.at("likelihood", 13) == table.at("expected-rand", 13) == Calibration()
    trusted = calibrate_on_vectors(network, replace(recipe, trust=Calibration()), 6, n_jobs=1).by_set
    assert trusted is not None
    assert table.by_set == trusted.then(recipe.trust)


def test_every_36th_group_of_a_calibration_by_set_is_of_large_sets() -> None:
    network = ContextKernelNetwork(TINY.network, {"preparation": to_dict(PREPARATION)})
    recipe = replace(TINY, sampler=replace(TINY.sampler, large_share=0.1, large_points=(40, 50)))
    sizes = [[len(labels) for _, labels in kernels_of_a_part(network, recipe, part)] for part in range(5)]
    is_large = np.array(sizes) >= 40
    assert is_large[[0, 4], :3].all()  # one group of each of these parts
    assert is_large.sum() == 2 * 3


def test_trained_weights_give_a_kernel_for_prepared_vectors(trained: Path) -> None:
    network = ContextKernelNetwork.from_file(trained)
    items, _ = TINY.sampler.sets_of(1, 19, np.random.default_rng(0))
    kernel = vector_view_kernel(network, items[0], VectorViewConfig(count=3))
    assert kernel.shape == (19, 19)
    assert ((kernel >= 0) & (kernel <= 1)).all()


def test_a_validation_gives_one_to_a_network_that_knows() -> None:
    settings = held_out_settings(4)

    class Oracle(torch.nn.Module):
        """Walks through the validation's batches in their order, knowing the labels of each."""

        def __init__(self) -> None:
            super().__init__()
            self.remaining = [labels for setting in settings for labels in _labels(setting)]

        def forward(self, items: torch.Tensor) -> torch.Tensor:
            labels = torch.stack([self.remaining.pop(0) for _ in items])
            return 20.0 * (labels[:, :, None] == labels[:, None]) - 10.0

    scores = vector_validation(settings, PREPARATION)(Oracle())
    assert set(scores.values()) == {1.0}
    assert {"ari_k_unknown", "single_recognised", "ari_waves"} <= set(scores)


def _labels(setting: object) -> list[torch.Tensor]:
    return [torch.from_numpy(labels) for batch in setting.batches for labels in batch.labels]  # type: ignore[attr-defined]


def test_the_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "vectors" in capsys.readouterr().out


@pytest.mark.slow
def test_a_few_hundred_steps_beat_chance_by_far(tmp_path: Path) -> None:
    preparation = RECIPES["vectors"].sampler.preparation
    recipe = replace(
        RECIPES["vectors"],
        network=replace(RECIPES["vectors"].network, width=64, n_blocks=2, feed_forward_width=128),
        training=replace(RECIPES["vectors"].training, minutes=None, steps=400, ema_decay=0.98),
        sampler=replace(
            RECIPES["vectors"].sampler, n_points=(30, 100), large_share=0.0, points_per_step=1_000
        ),
        calibration_sizes=(),
    )
    file = train_recipe(recipe, tmp_path / "short.safetensors", validation_sets=32)
    scores = vector_validation(held_out_settings(32, seed=7), preparation)(
        ContextKernelNetwork.from_file(file)
    )
    assert scores["ari_k_unknown"] > 0.3
