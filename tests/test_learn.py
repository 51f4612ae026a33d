import json

import numpy as np
import pytest
from PIL import Image

import abclust
from abclust.clustering.backends import cluster_kernel
from abclust.datasets.data_fingerprint import data_fingerprint
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.set_reading import read_sets
from abclust.evaluation.scores import nmi
from abclust.foundations.errors import InvalidInputError
from abclust.kernel.calibration_table import CalibrationTable
from abclust.learn import kernel_validation, learn
from abclust.training.config import TrainingConfig

QUICK = TrainingConfig(steps=8, sets_per_step=3, warmup_steps=2, accelerator="cpu")
UNITS = np.array([300.0, 0.05])
"""Features of very different scale, as users' tables have them."""


def points(rng, n=17):
    labels = rng.integers(3, size=n)
    return UNITS * (4 * rng.normal(size=(3, 2))[labels] + 0.4 * rng.normal(size=(n, 2))), labels


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_training_gives_a_network_with_its_origin_in_the_header(rng, tmp_path):
    sets = [LabelledSet(*points(rng), group=group) for group in "abcdefg" for _ in range(3)]
    network = abclust.train(sets, config=QUICK)
    network.save(tmp_path / "mine.safetensors")
    metadata = abclust.load(tmp_path / "mine.safetensors").metadata
    assert metadata["seed"] == 0
    assert metadata["steps"] == 8
    assert len(metadata["groups"]) == 6
    assert metadata["n_sets"] == 18
    assert metadata["scored_on"] == "held-out sets"
    assert set(metadata["scores"]) == {"nmi_k_unknown", "nmi_k_known"}
    assert {"torch", "abclust", "python"} <= set(metadata["versions"])
    assert metadata["training"]["sets_per_step"] == 3
    assert len(metadata["fingerprint"]) == 64
    assert {"commit", "seconds"} <= set(metadata)
    json.dumps(metadata, allow_nan=False)
    table = CalibrationTable.from_dict(metadata["calibration"])
    assert set(table.points) == {"likelihood", "expected-rand", "size-prior", "log-odds", "spectral"}


def test_the_network_takes_the_users_own_units(rng):
    sets = [points(rng) for _ in range(11)]
    seen = []

    class Watch:
        def started(self, state): ...

        def stepped(self, state, losses): ...

        def validated(self, state, scores):
            seen.append(scores)

        def finished(self, state): ...

    validation = [points(rng) for _ in range(5)]
    network = abclust.train(sets, validation, QUICK, reporter=Watch())
    judged = kernel_validation([LabelledSet(*each) for each in validation])
    assert judged(network) == pytest.approx(seen[-1])


def test_given_validation_sets_are_used_and_nothing_is_held_out(rng):
    sets = [points(rng) for _ in range(7)]
    assert abclust.train(sets, sets[:2], QUICK).metadata["n_sets"] == 7


def test_too_little_data_to_hold_out_is_said(rng):
    network = abclust.train([points(rng)], config=QUICK)
    assert network.metadata["scored_on"] == "the training sets themselves"


def test_training_goes_on_from_a_network(rng):
    sets = [points(rng) for _ in range(7)]
    first = abclust.train(sets, config=QUICK)
    before = first.kernel(sets[0][0])
    second = abclust.train(sets, config=QUICK, network=first)
    assert second is first
    assert not np.allclose(second.kernel(sets[0][0]), before)


def test_a_configured_network_is_built(rng):
    wanted = abclust.ContextKernelConfig(n_features=2, width=8, heads=2, compatibility="additive")
    assert abclust.train([points(rng)], config=QUICK, network=wanted).config == wanted


def test_the_same_seed_gives_the_same_network(rng):
    sets = [points(rng) for _ in range(7)]
    first, second = (abclust.train(sets, config=QUICK) for _ in range(2))
    assert np.array_equal(first.kernel(sets[0][0]), second.kernel(sets[0][0]))


def test_images_are_learnt_from(rng):
    sets = [(rng.integers(0, 256, size=(11, 16, 16), dtype=np.uint8), np.arange(11) % 3) for _ in range(5)]
    learned = learn(
        sets, config=TrainingConfig(steps=2, sets_per_step=2, contrastive_weight=1.0, accelerator="cpu")
    )
    assert learned.network.config.image_size == 16
    assert learned.result.step == 2


def test_a_network_from_a_folder_of_images_takes_new_images_of_any_size(rng, tmp_path):
    for name, place in (("up", 3), ("down", 40)):
        for number in range(5):
            sheet = np.full((61, 47), 255, dtype=np.uint8)
            sheet[place : place + 11 + number, 5:31] = 0
            path = tmp_path / "sheets" / "first" / name / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(sheet).save(path)
    quick = TrainingConfig(steps=1, sets_per_step=1, accelerator="cpu")
    network = abclust.train(read_sets(tmp_path / "sheets"), config=quick)
    assert network.metadata["framing"] == {"image_size": 28, "ink_size": 20}
    photos = [rng.integers(0, 256, size=(13 + place, 29), dtype=np.uint8) for place in range(3)]
    assert len(abclust.AttentionClustering(network).fit_predict(photos)) == 3


def test_a_folder_keeps_the_run_and_resumes_it(rng, tmp_path):
    sets = [points(rng) for _ in range(7)]
    learn(sets, config=QUICK, folder=tmp_path)
    again = learn(sets, config=QUICK, folder=tmp_path, resume=True)
    assert again.result.resumed_from == 8


def test_sets_of_different_shapes_are_refused():
    with pytest.raises(InvalidInputError, match="items of one shape"):
        abclust.train([(np.zeros((3, 2)), [0, 1, 1]), (np.zeros((3, 5)), [0, 1, 1])])


def test_no_sets_are_refused():
    with pytest.raises(InvalidInputError, match="at least one set"):
        abclust.train([])


def test_the_fingerprint_knows_items_and_labels():
    one = LabelledSet(np.zeros((3, 2)), [0, 1, 1])
    prints = {data_fingerprint([each]) for each in (one, LabelledSet(np.ones((3, 2)), [0, 1, 1]))}
    prints.add(data_fingerprint([LabelledSet(np.zeros((3, 2)), [0, 0, 1])]))
    assert len(prints) == 3
    assert data_fingerprint([one]) == data_fingerprint([LabelledSet(np.zeros((3, 2)), ["a", "b", "b"])])


@pytest.mark.slow
def test_a_minute_of_training_finds_clusters_of_unseen_sets(rng):
    network = abclust.train([points(rng, 29) for _ in range(200)], config=TrainingConfig(steps=400))
    new = [points(rng, 31) for _ in range(37)]
    assert np.mean([nmi(labels, cluster_kernel(network.kernel(items))) for items, labels in new]) > 0.9
