"""One folder of learned networks for all tests of the room: each is trained once."""

from pathlib import Path

import pytest
from tests.baselines.tiny_background import TINY_LEARNING, tiny_background

from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.datasets.grouped_images import GroupedImages


@pytest.fixture(scope="session")
def background() -> GroupedImages:
    return tiny_background()


@pytest.fixture(scope="session")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where systems find what others have learned."""
    return tmp_path_factory.mktemp("networks")


@pytest.fixture(scope="session")
def similarity(background: GroupedImages, networks: Path) -> SimilarityNetwork:
    """The pairwise network that most systems share."""
    learned = SimilarityNetwork(TINY_LEARNING)
    learned.learn(background, networks)
    return learned
