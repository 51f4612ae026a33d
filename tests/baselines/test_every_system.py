"""The contract that every system of the comparison keeps."""

from pathlib import Path

import numpy as np
import pytest
from tests.baselines.quick_systems import LEARNING_NAMES, NAMES, quick_system
from tests.baselines.tiny_background import unseen_set

from abclust.baselines.interface import GROUPS, Baseline
from abclust.baselines.staged_system import StagedSystem
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.labelled_set import canonical_labels
from abclust.foundations.errors import InvalidInputError

SET = unseen_set(n_characters=3, n_drawings=7)


@pytest.fixture(scope="module")
def quick_networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("quick")


@pytest.fixture
def system(request: pytest.FixtureRequest, background: GroupedImages, quick_networks: Path) -> Baseline:
    built = quick_system(request.param)
    built.learn(background, quick_networks)
    return built


every = pytest.mark.parametrize("system", NAMES, indirect=True)


@every
def test_labels_are_a_partition_in_canonical_order_and_the_same_each_time(system: Baseline) -> None:
    assert isinstance(system, Baseline)
    assert system.card.group in GROUPS
    labels = system.cluster(SET.items)
    assert labels.shape == (21,)
    assert np.array_equal(labels, canonical_labels(labels))
    assert np.array_equal(system.cluster(SET.items), labels)
    assert (system.image_passes > 0) == (system.card.learns and system.card.name != "abclust")


@every
def test_items_are_encoded_once_for_all_the_sets_that_they_stand_in(system: Baseline) -> None:
    assert isinstance(system, StagedSystem)
    encoded, places = system.encode(SET.items), np.array([3, 5, 11, 2, 17, 19, 7])
    assert len(encoded) == len(SET.items)
    if "frozen" not in str(getattr(system, "config", "")):  # whose copies are drawn for all items together
        alone = system.encode(SET.items[places])
        np.testing.assert_allclose(alone, encoded[places], rtol=1e-4, atol=1e-4)
    labels = system.label(system.describe(encoded[places]), None)
    assert labels.shape == (7,)
    (again,) = system.label_many([system.describe(encoded[places])], [None])
    assert np.array_equal(labels, again)


@every
def test_a_known_number_of_clusters_is_not_exceeded_or_is_refused(system: Baseline) -> None:
    if system.card.takes_n_clusters:
        assert system.cluster(SET.items, n_clusters=5).max() < 5
        assert system.cluster(SET.items, n_clusters=1).max() == 0
        assert system.cluster(SET.items, n_clusters=21).tolist() == list(range(21))
    else:
        with pytest.raises(InvalidInputError, match="finds the number itself"):
            system.cluster(SET.items, n_clusters=3)


@every
def test_a_single_item_is_a_cluster_and_two_items_are_no_trouble(system: Baseline) -> None:
    assert system.cluster(SET.items[:1]).tolist() == [0]
    assert len(system.cluster(SET.items[:2])) == 2


@every
def test_equal_items_are_no_trouble(system: Baseline) -> None:
    assert len(system.cluster(np.repeat(SET.items[:1], 5, axis=0))) == 5


@every
def test_what_cannot_be_clustered_is_refused(system: Baseline) -> None:
    with pytest.raises(InvalidInputError, match="items must be"):
        system.cluster(SET.items[:0])
    with pytest.raises(InvalidInputError, match="items must be finite"):
        system.cluster(np.full((3, 2), np.nan))
    if system.card.takes_n_clusters:
        with pytest.raises(InvalidInputError, match="n_clusters must lie in 1 to"):
            system.cluster(SET.items, n_clusters=22)


@pytest.mark.parametrize("name", LEARNING_NAMES)
def test_clustering_before_learning_says_what_to_do(name: str) -> None:
    with pytest.raises(InvalidInputError, match=r"learn\(background\) first"):
        quick_system(name).cluster(SET.items)


@pytest.mark.parametrize("name", LEARNING_NAMES)
def test_learning_again_from_the_same_folder_gives_the_same_system(
    name: str, background: GroupedImages, quick_networks: Path
) -> None:
    first, second = quick_system(name), quick_system(name)
    first.learn(background, quick_networks)
    second.learn(background, quick_networks)
    assert first.image_passes == second.image_passes
    if name != "abclust":  # whose untrained network is another one each time
        assert np.array_equal(first.cluster(SET.items), second.cluster(SET.items))
