"""The settings of a server."""

from pathlib import Path
from typing import Any

import pytest

from abclust.foundations.errors import DataNotFoundError, InvalidInputError
from abclust.web.application import build_application
from abclust.web.config import WebConfig
from abclust.web.server import address, running_server
from abclust.web.services import offered_models


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.53", "localhost", "::1"])
def test_loopback_needs_no_token(host: str) -> None:
    assert WebConfig(host=host).is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org", ""])
def test_any_other_host_needs_a_token(host: str) -> None:
    with pytest.raises(InvalidInputError, match="unless there is a token"):
        WebConfig(host=host)
    assert not WebConfig(host=host, token="open sesame").is_loopback


@pytest.mark.parametrize(
    "wrong",
    [{"workers": 0}, {"job_seconds": 0.0}, {"port": -1}, {"port": 65536}, {"token": ""}, {"token": "ü"}],
)
def test_a_setting_that_cannot_be_is_told(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(InvalidInputError, match=name):
        WebConfig(**wrong)


def test_the_owners_networks_are_offered_under_their_names(tmp_path: Path) -> None:
    own = tmp_path / "mine.safetensors"
    own.write_bytes(b"")
    offered = offered_models(WebConfig(models=(str(own),)))
    assert offered["mine"] == str(own)
    assert offered["circles"] == "circles"


def test_a_network_that_is_not_there_or_has_a_taken_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="nowhere"):
        build_application(WebConfig(models=("nowhere.safetensors",)))
    taken = tmp_path / "circles.safetensors"
    taken.write_bytes(b"")
    with pytest.raises(InvalidInputError, match="different names"):
        build_application(WebConfig(models=(str(taken),)))


def test_a_port_that_is_taken_is_told() -> None:
    with running_server() as taken:
        port = int(taken.rpartition(":")[2])
        with pytest.raises(InvalidInputError, match="must be free"), running_server(WebConfig(port=port)):
            pass


def test_every_interface_is_found_at_loopback() -> None:
    assert address(WebConfig(host="0.0.0.0", port=7, token="t")) == "http://127.0.0.1:7"
