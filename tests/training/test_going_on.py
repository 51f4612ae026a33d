"""What is different where a run goes on from trained weights."""

import numpy as np
import pytest

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.vector_preparation import VectorPreparation
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.defaults import default_training
from abclust.training.going_on import check_items, inherited_header, preparation_of, suitable_training

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
NARROW, WIDE = (LabelledSet(np.zeros((7, width)), np.arange(7) % 2) for width in (2, 11))
IMAGES = LabelledSet(np.zeros((7, 5, 5)), np.arange(7) % 2)


@pytest.fixture
def for_tables() -> ContextKernelNetwork:
    config = ContextKernelConfig(n_features=PREPARATION.width, width=8, heads=2)
    return ContextKernelNetwork(config, {"preparation": to_dict(PREPARATION)})


@pytest.fixture
def for_planes() -> ContextKernelNetwork:
    return ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2))


def test_the_preparation_is_read_from_the_header(for_tables, for_planes):
    assert preparation_of(for_tables) == PREPARATION
    assert preparation_of(for_planes) is None
    assert preparation_of(None) is None


def test_a_network_for_tables_goes_on_in_small_steps(for_tables, for_planes):
    gentle = suitable_training([NARROW], for_tables)
    assert gentle.learning_rate < default_training([NARROW]).learning_rate
    assert suitable_training([NARROW], for_planes) == default_training([NARROW])


def test_a_network_for_tables_takes_every_width(for_tables):
    check_items([NARROW, WIDE], for_tables)


def test_a_network_for_tables_takes_no_images(for_tables):
    with pytest.raises(InvalidInputError, match="must be tables"):
        check_items([IMAGES], for_tables)


def test_a_network_of_one_width_takes_that_width_alone(for_planes):
    check_items([NARROW], for_planes)
    with pytest.raises(InvalidInputError, match="any width go on from 'vectors'"):
        check_items([WIDE], for_planes)


def test_a_new_network_takes_one_width():
    with pytest.raises(InvalidInputError, match="items of one shape"):
        check_items([NARROW, WIDE])


def test_a_header_remembers_where_it_comes_from():
    header = {
        "recipe": "vectors",
        "vector_views": {"count": 4},
        "one_cluster_odds": {"n_items": 120},
        "card": {"expects": "rows", "command": "x"},
    }
    after = inherited_header(header, 13)
    assert after == {
        "vector_views": {"count": 4},
        "started_from": "vectors",
        "card": {"expects": "rows", "trained_on": "13 sets of the user's own"},
    }
    assert header["card"]["command"] == "x"


def test_a_header_without_history_stays_as_it_is():
    assert inherited_header({"seed": 3}, 13) == {"seed": 3}
