"""Networks for the tests of this room: the shipped one for circles, and two made by hand."""

import pytest
from tests.estimator.handmade_networks import image_network_by_hand, table_network_by_hand

from abclust.zoo.loading import load


@pytest.fixture(scope="session")
def circle_network():
    return load("circles")


@pytest.fixture(scope="session")
def table_network():
    return table_network_by_hand()


@pytest.fixture(scope="session")
def image_network():
    return image_network_by_hand()
