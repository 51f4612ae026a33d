"""A real server on a real socket for all tests of this room."""

from collections.abc import Iterator

import pytest
from tests.web.small_uploads import MOST_ITEMS, Client

from abclust.web.config import WebConfig
from abclust.web.server import running_server
from abclust.web.tasks import ReadLimits


@pytest.fixture(scope="session")
def server() -> Iterator[Client]:
    """With limits that a test can reach."""
    config = WebConfig(port=0, workers=1, request_megabytes=1, unpacked_megabytes=2, most_items=MOST_ITEMS)
    with running_server(config) as address:
        yield Client(address)


@pytest.fixture
def limits() -> ReadLimits:
    return ReadLimits(most_items=MOST_ITEMS, most_columns=7, unpacked_bytes=2**20)
