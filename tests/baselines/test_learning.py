"""Networks that systems share are learned once, kept in a folder and never mixed up."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.baselines.tiny_background import TINY_LEARNING, shorter, tiny_background, unseen_set

from abclust.baselines.itml import ITMLSystem
from abclust.baselines.kcl import KCLSystem
from abclust.baselines.learning import fingerprint, seeded
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.tensor_file import read_header
from abclust.training.pool_source import as_groups

BACKGROUND = tiny_background(n_groups=2, n_characters=7)
SET = unseen_set(n_characters=3)


def test_two_systems_with_one_folder_train_one_network(tmp_path: Path) -> None:
    first, second = ITMLSystem(learning=shorter(3)), KCLSystem(learning=shorter(3))
    first.learn(BACKGROUND, tmp_path)
    (file,) = tmp_path.glob("*.safetensors")
    written = file.stat().st_mtime_ns
    second.learn(BACKGROUND, tmp_path)
    assert [path.name for path in tmp_path.glob("*.safetensors")] == ["pairwise-multiplicative.safetensors"]
    assert file.stat().st_mtime_ns == written
    assert first.image_passes == second.image_passes == 3 * 60
    assert np.array_equal(first.similarity.kernel(SET.items), second.similarity.kernel(SET.items))


def test_a_file_says_what_it_was_learned_from(tmp_path: Path) -> None:
    SimilarityNetwork(shorter(2), "additive").learn(BACKGROUND, tmp_path)
    header = read_header(tmp_path / "pairwise-additive.safetensors")
    assert header["kind"] == "baseline"
    assert header["image_passes"] == 2 * 60
    assert header["learning"]["background"] == BACKGROUND.fingerprint
    assert header["learning"]["config"]["training"]["steps"] == 2


@pytest.mark.parametrize(
    ("learning", "background", "named"),
    [
        (shorter(3), BACKGROUND, "config"),
        (shorter(2), tiny_background(n_groups=2, n_characters=5), "background"),
    ],
)
def test_a_network_learned_otherwise_is_refused(tmp_path: Path, learning, background, named: str) -> None:
    SimilarityNetwork(shorter(2)).learn(BACKGROUND, tmp_path)
    with pytest.raises(InvalidInputError, match=f"differs in {named}. Choose another folder"):
        SimilarityNetwork(learning).learn(background, tmp_path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    network = ContextKernelNetwork(TINY_LEARNING.network)
    network.save(tmp_path / "pairwise-multiplicative.safetensors")
    with pytest.raises(FileFormatError, match="must hold a learned baseline"):
        SimilarityNetwork(shorter(2)).learn(BACKGROUND, tmp_path)


def test_a_killed_learning_goes_on_from_its_checkpoints(tmp_path: Path) -> None:
    whole, part = SimilarityNetwork(shorter(6)), SimilarityNetwork(shorter(6))
    whole.learn(BACKGROUND, tmp_path / "whole")
    part.learn(BACKGROUND, tmp_path / "part")
    # As if it had been killed at the end: the checkpoint is there and the network is not.
    (tmp_path / "part" / "pairwise-multiplicative.safetensors").unlink()
    again = SimilarityNetwork(shorter(6))
    again.learn(BACKGROUND, tmp_path / "part")
    assert np.array_equal(again.kernel(SET.items), whole.kernel(SET.items))
    assert again.image_passes == whole.image_passes


def test_the_same_items_and_labels_have_the_same_fingerprint() -> None:
    groups = as_groups(BACKGROUND)
    assert fingerprint(groups) == fingerprint([replace(group) for group in groups])
    changed = LabelledSet(groups[0].items, np.roll(groups[0].labels, 1), group=groups[0].group)
    assert fingerprint(groups) != fingerprint([changed, *groups[1:]])
    assert fingerprint(BACKGROUND) == BACKGROUND.fingerprint


def test_building_draws_from_its_own_stream_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    first = seeded(lambda: torch.nn.Linear(2, 3), 7)
    assert torch.equal(torch.rand(2), expected)
    assert torch.equal(first.weight, seeded(lambda: torch.nn.Linear(2, 3), 7).weight)


def test_vectors_are_as_good_a_background_as_images() -> None:
    generator = np.random.default_rng(0)
    groups = [
        LabelledSet(generator.normal(size=(29, 3)).astype(np.float32), np.arange(29) % 5) for _ in range(2)
    ]
    network = replace(
        TINY_LEARNING.network, image_size=None, encoder_channels=None, n_features=3, encoder="mlp"
    )
    similarity = SimilarityNetwork(replace(shorter(2), network=network))
    similarity.learn(groups)
    assert similarity.kernel(groups[0].items).shape == (29, 29)
    assert similarity.encode(groups[0].items).shape == (29, 16)
