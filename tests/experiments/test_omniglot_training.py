"""A recipe becomes a network file with calibration, history and snapshots; a killed run goes on."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.experiments.test_omniglot_split import archive, needs_omniglot
from tests.experiments.tiny_alphabets import TINY_NETWORK, tiny_alphabets, tiny_recipe

from abclust.experiments.omniglot_calibration import CalibrationSets, calibrate_on_alphabets
from abclust.experiments.omniglot_networks import calibration_of, training_command, views_of
from abclust.experiments.omniglot_scoring import held_out_rows
from abclust.experiments.omniglot_snapshots import snapshot_files
from abclust.experiments.omniglot_split import HELD_OUT
from abclust.experiments.omniglot_training import TrainingRequest, main, train_on, trained_before
from abclust.experiments.omniglot_validation import ValidationConfig, draw_instances, held_out_validation
from abclust.experiments.shipped_or_trained import check_shipped
from abclust.foundations.errors import DataNotFoundError, InvalidInputError
from abclust.model import ContextKernelNetwork
from abclust.model.view_averaging import ViewConfig
from abclust.zoo.shipping import ship_network

LEARNT, UNSEEN = tiny_alphabets("one", "two"), tiny_alphabets("three", "four", "five", n_characters=7)
FEW_SETS = CalibrationSets(sizes=(31,), images_per_alphabet=31, quarter_turns=(0,))
CALIBRATED = TrainingRequest(seed=3, validation=ValidationConfig(sets_per_alphabet=1), calibration=FEW_SETS)


def trained(file: Path, steps: int, request: TrainingRequest) -> ContextKernelNetwork:
    recipe = tiny_recipe(steps=steps, seed=request.seed, warmup_steps=1)
    return ContextKernelNetwork.from_file(train_on(recipe, file, LEARNT, UNSEEN, request))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network whose calibration was fitted on alphabets that it had not seen."""
    file = tmp_path_factory.mktemp("judged") / "net.safetensors"
    trained(file, 4, CALIBRATED)
    return file


@pytest.fixture
def request_of(judged: Path) -> TrainingRequest:
    """A training that fits no calibration of its own."""
    return replace(CALIBRATED, calibration_from=judged)


def test_a_trained_file_says_what_it_is_and_how_to_use_it(judged: Path) -> None:
    network = ContextKernelNetwork.from_file(judged)
    facts = network.metadata
    assert network.config == TINY_NETWORK
    assert facts["groups"] == ["one", "two"]
    assert facts["calibrated_on"] == "three, four, five"
    assert (facts["seed"], facts["steps"]) == (3, 4)
    assert facts["image_passes"] >= 4 * 60
    assert facts["framing"] == {"image_size": 16, "ink_size": None}
    assert views_of(network).count == 2
    assert set(facts["scores"]) == {
        "nmi_k_unknown",
        "nmi_k_known",
        "nmi_spectral_k_unknown",
        "nmi_spectral_k_known",
    }
    table = calibration_of(network)
    assert set(table.points) == {"likelihood", "expected-rand", "size-prior", "log-odds", "spectral"}
    assert [round(point.n_items) for point in table.points["spectral"]] == [31, 140]  # sets, whole alphabets


def test_a_trained_file_can_be_shipped_without_further_words(tmp_path: Path, judged: Path) -> None:
    entry = ship_network("omniglot", judged, weights=tmp_path / "weights")
    assert entry.command.startswith("python -m abclust.experiments.omniglot_training omniglot --output")
    assert entry.trained_on.startswith("2 background alphabets of Omniglot; not with the recipe's own")


def test_a_run_in_two_parts_ends_where_one_in_one_part_ends_with_the_same_snapshots(
    tmp_path: Path, request_of: TrainingRequest
) -> None:
    trained(tmp_path / "parts.safetensors", 2, request_of)
    parts = trained(tmp_path / "parts.safetensors", 5, request_of)
    whole = trained(tmp_path / "whole.safetensors", 5, request_of)
    images = UNSEEN.images[::37]
    np.testing.assert_array_equal(parts.kernel(images), whole.kernel(images))
    last = snapshot_files(tmp_path / "whole.safetensors.run")[-1]
    assert last.name == "snapshot-00000005.safetensors"
    kept = ContextKernelNetwork.from_file(last)
    np.testing.assert_array_equal(kept.kernel(images), whole.kernel(images))
    assert kept.metadata["groups"] == ["one", "two"]
    assert (kept.metadata["step"], kept.metadata["total_steps"]) == (5, 5)
    assert kept.metadata["image_passes"] == whole.metadata["image_passes"]


def test_a_final_network_takes_the_calibration_of_one_that_was_judged(
    tmp_path: Path, judged: Path, request_of: TrainingRequest
) -> None:
    final = trained(tmp_path / "final.safetensors", 1, replace(request_of, final=True))
    assert final.metadata["calibration"] == ContextKernelNetwork.from_file(judged).metadata["calibration"]
    assert final.metadata["calibrated_on"] == "three, four, five, by a network trained without them"
    assert final.metadata["card"]["command"].endswith("--final")


def test_what_a_final_network_takes_its_calibration_from_is_trained_once(
    tmp_path: Path, request_of: TrainingRequest
) -> None:
    trainings = []

    def before(seed: int) -> Path:
        def train(file: Path, request: TrainingRequest) -> Path:
            trainings.append((request.seed, request.final))
            return train_on(recipe, file, LEARNT, UNSEEN, request)

        recipe = tiny_recipe(steps=1, seed=seed)
        request = replace(request_of, seed=seed, final=True)
        return trained_before(recipe, tmp_path / "net.safetensors", request, train)

    assert before(3) == before(3) == tmp_path / "net-25.safetensors"
    assert trainings == [(3, False)]
    before(4)
    assert trainings[1:] == [(4, False)], "another seed is another training"


def test_scores_and_calibration_by_alphabets_that_were_learnt_from_are_called_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = train_on(tiny_recipe(steps=1), tmp_path / "net.safetensors", UNSEEN, UNSEEN, CALIBRATED)
    facts = ContextKernelNetwork.from_file(file).metadata
    assert all(name.startswith("seen_") for name in facts["scores"])
    assert facts["calibrated_on"] == "three, four, five (seen in training)"
    assert "will be too confident" in caplog.text


def test_evaluation_alphabets_can_neither_train_nor_validate_nor_calibrate(tmp_path: Path) -> None:
    forbidden = tiny_alphabets("one", "Keble")
    with pytest.raises(InvalidInputError, match="Keble"):
        train_on(tiny_recipe(), tmp_path / "net.safetensors", forbidden, UNSEEN, CALIBRATED)
    with pytest.raises(InvalidInputError, match="Keble"):
        held_out_validation(forbidden)
    with pytest.raises(InvalidInputError, match="Keble"):
        calibrate_on_alphabets(ContextKernelNetwork(TINY_NETWORK), forbidden, ViewConfig())
    assert not list(tmp_path.iterdir())


def test_sets_of_look_alikes_have_a_say_in_the_calibration_of_the_smallest_size_alone() -> None:
    network = ContextKernelNetwork(TINY_NETWORK)
    plain, alike = (
        calibrate_on_alphabets(network, UNSEEN, ViewConfig(), replace(FEW_SETS, look_alikes=n_sets))[
            0
        ].points["likelihood"]
        for n_sets in (0, 5)
    )
    assert plain[0].calibration != alike[0].calibration
    assert plain[1] == alike[1]  # whole alphabets


def test_validation_is_the_same_for_the_same_network() -> None:
    network = ContextKernelNetwork(TINY_NETWORK).train()
    validate = held_out_validation(UNSEEN, ValidationConfig(sets_per_alphabet=2))
    assert validate(network) == validate(network)
    assert network.training


def test_instances_have_the_asked_numbers_and_do_not_depend_on_how_many_are_drawn() -> None:
    few, many = (draw_instances(UNSEEN, "four", n, seed=5, n_clusters=(5, 47)) for n in (2, 7))
    np.testing.assert_array_equal(few[1].places, many[1].places)
    assert all(len(each.places) == 100 and 5 <= each.n_clusters <= 7 for each in many)
    assert all(np.bincount(each.labels).max() <= 20 for each in many)
    assert set(UNSEEN.groups[many[0].places]) == {1}


def test_the_command_line_changes_the_walk_and_nothing_else() -> None:
    request = TrainingRequest(seed=7, minutes=3.0, optimizer="adamw", learning_rate=1e-3)
    recipe = tiny_recipe()
    changed = request.applied_to(recipe)
    assert (changed.training.minutes, changed.training.optimizer) == (3.0, "adamw")
    assert (changed.training.seed, changed.training.learning_rate) == (7, 1e-3)
    assert replace(changed, training=recipe.training) == recipe


def test_missing_weights_are_an_error_that_says_how_to_train_them() -> None:
    with pytest.raises(DataNotFoundError, match=r"omniglot_training omniglot-paper-add --output"):
        check_shipped(["omniglot-paper-add"], ["circles"], training_command)


@needs_omniglot
def test_the_command_trains_on_25_alphabets_and_what_saw_the_other_five_is_not_scored_on_them(
    tmp_path: Path, judged: Path
) -> None:
    file, data = tmp_path / "net.safetensors", archive("background").parent
    arguments = ["omniglot-paper-mul", "--output", str(file), "--steps", "1", "--data", str(data)]
    main([*arguments, "--calibration-from", str(judged)])
    network = ContextKernelNetwork.from_file(file)
    assert len(network.metadata["groups"]) == 25
    assert not set(network.metadata["groups"]) & set(HELD_OUT)
    with pytest.raises(InvalidInputError, match="no checkpoints of another run"):
        main([*arguments, "--fresh"])
    network.metadata["groups"] = ["Korean"]
    network.save(tmp_path / "seen.safetensors")
    with pytest.raises(InvalidInputError, match="trained on Korean"):
        held_out_rows(tmp_path / "seen.safetensors", data=data)
