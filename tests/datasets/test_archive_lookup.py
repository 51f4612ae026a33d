"""Where archives are looked for, in which order, and what a user reads when there is none."""

import hashlib
import http.server
import threading
from functools import partial

import pytest

from abclust.datasets.archive_lookup import cache_folder, find_archive
from abclust.foundations.errors import DataNotFoundError

NOWHERE = {"url": "http://127.0.0.1:9/set.zip", "checksum": "md5:0", "download": False}


@pytest.fixture
def project(tmp_path, monkeypatch, own_cache):
    """A project folder to stand in, with a `shared` beside it as yet empty."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("ABCLUST_DATA", raising=False)
    return folder


def put(folder, content="here"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "set.zip").write_text(content)
    return folder / "set.zip"


def find(data=None, **options):
    return find_archive("set.zip", "letters", data=data, **(NOWHERE | options))


def test_places_are_tried_in_the_stated_order(project, tmp_path, monkeypatch, own_cache):
    in_cache = put(own_cache / "letters")
    assert find() == in_cache
    beside = put(tmp_path / "shared" / "data" / "letters")
    assert find() == beside
    in_variable = put(tmp_path / "elsewhere" / "letters")
    monkeypatch.setenv("ABCLUST_DATA", str(tmp_path / "elsewhere"))
    assert find() == in_variable
    named = put(tmp_path / "named")
    assert find(data=tmp_path / "named") == find(data=str(named)) == named


def test_a_variable_that_leads_nowhere_leaves_the_other_places(project, tmp_path, monkeypatch):
    monkeypatch.setenv("ABCLUST_DATA", str(tmp_path / "empty"))
    beside = put(tmp_path / "shared" / "data" / "letters")
    assert find() == beside


def test_a_named_place_is_the_only_one(project, tmp_path):
    put(tmp_path / "shared" / "data" / "letters")
    with pytest.raises(DataNotFoundError, match="named"):
        find(data=tmp_path / "named", download=True)


def test_the_error_lists_the_places_and_says_what_to_do(project, own_cache):
    with pytest.raises(DataNotFoundError) as caught:
        find()
    message = str(caught.value)
    assert str(own_cache / "letters" / "set.zip") in message
    assert "ABCLUST_DATA" in message
    assert NOWHERE["url"] in message


def test_without_a_network_the_download_says_so(project):
    with pytest.raises(DataNotFoundError, match="no network"):
        find(download=True)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        return


@pytest.fixture
def server(tmp_path):
    put(tmp_path / "www", "published")
    handler = partial(Quiet, directory=str(tmp_path / "www"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}/set.zip"
        running.shutdown()
        thread.join()


def test_a_download_is_checked_and_kept_in_the_cache(project, server, own_cache):
    checksum = "md5:" + hashlib.md5(b"published").hexdigest()
    found = find(url=server, checksum=checksum, download=True)
    assert found == own_cache / "letters" / "set.zip"
    assert find() == found  # and from now on without a network


def test_a_download_with_a_wrong_checksum_is_refused_and_not_kept(project, server, own_cache):
    with pytest.raises(DataNotFoundError, match="wrong checksum"):
        find(url=server, checksum="md5:" + "0" * 32, download=True)
    assert not (own_cache / "letters" / "set.zip").exists()


def test_without_a_variable_the_cache_is_where_the_system_keeps_caches(monkeypatch):
    monkeypatch.delenv("ABCLUST_CACHE", raising=False)
    assert cache_folder().name == "abclust"
